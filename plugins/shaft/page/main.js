"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Shaft(Number(queryWord("start", "0"))),
  art: drawShaft,
  id: "shaft",
  title: "Crystal Shaft",
  hint: "← and → walk. Drop down, off the spikes",
});
stage.open();
