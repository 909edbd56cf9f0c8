"use strict";
// How Mines looks: flat colours at fixed places, numbers as dots.

const WIDTH = 480;
const HEIGHT = 560;
const BOARD = { x: 20, y: 100, cell: 44 };
const FACE = { x: 204, y: 16, width: 72, height: 64 };
const FONT = "system-ui, 'DejaVu Sans', sans-serif";
const DOT = 4;

const COLOURS = {
  ground: "#1b2027", closed: "#5d7389", edge: "#7f97ae", shade: "#465869", open: "#e8e3d6", line: "#d3ccba",
  box: "#2a323c", ink: "#f4f1e8", dim: "#93a0ae", flag: "#f2545b", pole: "#1b2027", mine: "#22262c",
  hit: "#d93a3a", cursor: "#ffd166", won: "#6fcf97", lost: "#e0565b", face: "#ffd166", faceInk: "#2b2417",
};
const NUMBER_COLOURS = ["", "#2d6cdf", "#2c8a4b", "#d0342c", "#5b2fa6", "#9a4b16", "#12808a", "#2b2b2b", "#76706a"];

const cellX = (cell) => BOARD.x + (cell % SIDE) * BOARD.cell;
const cellY = (cell) => BOARD.y + Math.floor(cell / SIDE) * BOARD.cell;

function rect(pen, x, y, width, height, colour) {
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, height);
}

function round(pen, x, y, width, height, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
  pen.fill();
}

function disc(pen, x, y, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function words(pen, text, x, y, size, align) {
  pen.fillStyle = COLOURS.dim;
  pen.font = `700 ${size}px ${FONT}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(text, x, y);
}

function paintMine(pen, x, y) {
  const middle = BOARD.cell / 2;
  pen.strokeStyle = COLOURS.mine;
  pen.lineWidth = 3;
  for (let i = 0; i < 4; i += 1) {
    const angle = (i * Math.PI) / 4;
    pen.beginPath();
    pen.moveTo(x + middle - 14 * Math.cos(angle), y + middle - 14 * Math.sin(angle));
    pen.lineTo(x + middle + 14 * Math.cos(angle), y + middle + 14 * Math.sin(angle));
    pen.stroke();
  }
  disc(pen, x + middle, y + middle, 10, COLOURS.mine);
  disc(pen, x + middle - 3, y + middle - 4, 2.5, COLOURS.ink);
}

function paintFlag(pen, x, y) {
  rect(pen, x + 15, y + 10, 3, 24, COLOURS.pole);
  rect(pen, x + 10, y + 32, 13, 3, COLOURS.pole);
  pen.fillStyle = COLOURS.flag;
  pen.beginPath();
  pen.moveTo(x + 18, y + 9);
  pen.lineTo(x + 35, y + 16);
  pen.lineTo(x + 18, y + 24);
  pen.fill();
}

function paintCell(pen, game, cell) {
  const [x, y, side] = [cellX(cell), cellY(cell), BOARD.cell];
  const mine = game.hit >= 0 && game.mined[cell] && !game.flagged[cell];
  if (game.open[cell] || mine) {
    rect(pen, x, y, side, side, COLOURS.line);
    rect(pen, x + 1, y + 1, side - 2, side - 2, cell === game.hit ? COLOURS.hit : COLOURS.open);
    const near = game.near(cell);
    if (mine) paintMine(pen, x, y);
    else if (near) drawNumber(pen, near, x + 32, y + 8, DOT, NUMBER_COLOURS[near]);
    return;
  }
  rect(pen, x, y, side, side, COLOURS.ground);
  rect(pen, x + 1, y + 1, side - 2, side - 2, COLOURS.shade);
  rect(pen, x + 1, y + 1, side - 5, side - 5, COLOURS.edge);
  rect(pen, x + 4, y + 4, side - 8, side - 8, COLOURS.closed);
  if (game.flagged[cell]) paintFlag(pen, x, y);
}

function paintCounter(pen, label, number, right) {
  round(pen, right - 130, 16, 130, 64, 9, COLOURS.box);
  words(pen, label, right - 14, 32, 12, "right");
  drawNumber(pen, number, right - 14, 46, 3, COLOURS.ink);
}

// The face is calm, glad or dazed; its button's colour says how the game stands.
function paintFace(pen, game) {
  const colour = game.won ? COLOURS.won : game.over ? COLOURS.lost : COLOURS.box;
  round(pen, FACE.x, FACE.y, FACE.width, FACE.height, 9, colour);
  const [x, y] = [FACE.x + FACE.width / 2, FACE.y + FACE.height / 2];
  disc(pen, x, y, 22, COLOURS.face);
  pen.strokeStyle = pen.fillStyle = COLOURS.faceInk;
  pen.lineWidth = 3;
  for (const side of [-8, 8]) {
    if (game.hit < 0) {
      disc(pen, x + side, y - 5, 3, COLOURS.faceInk);
      continue;
    }
    pen.beginPath();
    for (const slope of [-1, 1]) {
      pen.moveTo(x + side - 4, y - 5 - 4 * slope);
      pen.lineTo(x + side + 4, y - 5 + 4 * slope);
    }
    pen.stroke();
  }
  pen.beginPath();
  if (game.hit >= 0) pen.arc(x, y + 14, 7, 1.15 * Math.PI, 1.85 * Math.PI);
  else pen.arc(x, y + (game.won ? 3 : 1), game.won ? 11 : 10, 0.15 * Math.PI, 0.85 * Math.PI);
  pen.stroke();
}

function paint(pen, game, cursor) {
  rect(pen, 0, 0, WIDTH, HEIGHT, COLOURS.ground);
  paintCounter(pen, "MINES LEFT", game.count - game.flags, 150);
  paintCounter(pen, "OPENED", game.opened, 460);
  paintFace(pen, game);
  for (let cell = 0; cell < CELLS; cell += 1) paintCell(pen, game, cell);
  if (cursor >= 0) {
    pen.strokeStyle = COLOURS.cursor;
    pen.lineWidth = 3;
    pen.strokeRect(cellX(cursor) + 1.5, cellY(cursor) + 1.5, BOARD.cell - 3, BOARD.cell - 3);
  }
}
