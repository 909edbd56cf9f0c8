"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new CubeDrift({ pace: Number(queryWord("pace", String(PACE.first))), kind: queryWord("kind", "") }),
  art: drawCubeDrift,
  id: "cubedrift",
  title: "Cube Drift",
  hint: "Left and right: glide between the cubes",
});
stage.open();
