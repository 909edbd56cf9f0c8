"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new RingRun({ pace: Number(queryWord("pace", String(PACE.first))), kind: queryWord("kind", "") }),
  art: drawRingRun,
  id: "ringrun",
  title: "Ring Runner",
  hint: "Left and right: round the wall. Up: jump",
});
stage.open();
