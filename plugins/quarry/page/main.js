"use strict";

const canvas = document.getElementById("stage");
const game = new BlockHill({ kind: queryWord("kind", "") });
const stage = new Stage({
  canvas,
  game,
  art: drawBlockHill,
  id: "quarry",
  title: "Block Hill",
  hint: "W A S D walk, mouse or arrows look, E mines, Q places",
});
stage.open();

/* A click takes the pointer; from then on the mouse looks round, its left button mines and its right one places. */
const BUTTONS = { 0: "e", 2: "q" };
const holdsPointer = () => document.pointerLockElement === canvas;
canvas.addEventListener("mousedown", (event) => {
  if (stage.status === "menu") stage.pressed("enter");
  if (!holdsPointer()) canvas.requestPointerLock();
  else if (event.button in BUTTONS) stage.pressed(BUTTONS[event.button]);
});
window.addEventListener("mouseup", (event) => stage.keys.release(BUTTONS[event.button]));
window.addEventListener("mousemove", (event) => {
  if (holdsPointer() && stage.status === "playing") game.look(event.movementX * LOOK.degrees, event.movementY * LOOK.degrees);
});
window.addEventListener("contextmenu", (event) => event.preventDefault());
