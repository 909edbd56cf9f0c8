"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Wing(Number(queryWord("light", "70"))),
  art: drawWing,
  id: "wing",
  title: "Dusk Wing",
  hint: "Hold ↓ to dive on slopes, let go to fly up",
  pointer: "arrowdown",
});
stage.open();
