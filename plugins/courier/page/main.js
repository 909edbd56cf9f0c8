"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Courier(Number(queryWord("start", "0"))),
  art: drawCourier,
  id: "courier",
  title: "Jet Courier",
  hint: "Hold Space to rise, let go to fall. Mind the sparks",
  pointer: " ",
});
stage.open();
