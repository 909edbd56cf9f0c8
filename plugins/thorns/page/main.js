"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Thorns(Number(queryWord("room", "1"))),
  art: drawThorns,
  id: "thorns",
  title: "Thorn Rooms",
  hint: "← and → run, ↑ jumps: a tap hops, holding leaps",
});
stage.open();
