"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Carball({
    rival: queryWord("rival", "red"),
    pace: Number(queryWord("pace", "0.85")),
    goals: Math.min(MATCH.goals, Math.max(1, Number(queryWord("goals", String(MATCH.goals))))),
  }),
  art: drawCarball,
  id: "carball",
  title: "Carball",
  hint: "Blue: W A S D, boost E. Red: arrows, boost L",
});
stage.open();
