"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Snake({ pace: queryWord("pace", "calm"), walls: queryWord("walls", "0") === "1" }),
  art: drawSnake,
  id: "snake",
  title: "Snake",
  hint: "The arrows turn the snake",
});
stage.open();
