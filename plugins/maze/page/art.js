"use strict";

/* How Maze looks. The middle of each cell has the plain colour of what is there. */

const CELL = 32;
const TOP = 40;
const COLOURS = {
  night: "#0c0f1a", wall: "#39426b", wallTop: "#4a5586", floor: "#171c2e", dark: "#06070c", label: "#8e97bd",
  number: "#f2f0e4", walker: "#6ff0c0", eye: "#10202c", exit: "#f2f2ff", lamp: "#ffb347", empty: "#2a3050",
};
const KEYS = { red: "#ff6b6b", blue: "#58a6ff", yellow: "#ffd84d" };
const DOORS = { red: "#b0353f", blue: "#2a5fb0", yellow: "#a87f1e" };

function drawMaze(ctx, game) {
  ctx.fillStyle = COLOURS.night;
  ctx.fillRect(0, 0, 480, 520);
  if (!game.maze) return;
  drawHud(ctx, game);
  game.maze.walls.forEach((row, y) => row.forEach((wall, x) => drawCell(ctx, game, wall, x, y)));
  const seen = (one) => game.seen[one.y][one.x];
  if (seen(game.maze.exit)) drawExit(ctx, middle(game.maze.exit));
  game.maze.doors.filter(seen).forEach((door) => drawDoor(ctx, middle(door), DOORS[door.colour]));
  game.maze.keys.filter(seen).forEach((key) => drawKey(ctx, middle(key), KEYS[key.colour]));
  drawWalker(ctx, middle(game.walker));
}

function middle(cell) {
  return { x: (cell.x + 0.5) * CELL, y: TOP + (cell.y + 0.5) * CELL };
}

function drawHud(ctx, game) {
  drawLabel(ctx, "Maze", 14, 20, COLOURS.label);
  drawNumber(ctx, game.level, 58, 10, 3, COLOURS.number);
  drawLabel(ctx, "Score", 92, 20, COLOURS.label);
  drawNumber(ctx, game.score, 142, 10, 3, COLOURS.number);
  COLOUR_NAMES.forEach((name, at) => {
    const place = { x: 236 + 34 * at, y: 20 };
    drawKey(ctx, place, game.carried.includes(name) ? KEYS[name] : COLOURS.empty);
  });
  drawLabel(ctx, "Lamp", 336, 20, COLOURS.label);
  ctx.fillStyle = COLOURS.empty;
  ctx.fillRect(376, 13, 92, 14);
  ctx.fillStyle = COLOURS.lamp;
  ctx.fillRect(376, 13, Math.round((92 * game.lamp) / game.lampFull), 14);
}

function drawCell(ctx, game, wall, x, y) {
  const [left, top] = [x * CELL, TOP + y * CELL];
  ctx.fillStyle = !game.seen[y][x] ? COLOURS.dark : wall ? COLOURS.wall : COLOURS.floor;
  ctx.fillRect(left, top, CELL, CELL);
  if (!wall || !game.seen[y][x]) return;
  ctx.fillStyle = COLOURS.wallTop;
  ctx.fillRect(left, top, CELL, 5);
}

function drawExit(ctx, { x, y }) {
  ctx.fillStyle = COLOURS.exit;
  ctx.beginPath();
  for (let at = 0; at < 10; at += 1) {
    const reach = at % 2 ? 6 : 14;
    ctx.lineTo(x + reach * Math.sin((at * Math.PI) / 5), y - reach * Math.cos((at * Math.PI) / 5));
  }
  ctx.fill();
}

function drawDoor(ctx, { x, y }, colour) {
  ctx.fillStyle = colour;
  ctx.fillRect(x - 15, y - 15, 30, 30);
  ctx.fillStyle = "rgba(0, 0, 0, 0.35)";
  ctx.fillRect(x - 15, y - 15, 4, 30);
  ctx.fillRect(x + 11, y - 15, 4, 30);
  ctx.beginPath();
  ctx.arc(x + 6, y + 6, 3, 0, 2 * Math.PI);
  ctx.fill();
}

function drawKey(ctx, { x, y }, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x - 5, y, 7, 0, 2 * Math.PI);
  ctx.fill();
  ctx.fillRect(x - 2, y - 2, 15, 5);
  ctx.fillRect(x + 5, y, 3, 7);
  ctx.fillRect(x + 10, y, 3, 7);
  ctx.fillStyle = COLOURS.floor;
  ctx.beginPath();
  ctx.arc(x - 7, y, 2.5, 0, 2 * Math.PI);
  ctx.fill();
}

function drawWalker(ctx, { x, y }) {
  ctx.fillStyle = COLOURS.walker;
  ctx.beginPath();
  ctx.arc(x, y, 12, 0, 2 * Math.PI);
  ctx.fill();
  ctx.fillStyle = COLOURS.eye;
  for (const side of [-5, 5]) {
    ctx.beginPath();
    ctx.arc(x + side, y - 4, 2.2, 0, 2 * Math.PI);
    ctx.fill();
  }
}
