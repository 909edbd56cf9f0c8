"use strict";

/*
 * How the evening looks. The bird, its streak, the ground's edge and seeds have plain colours of their own. The streak
 * behind the bird is as long as its way of a sixteenth of a second. Only the sky grows dark.
 */

const LANDS = [
  { fill: "#6aa84f", bands: ["#5b9644", "#7cba60"] }, { fill: "#c98a3d", bands: ["#b5792f", "#dba056"] },
  { fill: "#4f9a94", bands: ["#438681", "#66b0a9"] }, { fill: "#b4587a", bands: ["#9c486a", "#c97394"] },
  { fill: "#6d68b8", bands: ["#5d58a4", "#8681ca"] },
];
const SKIES = [[1, "#7ec8ee", "#e9f6d8"], [0.6, "#8fb8ea", "#ffe3b0"], [0.3, "#7a6fc0", "#ffb07c"], [0.08, "#3a2f6b", "#c25f6e"], [0, "#141236", "#3b2a5c"]];
const EDGE = "#f2ff9e";
const BIRD_COLOURS = { body: "#2f6fe0", belly: "#ffffff", beak: "#ff9d2e", wing: "#1d4aa8", streak: "#ff5fa2", seed: "#ffc81f" };
const STREAK_S = 1 / 16;

function drawWing(ctx, game, steps) {
  const share = game.hills ? Math.max(0, Math.min(1, game.left / game.light)) : 1;
  const camera = game.hills ? { x: game.bird.x - VIEW.birdX, y: game.viewY - VIEW.birdY } : { x: 0, y: 0 };
  drawSky(ctx, share, camera);
  if (!game.hills) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(-Math.round(camera.x), -Math.round(camera.y));
  const { fill, bands } = LANDS[(game.island - 1) % LANDS.length];
  drawHills(ctx, game.hills, {
    left: camera.x, right: camera.x + VIEW.width, bottom: camera.y + VIEW.height, fill,
    bands: [[34, 22, bands[0]], [72, 22, bands[1]], [122, 34, bands[0]], [4, 8, EDGE]],
  });
  for (const { x } of game.seeds) drawSeed(ctx, x, game.hills.height(x) - 22, steps);
  drawBird(ctx, game.bird, steps);
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [
    ["Metres", game.metres, 12, 58], ["Slides", game.slides, 152, 54], ["Seeds", game.gathered, 262, 50], ["Pace", Math.round(game.speed / PER_METRE), 376, 40],
  ]);
  drawLabel(ctx, "Light", 476, 21, BAR.label);
  slab(ctx, 520, 15, 108, 12, 4, BAR.edge);
  slab(ctx, 520, 15, Math.max(2, 108 * share), 12, 4, "#ffc04d");
}

function drawSky(ctx, share, camera) {
  const at = Math.max(1, SKIES.findIndex(([from]) => share >= from));
  const paint = (number) => backdrop(`sky${number}`, VIEW.width, VIEW.height, (pen) => {
    const sky = pen.createLinearGradient(0, 40, 0, VIEW.height);
    sky.addColorStop(0, SKIES[number][1]);
    sky.addColorStop(1, SKIES[number][2]);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, VIEW.width, VIEW.height);
  });
  const [[from], [to]] = [SKIES[at - 1], SKIES[at]];
  ctx.drawImage(paint(at - 1), 0, 0);
  ctx.globalAlpha = Math.min(1, (from - share) / (from - to));
  ctx.drawImage(paint(at), 0, 0);
  ctx.globalAlpha = Math.max(0, 0.5 - 2 * share);
  for (let star = 0; star < 40 && share < 0.25; star += 1) {
    ctx.fillStyle = "#ffffff";
    ctx.fillRect(scatter(star) * VIEW.width, 50 + scatter(star + 70) * 200, 2, 2);
  }
  ctx.globalAlpha = 0.9;
  disc(ctx, 520 - 60 * (1 - share), 110 + 260 * (1 - share), 36, share > 0.4 ? "#fff4c9" : "#ffb27a");
  ctx.globalAlpha = 0.45;
  const cloud = backdrop("cloud", 150, 60, (pen) => {
    for (const [x, y, reach] of [[34, 38, 18], [66, 28, 24], [104, 36, 20], [80, 42, 18]]) disc(pen, x, y, reach, "#ffffff");
  });
  for (let at = 0; at < 6; at += 1) {
    const wide = VIEW.width + 300;
    const x = (((scatter(at + 3) * wide - camera.x * (0.08 + 0.05 * scatter(at))) % wide) + wide) % wide;
    ctx.drawImage(cloud, Math.round(x - 150), Math.round(60 + 130 * scatter(at + 40) - 0.15 * camera.y));
  }
  ctx.globalAlpha = 1;
}

function drawSeed(ctx, x, y, steps) {
  disc(ctx, x, y, 7 + Math.sin(steps / 10 + x), BIRD_COLOURS.seed);
}

function drawBird(ctx, bird, steps) {
  const y = bird.y - 13;
  ctx.strokeStyle = BIRD_COLOURS.streak;
  ctx.lineWidth = 4;
  ctx.beginPath();
  ctx.moveTo(bird.x, y);
  ctx.lineTo(bird.x - bird.vx * STREAK_S, y - bird.vy * STREAK_S);
  ctx.stroke();
  ctx.save();
  ctx.translate(bird.x, y);
  ctx.rotate(Math.atan2(bird.vy, Math.max(1, bird.vx)) * 0.8);
  ctx.fillStyle = BIRD_COLOURS.beak;
  ctx.beginPath();
  ctx.moveTo(11, -4);
  ctx.lineTo(21, 0);
  ctx.lineTo(11, 4);
  ctx.fill();
  disc(ctx, 0, 0, 13, BIRD_COLOURS.body);
  ctx.fillStyle = BIRD_COLOURS.belly;
  ctx.beginPath();
  ctx.ellipse(2, 5, 9, 6, 0, 0, 7);
  ctx.fill();
  disc(ctx, 7, -5, 4, "#ffffff");
  disc(ctx, 8.5, -5, 2, "#15203d");
  const beat = bird.dives ? 0.9 : bird.grounded ? 0.4 : 0.5 * Math.sin(steps / 4) - 0.2;
  ctx.rotate(beat);
  ctx.fillStyle = BIRD_COLOURS.wing;
  ctx.beginPath();
  ctx.ellipse(-9, -1, 11, 5, 0, 0, 7);
  ctx.fill();
  ctx.restore();
}
