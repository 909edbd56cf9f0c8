"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Lanes(Number(queryWord("start", "0"))),
  art: drawLanes,
  id: "lanes",
  title: "Sunset Road",
  hint: "← → change the lane, ↑ jumps, ↓ slides",
});
stage.open();
