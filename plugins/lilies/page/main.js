"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new LilyBounce({ from: Number(queryWord("from", "0")), drift: Number(queryWord("drift", "0")) }),
  art: drawLilyBounce,
  id: "lilies",
  title: "Lily Bounce",
  hint: "Arrows steer the ball from leaf to leaf",
});
stage.open();
