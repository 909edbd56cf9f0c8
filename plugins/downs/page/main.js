"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Downs(Number(queryWord("course", "1"))),
  art: drawDowns,
  id: "downs",
  title: "Rolling Downs",
  hint: "→ pushes, ← brakes, ↑ jumps, ↓ tucks: keep your speed",
});
stage.open();
