"use strict";

/*
 * How the hopper looks. Its body, each kind of ledge, springs and stars have plain colours of their own. The streak
 * behind it is as long as its way of a sixteenth of a second: below it while it rises, above it while it falls.
 */

const LEDGES = {
  solid: ["#43c77e", "#2b8f5d"], moving: ["#4aa3ff", "#2a6fc4"], brittle: ["#d9a066", "#a06f3c"],
};
const HOPPER = { body: "#ff7433", belly: "#ffd9b8", streak: "#ffb489", eye: "#2a1f3d" };
const SPRING_COLOUR = "#ff3d86";
const STAR_COLOUR = "#fff07a";
const STREAK_S = 1 / 16;
const SKIES = [
  [0, "#bfe8f5", "#7fc6ea"], [2500, "#8fc4f0", "#4f86d6"], [5200, "#6a6fd0", "#2f2f86"], [7800, "#2b2460", "#0d0b28"],
  [11000, "#1a1440", "#070616"],
];

function drawHopper(ctx, game, steps) {
  const camera = game.ledges ? game.camera : 0;
  drawSky(ctx, camera);
  drawFar(ctx, camera, steps);
  if (!game.ledges) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(0, LOWEST_Y + camera);
  drawMeadow(ctx);
  for (const ledge of game.ledges) drawLedge(ctx, ledge, steps);
  for (const shift of [-VIEW.width, 0, VIEW.width]) {
    if (Math.abs(game.x + shift - VIEW.width / 2) < VIEW.width / 2 + 40) drawBody(ctx, game, shift);
  }
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [["Metres", game.metres, 14, 60], ["Stars", game.stars, 180, 50]]);
  drawGoal(ctx, game);
}

function drawSky(ctx, camera) {
  const next = Math.max(1, SKIES.findIndex(([height], at) => height > camera || at === SKIES.length - 1));
  const [[low], [high]] = [SKIES[next - 1], SKIES[next]];
  const paint = (at) => backdrop(`sky${at}`, VIEW.width, VIEW.height, (pen) => {
    const sky = pen.createLinearGradient(0, 0, 0, VIEW.height);
    sky.addColorStop(0, SKIES[at][2]);
    sky.addColorStop(1, SKIES[at][1]);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, VIEW.width, VIEW.height);
  });
  ctx.drawImage(paint(next - 1), 0, 0);
  ctx.globalAlpha = Math.min(1, Math.max(0, (camera - low) / (high - low)));
  ctx.drawImage(paint(next), 0, 0);
  ctx.globalAlpha = 1;
}

/* Clouds low down, stars high up: both come down slower than the ledges. */
function drawFar(ctx, camera, steps) {
  const cloudy = Math.max(0, 1 - camera / 6500);
  const cloud = backdrop("cloud", 150, 70, (pen) => {
    for (const [x, y, reach] of [[34, 44, 22], [66, 32, 28], [104, 40, 24], [80, 48, 20]]) disc(pen, x, y, reach, "#ffffff");
  });
  ctx.globalAlpha = 0.55 * cloudy;
  for (let at = 0; at < 6 && cloudy > 0; at += 1) {
    const y = ((scatter(at + 5) * 900 + camera * (0.18 + 0.1 * scatter(at))) % 900) - 120;
    ctx.drawImage(cloud, Math.round(scatter(at + 40) * 460 - 90), Math.round(y));
  }
  const starry = Math.min(1, Math.max(0, (camera - 4200) / 3000));
  ctx.fillStyle = "#e6e9ff";
  for (let star = 0; star < 60 && starry > 0; star += 1) {
    ctx.globalAlpha = starry * (0.4 + 0.4 * Math.sin(steps / 30 + star));
    const y = ((scatter(star + 300) * 700 + camera * 0.06) % 700) - 40;
    ctx.fillRect(Math.round(scatter(star + 500) * VIEW.width), Math.round(y), 2, 2);
  }
  ctx.globalAlpha = 1;
}

