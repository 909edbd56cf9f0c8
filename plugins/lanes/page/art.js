"use strict";

/*
 * How the lane runner looks. What stands in the way has a plain colour for each kind, and so have coins; nothing
 * else on the road has these colours. The bar at the top right shows the speed.
 */

const COLOURS = { wall: "#e0475b", log: "#f09a2c", gate: "#9a5cff", coin: "#ffe14d" };
const SHADES = { wall: "#a82f45", log: "#b86d17", gate: "#6c38c2" };
const EYE = { horizon: 196, ground: 476, far: 6, lane: 130, metre: 105 };
const METRES = { wall: [0, 1.75], log: [0, 0.5], gate: [1.05, 1.75] };
const ROAD = { even: "#3b3c5c", odd: "#37385a", line: "#5d6090", edge: "#c7b8e8" };

/* How large things are that far ahead: 1 where the runner is. */
const scaleAt = (ahead) => EYE.far / (ahead + EYE.far);
const rowAt = (scale) => EYE.horizon + (EYE.ground - EYE.horizon) * scale;

function drawLanes(ctx, game, steps) {
  ctx.drawImage(backdrop("dusk", VIEW.width, VIEW.height, paintDusk), 0, 0);
  const run = game.things ? game.run : 0;
  drawRoad(ctx, run);
  drawTrees(ctx, run);
  if (!game.things) {
    drawBar(ctx, []);
    return;
  }
  const [before, behind] = [[], []];
  for (const thing of game.things) (thing.at - run >= 0 ? before : behind).push(thing);
  before.sort((near, far) => far.at - near.at).forEach((thing) => drawThing(ctx, thing, run, steps));
  drawRunner(ctx, game, steps);
  behind.sort((near, far) => far.at - near.at).forEach((thing) => drawThing(ctx, thing, run, steps));
  game.sparks.draw(ctx);
  drawBar(ctx, [["Metres", Math.floor(game.run), 14, 60], ["Coins", game.coins, 170, 52]], { most: LIVES, left: game.lives });
  drawSpeed(ctx, game);
}

function paintDusk(pen) {
  const sky = pen.createLinearGradient(0, 0, 0, EYE.horizon);
  sky.addColorStop(0, "#27224f");
  sky.addColorStop(0.55, "#6d3f7c");
  sky.addColorStop(1, "#f3946f");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, EYE.horizon);
  disc(pen, 240, EYE.horizon - 8, 58, "#ffd9a0");
  disc(pen, 240, EYE.horizon - 8, 46, "#ffeccb");
  for (const [colour, base, high] of [["#5b3d74", 34, 70], ["#43305f", 16, 46]]) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(0, EYE.horizon);
    for (let x = 0; x <= VIEW.width; x += 24) {
      const away = Math.abs(x - 240) / 240;
      pen.lineTo(x, EYE.horizon - base * away - high * away * scatter(x + base));
    }
    pen.lineTo(VIEW.width, EYE.horizon);
    pen.fill();
  }
  const meadow = pen.createLinearGradient(0, EYE.horizon, 0, VIEW.height);
  meadow.addColorStop(0, "#5d4a6d");
  meadow.addColorStop(0.25, "#2f4a5a");
  meadow.addColorStop(1, "#1c3440");
  pen.fillStyle = meadow;
  pen.fillRect(0, EYE.horizon, VIEW.width, VIEW.height - EYE.horizon);
}

/* A strip across the road, `from` and `to` metres ahead, between two places counted in lanes. */
function strip(ctx, from, to, left, right, colour) {
  const [near, far] = [scaleAt(from), scaleAt(to)];
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(240 + left * EYE.lane * near, rowAt(near));
  ctx.lineTo(240 + right * EYE.lane * near, rowAt(near));
  ctx.lineTo(240 + right * EYE.lane * far, rowAt(far));
  ctx.lineTo(240 + left * EYE.lane * far, rowAt(far));
  ctx.fill();
}

function drawRoad(ctx, run) {
  strip(ctx, -1.9, 400, -1.62, 1.62, ROAD.edge);
  strip(ctx, -1.9, 400, -1.56, 1.56, ROAD.even);
  const first = Math.floor((run - 2) / 4) * 4;
  for (let at = first; at < run + SIGHT + 12; at += 8) {
    strip(ctx, Math.max(-1.9, at - run), Math.max(-1.9, at + 4 - run), -1.56, 1.56, ROAD.odd);
  }
  for (const line of [-0.5, 0.5]) {
    for (let at = first; at < run + SIGHT; at += 4) {
      strip(ctx, Math.max(-1.9, at - run), Math.max(-1.9, at + 2 - run), line - 0.018, line + 0.018, ROAD.line);
    }
  }
}

function drawTrees(ctx, run) {
  for (let tree = Math.floor((run + SIGHT + 30) / 7); tree > (run - 1) / 7; tree -= 1) {
    const ahead = tree * 7 - run;
    const scale = scaleAt(ahead);
    const side = tree % 2 ? 1 : -1;
    const x = 240 + side * (2.3 + 1.6 * scatter(tree)) * EYE.lane * scale;
    const [y, high] = [rowAt(scale), (2.6 + 1.6 * scatter(tree + 9)) * EYE.metre * scale];
    ctx.globalAlpha = Math.min(1, (SIGHT + 30 - ahead) / 25);
    ctx.fillStyle = "#2a2140";
    ctx.fillRect(x - high * 0.04, y - high * 0.3, high * 0.08, high * 0.3);
    ctx.fillStyle = tree % 3 ? "#22505a" : "#2b5f5c";
    for (const [up, wide] of [[0.2, 0.34], [0.45, 0.27], [0.68, 0.19]]) {
      ctx.beginPath();
      ctx.moveTo(x - wide * high * 0.75, y - up * high);
      ctx.lineTo(x + wide * high * 0.75, y - up * high);
      ctx.lineTo(x, y - (up + 0.36) * high);
      ctx.fill();
    }
  }
  ctx.globalAlpha = 1;
}

