"use strict";

/*
 * How the rooms look. The imp, the ground, thorns, gates and their lamps, embers and the door have plain colours of
 * their own. A gate's lamp is as long as its thorns stay sunk: two pixels for three steps.
 */

const COLOURS = {
  back: "#1d1a33", brick: "#252143", brickLight: "#2d284f", ground: "#4a4374", groundTop: "#7d73b8", groundDark: "#3c365f",
  thorn: "#f2487a", thornDark: "#a3265a", sunk: "#6b3a5c", gate: "#0c3b3f", lamp: "#3fe08a", imp: "#6fd3ff", impDark: "#3a93c9",
  eye: "#17203a", ember: "#ffb13d", door: "#ffe08a", frame: "#8a5a34", wax: "#f3ead7", trace: "#39557d",
};
const LAMP_PX = 2 / 3; // of a step

function drawThorns(ctx, game, steps) {
  ctx.drawImage(backdrop("cellar", VIEW.width, VIEW.height, paintCellar), 0, 0);
  if (!game.room) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(0, VIEW.top);
  drawDoor(ctx, game.room, steps);
  ctx.drawImage(backdrop(`room${roomKey(game.room)}`, VIEW.width, ROWS * TILE, (pen) => paintRoom(pen, game.room)), 0, 0);
  for (const gate of game.room.gates) drawGate(ctx, gate, game.room.gateLeft(gate, game.steps));
  for (const { x, y } of game.traces.slice(-12)) disc(ctx, x, y, 3, COLOURS.trace);
  for (const { x, y } of game.left) drawEmber(ctx, x, y, steps);
  drawImp(ctx, game, steps);
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [["Rooms", game.rooms, 14, 58], ["Deaths", game.deaths, 128, 62], ["Embers", game.embers, 270, 66]]);
  drawCandle(ctx, 1 - game.steps / CANDLE_STEPS, steps);
}

/* Only the room that is played is kept painted. */
let painted = { room: null, key: 0 };
function roomKey(room) {
  if (painted.room !== room) {
    backdrops.delete(`room${painted.key}`);
    painted = { room, key: painted.key + 1 };
  }
  return painted.key;
}

function paintCellar(pen) {
  pen.fillStyle = COLOURS.back;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
  for (let row = 0; row < 18; row += 1) {
    for (let column = 0; column < 15; column += 1) {
      const chance = scatter(row * 31 + column);
      if (chance < 0.55) continue;
      slab(pen, column * 46 - (row % 2) * 23, 40 + row * 24, 42, 20, 4, chance > 0.85 ? COLOURS.brickLight : COLOURS.brick);
    }
  }
  for (const x of [120, 330, 540]) {
    const glow = pen.createRadialGradient(x, 150, 4, x, 150, 150);
    glow.addColorStop(0, "rgba(255, 190, 110, 0.22)");
    glow.addColorStop(1, "rgba(255, 190, 110, 0)");
    pen.fillStyle = glow;
    pen.fillRect(x - 150, 0, 300, 300);
    slab(pen, x - 3, 150, 6, 22, 2, "#5d4632");
    disc(pen, x, 146, 6, "#ffd08a");
  }
}

function paintRoom(pen, room) {
  for (let column = 0; column < COLUMNS; column += 1) {
    const [x, y] = [column * TILE, room.ground[column] * TILE];
    pen.fillStyle = COLOURS.ground;
    pen.fillRect(x, y, TILE, ROWS * TILE - y);
    pen.fillStyle = COLOURS.groundDark;
    for (let row = room.ground[column]; row < ROWS; row += 1) {
      if (scatter(row * 17 + column * 5 + room.number) > 0.5) pen.fillRect(x + 6, row * TILE + 14, 18, 8);
    }
    pen.fillStyle = COLOURS.groundTop;
    pen.fillRect(x, y, TILE, 6);
    if (room.thorns.has(column)) drawTeeth(pen, x, y, TILE, 26, COLOURS.thorn, COLOURS.thornDark);
    if (!room.low.has(column)) continue;
    const under = room.low.get(column) * TILE;
    pen.fillStyle = COLOURS.ground;
    pen.fillRect(x, 0, TILE, under);
    pen.fillStyle = COLOURS.groundTop;
    pen.fillRect(x, under - 5, TILE, 5);
    drawTeeth(pen, x, under, TILE, -22, COLOURS.thorn, COLOURS.thornDark);
  }
}

