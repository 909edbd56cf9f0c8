"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Pulse({ firstBar: Number(queryWord("bar", "0")), kind: queryWord("kind", "") }),
  art: drawPulse,
  id: "pulse",
  title: "Pulse Cube",
  hint: "Space jumps, on the beat",
  pointer: " ",
});
stage.open();
