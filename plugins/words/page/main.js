"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Words(queryWord("words", "everyday")),
  art: drawWords,
  id: "words",
  title: "Lantern Words",
  hint: "Type five letters, then Enter. Escape pauses",
  pauseKey: "escape",
});
stage.open();
