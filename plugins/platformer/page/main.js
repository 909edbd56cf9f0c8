"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Platformer(Number(queryWord("level", "1"))),
  art: drawPlatformer,
  id: "platformer",
  title: "Platformer",
  hint: "Arrows run, Up jumps: coins, gaps, walkers, flag",
});
stage.open();
