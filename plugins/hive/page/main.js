"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Hive({ firstLevel: Number(queryWord("level", "1")), rows: Number(queryWord("rows", "0")) }),
  art: drawHive,
  id: "hive",
  title: "Pollen Hive",
  hint: "← and → turn the hive; three of a colour vanish",
});
stage.open();
