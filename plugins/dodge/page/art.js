"use strict";

/* How the dodge maze looks. Figures, gems and sweepers have plain colours of their own. */

const CELL = 40;
const TOP = 40;
const COLOURS = {
  night: "#0d0f1c", floor: "#1a1d33", lane: "#141628", edge: "#23274a", wall: "#454c7d", wallTop: "#5a63a0",
  label: "#8f96c2", empty: "#2b3054", pip: "#f1efe2", heart: "#f25f8a", sweeper: "#c84bff", sight: "#ffffff", open: "#f7e9b0",
  eye: "#161a2e",
};
const FIGURES = {
  ember: { body: "#ff8a3d", gem: "#ffc29a", home: "#8f4a1d" },
  frost: { body: "#3dc1ff", gem: "#a9e4ff", home: "#1d5f8f" },
};

function drawDodge(ctx, game) {
  ctx.fillStyle = COLOURS.night;
  ctx.fillRect(0, 0, 600, 480);
  if (!game.walls) return;
  drawHud(ctx, game);
  game.walls.forEach((row, y) => drawRow(ctx, row, y));
  for (const [role, { home }] of Object.entries(ROLES)) drawHome(ctx, home, role, game.gemsLeft(role) === 0);
  game.left.forEach((gem) => drawGem(ctx, middle(gem), 9, FIGURES[gem.role].gem));
  game.figures.forEach((figure) => drawFigure(ctx, middle(seenAt(figure)), FIGURES[figure.role].body));
  game.sweepers.forEach((sweeper) => drawSweeper(ctx, middle(sweeper), sweeper.way));
}

function middle(cell) {
  return { x: (cell.x + 0.5) * CELL, y: TOP + (cell.y + 0.5) * CELL };
}

function disc(ctx, x, y, radius, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

function drawHud(ctx, game) {
  drawLabel(ctx, "Level", 14, 20, COLOURS.label);
  for (let pip = 0; pip < LEVELS; pip += 1) {
    ctx.fillStyle = pip < game.level ? COLOURS.pip : COLOURS.empty;
    ctx.fillRect(62 + 20 * pip, 13, 14, 14);
  }
  drawLabel(ctx, "Ember", 168, 20, FIGURES.ember.body);
  drawCount(ctx, game, "ember", 222);
  drawLabel(ctx, "Frost", 304, 20, FIGURES.frost.body);
  drawCount(ctx, game, "frost", 364);
  drawLabel(ctx, "Lives", 442, 20, COLOURS.label);
  for (let life = 0; life < LIVES; life += 1) {
    disc(ctx, 492 + 22 * life, 20, 7, life < game.lives ? COLOURS.heart : COLOURS.empty);
  }
}

/* Which of a figure's gems are gathered. */
function drawCount(ctx, game, role, x) {
  const gathered = GEMS - game.gemsLeft(role);
  for (let gem = 0; gem < GEMS; gem += 1) {
    drawGem(ctx, { x: x + 22 * gem, y: 20 }, 8, gem < gathered ? FIGURES[role].gem : COLOURS.empty);
  }
}

function drawRow(ctx, row, y) {
  const top = TOP + y * CELL;
  ctx.fillStyle = MAZE.lanes.includes(y) ? COLOURS.lane : COLOURS.floor;
  ctx.fillRect(0, top, 600, CELL);
  ctx.fillStyle = COLOURS.edge;
  ctx.fillRect(0, top, 600, 1);
  row.forEach((wall, x) => {
    if (!wall) return;
    ctx.fillStyle = COLOURS.wall;
    ctx.fillRect(x * CELL + 1, top + 1, CELL - 2, CELL - 2);
    ctx.fillStyle = COLOURS.wallTop;
    ctx.fillRect(x * CELL + 1, top + 1, CELL - 2, 6);
  });
}

function drawHome(ctx, cell, role, open) {
  const { x, y } = middle(cell);
  ctx.fillStyle = FIGURES[role].home;
  ctx.fillRect(x - 18, y - 18, 36, 36);
  ctx.strokeStyle = open ? COLOURS.open : COLOURS.empty;
  ctx.lineWidth = 3;
  ctx.strokeRect(x - 16.5, y - 16.5, 33, 33);
}

function drawGem(ctx, { x, y }, reach, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y - reach);
  ctx.lineTo(x + reach, y);
  ctx.lineTo(x, y + reach);
  ctx.lineTo(x - reach, y);
  ctx.fill();
}

function drawFigure(ctx, { x, y }, colour) {
  disc(ctx, x, y, 13, colour);
  disc(ctx, x - 5, y - 4, 2.4, COLOURS.eye);
  disc(ctx, x + 5, y - 4, 2.4, COLOURS.eye);
}

/* Its white eye looks where it goes. */
function drawSweeper(ctx, { x, y }, way) {
  disc(ctx, x, y, 15, COLOURS.sweeper);
  disc(ctx, x + 7 * way, y, 5, COLOURS.sight);
}
