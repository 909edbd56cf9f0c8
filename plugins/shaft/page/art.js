"use strict";

/* How the shaft looks. The miner, each kind of plank and crystals have plain colours of their own. */

const PLANKS = { stone: ["#7f8fb5", "#56648c"], brittle: ["#c98f5a", "#8c5c34"], spikes: ["#e0435c", "#8d2238"] };
const SUIT = "#ffb13d";
const CRYSTAL = "#62e6ff";

function drawShaft(ctx, game, steps) {
  const view = game.planks ? game.view : 0;
  ctx.drawImage(backdrop("rock", VIEW.width, VIEW.height, paintRock), 0, 0);
  drawWalls(ctx, view);
  if (!game.planks) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(0, -view);
  ctx.globalAlpha = 0.12;
  disc(ctx, game.x + 10 * game.way, game.depth - 24, 46, "#ffe9a8"); // the lamp's light falls on the rock alone
  ctx.globalAlpha = 1;
  for (const plank of game.planks) drawPlank(ctx, plank, steps);
  drawMiner(ctx, game, steps);
  game.sparks.draw(ctx);
  ctx.restore();
  drawCeiling(ctx);
  drawBar(ctx, [["Floors", game.floors, 14, 58], ["Crystals", game.crystals, 160, 76]], { most: LIVES, left: game.lives });
}

function paintRock(pen) {
  const rock = pen.createLinearGradient(0, 0, 0, VIEW.height);
  rock.addColorStop(0, "#141a33");
  rock.addColorStop(1, "#1d1436");
  pen.fillStyle = rock;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
}

/* Layers of rock with dim crystals: they rise slower than the planks. */
function drawWalls(ctx, view) {
  for (let stone = 0; stone < 34; stone += 1) {
    const slow = stone % 2 ? 0.35 : 0.55;
    const y = 700 - ((scatter(stone) * 760 + view * slow) % 760);
    const wide = 46 + 80 * scatter(stone + 50);
    slab(ctx, scatter(stone + 90) * VIEW.width - wide / 2, y, wide, 16 + 22 * scatter(stone + 7), 9, stone % 2 ? "#1b2142" : "#212850");
    if (stone % 5) continue;
    ctx.globalAlpha = 0.35;
    drawGem(ctx, scatter(stone + 90) * VIEW.width, y, 9, "#5d7de0");
    ctx.globalAlpha = 1;
  }
}

function drawGem(ctx, x, y, reach, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y - reach);
  ctx.lineTo(x + reach * 0.7, y);
  ctx.lineTo(x, y + reach);
  ctx.lineTo(x - reach * 0.7, y);
  ctx.fill();
}

function drawPlank(ctx, { kind, x, at, crystal, stood }, steps) {
  const [face, shade] = PLANKS[kind];
  const left = x - PLANK.width / 2 + (kind === "brittle" && stood ? (stood % 4 < 2 ? 1 : -1) : 0);
  slab(ctx, left, at, PLANK.width, PLANK.height, 4, shade);
  slab(ctx, left, at, PLANK.width, PLANK.height - 5, 3, face);
  ctx.fillStyle = shade;
  if (kind === "brittle") for (const crack of [20, 47, 74]) ctx.fillRect(left + crack, at + 3, 3, 6);
  if (kind === "spikes") drawTeeth(ctx, left, at + 1, PLANK.width, -12, face);
  if (crystal) drawGem(ctx, x, at - 18 + 2 * Math.sin(steps / 15 + x), 11, CRYSTAL);
}

function drawTeeth(ctx, left, y, width, high, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (let tooth = 0; tooth < width; tooth += 12) {
    ctx.moveTo(left + tooth, y);
    ctx.lineTo(left + tooth + 6, y + high);
    ctx.lineTo(left + tooth + 12, y);
  }
  ctx.fill();
}

function drawCeiling(ctx) {
  ctx.fillStyle = "#3a4166";
  ctx.fillRect(0, 40, VIEW.width, 8);
  drawTeeth(ctx, 0, 48, VIEW.width + 12, 14, "#b8c0e0");
}

function drawMiner(ctx, game, steps) {
  if (game.safe % 10 > 6) return;
  const stride = game.on ? 3 * Math.sin(steps / 4) : 4;
  ctx.save();
  ctx.translate(game.x, game.depth);
  slab(ctx, -8 + stride, -8, 6, 8, 2, "#33406e");
  slab(ctx, 2 - stride, -8, 6, 8, 2, "#33406e");
  slab(ctx, -12, -26, 24, 20, 6, SUIT);
  disc(ctx, 2 * game.way, -27, 8, "#f4d6c0");
  slab(ctx, -11, -37, 22, 8, 4, "#5470c6");
  disc(ctx, 9 * game.way, -33, 3.5, "#fff8d8");
  ctx.restore();
}
