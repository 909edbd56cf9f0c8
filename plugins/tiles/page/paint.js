"use strict";
// How Tiles looks: flat colours at fixed places. While tiles move the board is lighter.

const WIDTH = 480;
const HEIGHT = 640;
const BOARD = { x: 20, y: 92, side: 440, gap: 12, cell: 95 };
const PADS = { y: 548, height: 72 };
const PANEL = { x: 60, y: 232, width: 360, height: 160 };
const SLIDE_MS = 80;
const APPEAR_MS = 70;
const FONT = "system-ui, 'DejaVu Sans', sans-serif";

const COLOURS = {
  ground: "#14181f", board: "#1f2630", restless: "#283242", empty: "#2b3442", ink: "#f4f1e8", dim: "#8b97a8",
  moved: "#6fcf97", refused: "#e0565b", panel: "#f4ead2", panelInk: "#2a2233",
};
const TILE_COLOURS = {
  2: "#3a5680", 4: "#3f7f9f", 8: "#3fa6a0", 16: "#52b97c", 32: "#9cc44f", 64: "#e2c63f", 128: "#f0a033",
  256: "#ee7436", 512: "#dd4a4f", 1024: "#cf4390", 2048: "#a44bd6", 4096: "#7468f5", 8192: "#dfe6f2",
  16384: "#b59a6a", 32768: "#7d8794", 65536: "#101010",
};
const DARK_LABELS = new Set([32, 64, 128, 8192, 16384]);

const cellX = (cell) => BOARD.x + BOARD.gap + (cell % SIDE) * (BOARD.cell + BOARD.gap);
const cellY = (cell) => BOARD.y + BOARD.gap + Math.floor(cell / SIDE) * (BOARD.cell + BOARD.gap);
const padX = (index) => cellX(index);

function box(pen, x, y, width, height, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
  pen.fill();
}

function words(pen, text, x, y, size, colour, align = "left", weight = 600) {
  pen.fillStyle = colour;
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(text, x, y);
}

function paintTile(pen, value, x, y) {
  box(pen, x, y, BOARD.cell, BOARD.cell, 9, TILE_COLOURS[value]);
  const size = value < 100 ? 42 : value < 1000 ? 36 : value < 10000 ? 28 : 22;
  const ink = DARK_LABELS.has(value) ? COLOURS.panelInk : "#ffffff";
  words(pen, String(value), x + BOARD.cell / 2, y + BOARD.cell / 2 + 2, size, ink, "center", 700);
}

function paintHeader(pen, game) {
  words(pen, "Tiles", BOARD.x, 40, 38, COLOURS.ink, "left", 800);
  words(pen, "join equal tiles", BOARD.x + 2, 70, 14, COLOURS.dim);
  for (const [label, value, x, width] of [["MOVES", game.moves, 196, 110], ["SCORE", game.score, 318, 142]]) {
    box(pen, x, 16, width, 64, 9, COLOURS.board);
    words(pen, label, x + width - 14, 32, 12, COLOURS.dim, "right", 700);
    drawNumber(pen, value, x + width - 14, 46, 3, COLOURS.ink);
  }
}

function paintPads(pen, game) {
  DIRECTIONS.forEach((direction, i) => {
    const moved = game.last === direction;
    const refused = game.refused === direction;
    const colour = moved ? COLOURS.moved : refused ? COLOURS.refused : COLOURS.empty;
    box(pen, padX(i), PADS.y, BOARD.cell, PADS.height, 9, colour);
    pen.save();
    pen.translate(padX(i) + BOARD.cell / 2, PADS.y + PADS.height / 2);
    pen.rotate({ left: Math.PI, up: -Math.PI / 2, down: Math.PI / 2, right: 0 }[direction]);
    pen.fillStyle = moved || refused ? COLOURS.ground : COLOURS.ink;
    pen.beginPath();
    pen.moveTo(14, 0);
    pen.lineTo(-9, -14);
    pen.lineTo(-9, 14);
    pen.fill();
    pen.restore();
  });
}

function paintPanel(pen, game) {
  box(pen, PANEL.x, PANEL.y, PANEL.width, PANEL.height, 14, COLOURS.panel);
  const middle = PANEL.x + PANEL.width / 2;
  words(pen, game.largest >= 2048 ? "Well joined" : "No move left", middle, PANEL.y + 46, 30, COLOURS.panelInk, "center", 800);
  words(pen, `largest tile ${game.largest}`, middle, PANEL.y + 84, 17, COLOURS.panelInk, "center");
  words(pen, "Enter or a click begins anew", middle, PANEL.y + 122, 15, "#7a6f80", "center");
}

// `since`: milliseconds since the last move; `ways`: where its tiles came from.
function paintBoard(pen, game, ways, since) {
  const colour = since < SLIDE_MS + APPEAR_MS ? COLOURS.restless : COLOURS.board;
  box(pen, BOARD.x, BOARD.y, BOARD.side, BOARD.side, 12, colour);
  for (let cell = 0; cell < SIDE * SIDE; cell += 1) {
    box(pen, cellX(cell), cellY(cell), BOARD.cell, BOARD.cell, 9, COLOURS.empty);
  }
  if (ways && since < SLIDE_MS) {
    const share = 1 - (1 - since / SLIDE_MS) ** 2;
    for (const { from, to, value } of ways) {
      paintTile(pen, value, cellX(from) + (cellX(to) - cellX(from)) * share,
        cellY(from) + (cellY(to) - cellY(from)) * share);
    }
    return;
  }
  const shown = Math.min(1, (since - (ways ? SLIDE_MS : 0)) / APPEAR_MS);
  game.cells.forEach((value, cell) => {
    if (!value) return;
    pen.globalAlpha = game.added.includes(cell) ? shown : 1;
    paintTile(pen, value, cellX(cell), cellY(cell));
    pen.globalAlpha = 1;
  });
}

// Returns whether the picture is still moving.
function paint(pen, game, ways, since) {
  box(pen, 0, 0, WIDTH, HEIGHT, 0, COLOURS.ground);
  paintHeader(pen, game);
  paintBoard(pen, game, ways, since);
  paintPads(pen, game);
  const moving = since < SLIDE_MS + APPEAR_MS;
  if (game.over && !moving) paintPanel(pen, game);
  return moving;
}
