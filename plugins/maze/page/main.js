"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Maze({ firstLevel: Number(queryWord("level", "1")), fog: queryWord("fog", "0") === "1" }),
  art: drawMaze,
  id: "maze",
  title: "Maze",
  hint: "Keys open doors; the star is the way out",
});
stage.open();
