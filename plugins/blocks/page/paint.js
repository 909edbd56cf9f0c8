"use strict";
// How Blocks looks: flat colours at fixed places. What falls is bright, what lies is darker.

const WIDTH = 480;
const HEIGHT = 600;
const WELL = { x: 20, y: 20, cell: 28 };
const SIDE_X = 324;
const SIDE_WIDTH = 136;
const NEXT = { x: 342, y: 58, cell: 25 };
const PANEL = { x: 40, y: 210, width: 240, height: 170 };
const FONT = "system-ui, 'DejaVu Sans', sans-serif";
const FLASH_MS = 180;

const COLOURS = {
  ground: "#10131b", well: "#191e2a", grid: "#212838", frame: "#39435a", flash: "#ffe9a8", box: "#1d2331",
  ink: "#f4f1e8", dim: "#8b97a8", panel: "#f0e6d2", paused: "#cfd8ea", panelInk: "#2a2233", ghost: "#4a5670",
};
const FALLING = {
  I: "#4dd0e1", O: "#ffd54f", T: "#ba68c8", S: "#81c784", Z: "#e57373", J: "#64a0f6", L: "#ff9950",
};
const LYING = {
  I: "#2a8794", O: "#b08f24", T: "#7a3f86", S: "#3f8a4e", Z: "#a33f4f", J: "#3763ab", L: "#b5642a", G: "#6c7484",
};

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

function words(pen, text, x, y, size, colour, align = "left", weight = 700) {
  pen.fillStyle = colour;
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(text, x, y);
}

function brick(pen, x, y, side, colour) {
  rect(pen, x + 1, y + 1, side - 2, side - 2, colour);
  pen.fillStyle = "rgba(255, 255, 255, 0.35)";
  pen.fillRect(x + 1, y + 1, side - 2, 3);
  pen.fillRect(x + 1, y + 4, 3, side - 5);
  pen.fillStyle = "rgba(0, 0, 0, 0.28)";
  pen.fillRect(x + 1, y + side - 4, side - 2, 3);
  pen.fillRect(x + side - 4, y + 1, 3, side - 5);
}

const wellX = (column) => WELL.x + column * WELL.cell;
const wellY = (row) => WELL.y + row * WELL.cell;

function paintWell(pen, game, flash) {
  const [width, height] = [COLUMNS * WELL.cell, ROWS * WELL.cell];
  rect(pen, WELL.x - 5, WELL.y - 5, width + 10, height + 10, flash ? COLOURS.flash : COLOURS.frame);
  rect(pen, WELL.x, WELL.y, width, height, COLOURS.well);
  for (let column = 1; column < COLUMNS; column += 1) rect(pen, wellX(column), WELL.y, 1, height, COLOURS.grid);
  for (let row = 1; row < ROWS; row += 1) rect(pen, WELL.x, wellY(row), width, 1, COLOURS.grid);
  game.rows.forEach((cells, row) => cells.forEach((kind, column) => {
    if (kind) brick(pen, wellX(column), wellY(row), WELL.cell, LYING[kind]);
  }));
  if (game.over) return;
  pen.strokeStyle = COLOURS.ghost;
  pen.lineWidth = 2;
  for (const [x, y] of game.cells(game.landing())) {
    if (y >= 0) pen.strokeRect(wellX(x) + 3, wellY(y) + 3, WELL.cell - 6, WELL.cell - 6);
  }
  for (const [x, y] of game.cells(game.block)) {
    if (y >= 0) brick(pen, wellX(x), wellY(y), WELL.cell, FALLING[game.block.kind]);
  }
}

function paintSide(pen, game) {
  round(pen, SIDE_X, 20, SIDE_WIDTH, 104, 9, COLOURS.box);
  words(pen, "NEXT", SIDE_X + 14, 38, 12, COLOURS.dim);
  for (const [x, y] of CELLS_OF[game.next][0]) {
    brick(pen, NEXT.x + x * NEXT.cell, NEXT.y + y * NEXT.cell, NEXT.cell, FALLING[game.next]);
  }
  const numbers = [["SCORE", game.score], ["LINES", game.lines], ["LEVEL", game.level]];
  numbers.forEach(([label, number], i) => {
    round(pen, SIDE_X, 140 + i * 80, SIDE_WIDTH, 66, 9, COLOURS.box);
    words(pen, label, SIDE_X + SIDE_WIDTH - 14, 157 + i * 80, 12, COLOURS.dim, "right");
    drawNumber(pen, number, SIDE_X + SIDE_WIDTH - 14, 172 + i * 80, 3, COLOURS.ink);
  });
  const keys = [["← →", "move"], ["↑  X", "turn"], ["Z", "turn back"], ["↓", "one row"], ["Space", "drop"], ["P", "pause"]];
  round(pen, SIDE_X, 380, SIDE_WIDTH, 200, 9, COLOURS.box);
  keys.forEach(([key, does], i) => {
    words(pen, key, SIDE_X + 14, 404 + i * 30, 13, COLOURS.ink);
    words(pen, does, SIDE_X + SIDE_WIDTH - 14, 404 + i * 30, 13, COLOURS.dim, "right", 500);
  });
}

function paintPanel(pen, colour, title, line, hint) {
  round(pen, PANEL.x, PANEL.y, PANEL.width, PANEL.height, 12, colour);
  const middle = PANEL.x + PANEL.width / 2;
  words(pen, title, middle, PANEL.y + 48, 30, COLOURS.panelInk, "center", 800);
  words(pen, line, middle, PANEL.y + 90, 16, COLOURS.panelInk, "center", 600);
  words(pen, hint, middle, PANEL.y + 130, 14, "#7a6f80", "center", 600);
}

// `flash`: lines were filled just now.
function paint(pen, game, status, flash) {
  rect(pen, 0, 0, WIDTH, HEIGHT, COLOURS.ground);
  paintWell(pen, game, flash);
  paintSide(pen, game);
  if (status === "ready") paintPanel(pen, COLOURS.panel, "Blocks", "fill whole lines", "Enter or a click begins");
  if (status === "paused") paintPanel(pen, COLOURS.paused, "Paused", "time stands still", "P goes on");
  if (status === "terminal") {
    paintPanel(pen, COLOURS.panel, "Full", `${game.lines} lines, ${game.score} points`, "Enter or a click begins anew");
  }
}