function drawMeadow(ctx) {
  slab(ctx, -10, -8, VIEW.width + 20, 400, 0, "#5aa06a");
  slab(ctx, -10, -8, VIEW.width + 20, 7, 0, "#7cc07c");
  for (let tuft = 0; tuft < 26; tuft += 1) {
    const x = 17 * tuft + 8 * scatter(tuft);
    slab(ctx, x, -14 - 6 * scatter(tuft + 9), 3, 14, 1, "#7cc07c");
  }
}

function drawLedge(ctx, { kind, x, at, width, spring, sprung, star }, steps) {
  const [face, shade] = LEDGES[kind];
  const left = x - width / 2;
  slab(ctx, left, -at, width, LEDGE.height, 7, shade);
  slab(ctx, left, -at, width, LEDGE.height - 5, 5, face);
  if (kind === "brittle") {
    ctx.fillStyle = shade;
    for (const crack of [0.28, 0.52, 0.76]) ctx.fillRect(Math.round(left + crack * width), -at + 2, 2, 7);
  }
  if (spring) drawSpring(ctx, x, -at, sprung);
  if (star) drawStar(ctx, x, -at - 44 + 3 * Math.sin(steps / 14 + x));
}

function drawSpring(ctx, x, y, sprung) {
  const high = sprung ? 22 : 12;
  ctx.strokeStyle = "#8c8fa6";
  ctx.lineWidth = 3;
  ctx.beginPath();
  for (let turn = 0; turn <= 4; turn += 1) ctx.lineTo(x + (turn % 2 ? 9 : -9), y - (high * turn) / 4);
  ctx.stroke();
  slab(ctx, x - 14, y - high - 5, 28, 6, 3, SPRING_COLOUR);
}

function drawStar(ctx, x, y) {
  ctx.fillStyle = STAR_COLOUR;
  ctx.beginPath();
  for (let point = 0; point < 10; point += 1) {
    const reach = point % 2 ? 5 : 12;
    const angle = (point * Math.PI) / 5 - Math.PI / 2;
    ctx.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle));
  }
  ctx.fill();
}

function drawBody(ctx, game, shift) {
  const [x, feet] = [game.x + shift, -game.height];
  const length = Math.abs(game.vy) * STREAK_S;
  slab(ctx, x - 4, game.vy > 0 ? feet + 2 : feet - 46 - length, 8, length, 3, HOPPER.streak);
  ctx.save();
  ctx.translate(x, feet);
  const flat = game.squash / 30;
  ctx.scale(1 + flat, 1 - flat);
  const lean = game.vx / 60;
  for (const side of [-1, 1]) {
    ctx.fillStyle = HOPPER.body;
    ctx.beginPath();
    ctx.ellipse(side * 8 - lean, -36, 5, 13, side * 0.25 - lean * 0.06, 0, 2 * Math.PI);
    ctx.fill();
    slab(ctx, side * 8 - 6, -5, 12, 6, 3, "#b94a1c");
  }
  disc(ctx, 0, -17, 16, HOPPER.body);
  ctx.fillStyle = HOPPER.belly;
  ctx.beginPath();
  ctx.ellipse(lean, -11, 9, 8, 0, 0, 2 * Math.PI);
  ctx.fill();
  disc(ctx, -5 + lean, -22, 2.6, HOPPER.eye);
  disc(ctx, 5 + lean, -22, 2.6, HOPPER.eye);
  ctx.restore();
}

/* How far it still is to the goal, as a line at the right. */
function drawGoal(ctx, game) {
  drawLabel(ctx, "Moon", 290, 21, BAR.label);
  slab(ctx, 336, 16, 90, 10, 5, "#212b49");
  slab(ctx, 336, 16, Math.max(10, (90 * game.metres) / GOAL_M), 10, 5, "#c9a6ff");
}
