"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Surf(Number(queryWord("start", "0"))),
  art: drawSurf,
  id: "surf",
  title: "Salt Spray",
  hint: "← and → steer, ↓ brakes, ↑ spends a gust. Mind the rocks",
});
stage.open();
