"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Pinwheel(Number(queryWord("level", "1"))),
  art: drawPinwheel,
  id: "pinwheel",
  title: "Pinwheel",
  hint: "Space or a click throws a pin; do not hit a head",
  pointer: " ",
});
stage.open();