function drawThing(ctx, thing, run, steps) {
  const ahead = thing.at - run;
  if (ahead < -2.2) return;
  const scale = scaleAt(ahead);
  const [x, y] = [240 + thing.lane * EYE.lane * scale, rowAt(scale)];
  if (thing.kind === "coin") {
    if (!thing.done) drawCoin(ctx, x, y, scale, steps + 7 * thing.lane);
    return;
  }
  const [low, high] = METRES[thing.kind].map((metres) => metres * EYE.metre * scale);
  const half = 0.44 * EYE.lane * scale;
  ctx.fillStyle = "rgba(10, 10, 30, 0.35)";
  ctx.fillRect(x - half, y - 2 * scale, 2 * half, 12 * scale);
  if (thing.kind === "gate") drawPosts(ctx, x, y, half, high, scale);
  ctx.fillStyle = COLOURS[thing.kind];
  ctx.fillRect(x - half, y - high, 2 * half, high - low);
  ctx.fillStyle = SHADES[thing.kind];
  if (thing.kind === "wall") drawJoints(ctx, x, y, half, high, scale);
  if (thing.kind === "log") ctx.fillRect(x - half, y - high * 0.62, 2 * half, Math.max(1, 5 * scale));
  ctx.fillStyle = "rgba(255, 255, 255, 0.28)";
  ctx.fillRect(x - half, y - high, 2 * half, Math.max(1, 6 * scale));
}

/* A gate's foot has its colour, so that it is seen where it stands. */
function drawPosts(ctx, x, y, half, high, scale) {
  ctx.fillStyle = SHADES.gate;
  ctx.fillRect(x - half, y - high, 8 * scale, high);
  ctx.fillRect(x + half - 8 * scale, y - high, 8 * scale, high);
  ctx.fillStyle = COLOURS.gate;
  ctx.fillRect(x - half, y - 5 * scale, 2 * half, Math.max(2, 9 * scale));
}

function drawJoints(ctx, x, y, half, high, scale) {
  for (let course = 1; course < 5; course += 1) {
    const top = y - (high * course) / 5;
    ctx.fillRect(x - half, top, 2 * half, Math.max(1, 3 * scale));
    ctx.fillRect(x - half + half * (course % 2 ? 0.6 : 1.2), top, Math.max(1, 3 * scale), high / 5);
  }
}

function drawCoin(ctx, x, y, scale, steps) {
  const wide = Math.max(0.25, Math.abs(Math.cos(steps / 12)));
  ctx.save();
  ctx.translate(x, y - 42 * scale);
  ctx.scale(wide, 1);
  disc(ctx, 0, 0, 18 * scale, "#c98d12");
  disc(ctx, 0, 0, 15 * scale, COLOURS.coin);
  ctx.restore();
}

function drawRunner(ctx, game, steps) {
  const x = 240 + game.side * EYE.lane;
  const feet = EYE.ground - game.height * EYE.metre;
  ctx.fillStyle = "rgba(10, 10, 30, 0.4)";
  ctx.beginPath();
  ctx.ellipse(x, EYE.ground, 26, 7, 0, 0, 2 * Math.PI);
  ctx.fill();
  if (game.safe % 10 > 5) return;
  ctx.save();
  ctx.translate(x, feet);
  ctx.rotate((game.lane - game.side) * 0.18);
  if (game.slide > 0) drawSliding(ctx);
  else drawRunning(ctx, game, steps);
  ctx.restore();
}

function drawRunning(ctx, game, steps) {
  const swing = game.jump > 0 ? 0.9 : Math.sin((steps * game.speed) / 70);
  ctx.strokeStyle = "#232447";
  ctx.lineWidth = 9;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(-7, -36);
  ctx.lineTo(-8, -6 - 12 * Math.max(0, swing));
  ctx.moveTo(7, -36);
  ctx.lineTo(8, -6 - 12 * Math.max(0, -swing));
  ctx.stroke();
  slab(ctx, -17, -88, 34, 54, 12, "#2bd9c0");
  slab(ctx, -12, -82, 24, 30, 8, "#157a80");
  ctx.strokeStyle = "#2bd9c0";
  ctx.lineWidth = 8;
  ctx.beginPath();
  ctx.moveTo(-17, -76);
  ctx.lineTo(-25, -56 + 8 * swing);
  ctx.moveTo(17, -76);
  ctx.lineTo(25, -56 - 8 * swing);
  ctx.stroke();
  disc(ctx, 0, -102, 15, "#f4d6c0");
  ctx.fillStyle = "#3a2a4d";
  ctx.beginPath();
  ctx.arc(0, -104, 16, Math.PI, 0);
  ctx.fill();
  slab(ctx, -16, -106, 32, 9, 4, "#3a2a4d");
  ctx.lineCap = "butt";
}

function drawSliding(ctx) {
  slab(ctx, -24, -34, 48, 30, 14, "#2bd9c0");
  slab(ctx, -14, -28, 28, 18, 8, "#157a80");
  disc(ctx, 0, -42, 14, "#3a2a4d");
}

function drawSpeed(ctx, game) {
  drawLabel(ctx, "Speed", 284, 21, BAR.label);
  ctx.fillStyle = "#212b49";
  ctx.fillRect(330, 15, 50, 12);
  ctx.fillStyle = "#39d0ff";
  ctx.fillRect(330, 15, Math.round((50 * game.speed) / SPEED.fastest), 12);
}
