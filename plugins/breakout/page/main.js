"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Breakout(Number(queryWord("level", "1"))),
  art: drawBreakout,
  id: "breakout",
  title: "Breakout",
  hint: "Left and right move the paddle",
});
stage.open();
