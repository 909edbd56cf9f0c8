"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Hopper(Number(queryWord("start", "0"))),
  art: drawHopper,
  id: "hopper",
  title: "Moon Hopper",
  hint: "← and → steer; it hops by itself. Do not fall",
});
stage.open();