/* A row of teeth with their foot at y; `high` below 0: they hang. */
function drawTeeth(ctx, left, y, width, high, colour, shade) {
  for (let tooth = left; tooth < left + width; tooth += 16) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(tooth, y);
    ctx.lineTo(tooth + 8, y - high);
    ctx.lineTo(tooth + 16, y);
    ctx.fill();
    ctx.fillStyle = shade;
    ctx.beginPath();
    ctx.moveTo(tooth + 11, y);
    ctx.lineTo(tooth + 8, y - high);
    ctx.lineTo(tooth + 16, y);
    ctx.fill();
  }
}

function drawGate(ctx, { column, width, row }, left) {
  const [x, y] = [column * TILE, row * TILE];
  slab(ctx, x, y, width * TILE, 14, 0, COLOURS.gate);
  slab(ctx, x + 4, y + 4, left * LAMP_PX, 6, 0, COLOURS.lamp);
  if (left === 0) drawTeeth(ctx, x, y, width * TILE, 26, COLOURS.thorn, COLOURS.thornDark);
  else drawTeeth(ctx, x, y, width * TILE, left < 24 ? 9 : 4, COLOURS.sunk, COLOURS.sunk);
}

function drawDoor(ctx, room, steps) {
  const foot = room.ground[COLUMNS - 1] * TILE;
  ctx.globalAlpha = 0.16 + 0.04 * Math.sin(steps / 20);
  disc(ctx, 624, foot - 26, 60, COLOURS.door);
  ctx.globalAlpha = 1;
  slab(ctx, 604, foot - 62, 44, 64, 8, COLOURS.frame);
  slab(ctx, 610, foot - 56, 38, 58, 6, COLOURS.door);
}

function drawEmber(ctx, x, y, steps) {
  const glow = 1 + 0.15 * Math.sin(steps / 9 + x);
  ctx.globalAlpha = 0.25;
  disc(ctx, x, y, 15 * glow, COLOURS.ember);
  ctx.globalAlpha = 1;
  disc(ctx, x, y, 8, COLOURS.ember);
}

function drawImp(ctx, game, steps) {
  const { x, y, vx, vy, facing } = game.imp;
  const stride = game.standing && vx ? 4 * Math.sin(steps / 2.5) : 0;
  slab(ctx, x + 3 + stride, y + 22, 6, 6, 2, COLOURS.impDark);
  slab(ctx, x + 11 - stride, y + 22, 6, 6, 2, COLOURS.impDark);
  ctx.fillStyle = COLOURS.impDark; // two horns lie back as it runs
  for (const side of [3, 13]) {
    ctx.beginPath();
    ctx.moveTo(x + side - 2, y + 6);
    ctx.lineTo(x + side + 2 - 3 * facing, y - 6 + Math.min(4, Math.max(-2, vy / 200)));
    ctx.lineTo(x + side + 6, y + 6);
    ctx.fill();
  }
  slab(ctx, x, y + 3, IMP.width, 21, 7, COLOURS.imp);
  disc(ctx, x + 10 + 2.5 * facing - 3, y + 12, 2.2, COLOURS.eye);
  disc(ctx, x + 10 + 2.5 * facing + 4, y + 12, 2.2, COLOURS.eye);
}

/* How much of the candle is left. */
function drawCandle(ctx, share, steps) {
  drawLabel(ctx, "Candle", 410, 21, BAR.label);
  slab(ctx, 470, 15, 150, 12, 3, BAR.edge);
  slab(ctx, 470, 15, Math.max(2, 150 * share), 12, 3, COLOURS.wax);
  disc(ctx, 470 + 150 * share, 21, 6 + Math.sin(steps / 5), "#ffb13d");
}
