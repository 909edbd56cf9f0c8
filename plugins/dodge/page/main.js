"use strict";

const stage = new Stage({
  canvas: document.getElementById("stage"),
  game: new Dodge({ firstLevel: Number(queryWord("level", "1")), partner: queryWord("partner", "") }),
  art: drawDodge,
  id: "dodge",
  title: "Dodge",
  hint: "Ember: W A S D. Frost: arrows. Gems, then home",
});
stage.open();
