"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Hedges(Number(queryWord("level", "1"))),
  art: drawHedges,
  id: "hedges",
  title: "Moonlit Hedges",
  hint: "Arrows walk. Eat every berry, mind the four wisps",
});
stage.open();
