"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Tower({ width: Number(queryWord("width", "150")), start: Number(queryWord("start", "0")) }),
  art: drawTower,
  id: "tower",
  title: "Tower Crane",
  hint: "Space or a click drops the floor onto the tower",
  pointer: " ",
});
stage.open();
