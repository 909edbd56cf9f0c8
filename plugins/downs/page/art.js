"use strict";

/* How the downs look. The ball, the turf's edge, stones, water, bells and the goal have plain colours of their own. */

const LAND = [
  { sky: ["#8fd3f4", "#e6f7d9"], far: "#9ccfb0", near: "#78b98c", earth: "#5a8f4e", turf: "#3f6b38" },
  { sky: ["#ffd9a0", "#fff1cf"], far: "#e0b184", near: "#c98f63", earth: "#8a6a3f", turf: "#6b4f2c" },
  { sky: ["#b6a6f0", "#f7d6e6"], far: "#a590cf", near: "#8873b8", earth: "#5d5490", turf: "#453d73" },
  { sky: ["#9fdcea", "#f2fbff"], far: "#b9dbe8", near: "#93c3d8", earth: "#6d98b8", turf: "#527b9c" },
  { sky: ["#2b2f6b", "#8f5f9e"], far: "#3d3d80", near: "#2c3068", earth: "#22305a", turf: "#182447" },
];
const EDGE = "#a8e063";
const COLOURS = {
  ball: "#e8413c", band: "#fff3e0", rim: "#a82320", stone: "#7e8594", stoneLight: "#b3b9c6", water: "#2f9be0", bell: "#ffd02e",
  goal: "#ffffff", goalDark: "#20242f",
};

function drawDowns(ctx, game, steps) {
  const land = LAND[game.course ? game.course.number - 1 : 0];
  const camera = game.course ? { x: game.ball.x - VIEW.ballX, y: game.viewY - VIEW.ballY } : { x: 0, y: 0 };
  drawFar(ctx, land, camera);
  if (!game.course) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(-Math.round(camera.x), -Math.round(camera.y));
  drawLand(ctx, game.course, land, camera);
  drawThings(ctx, game.course, camera, steps);
  if (game.sunk === 0) drawBall(ctx, game.ball, game.course.hills);
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [
    ["Metres", game.metres, 14, 60], ["Bells", game.bells, 166, 46], ["Pace", Math.max(0, Math.round(game.ball.vx / PER_METRE)), 282, 42],
    ["Time", Math.max(0, Math.ceil(game.clock)), 400, 42], ["Course", game.course.number, 530, 62],
  ]);
}

function drawFar(ctx, land, camera) {
  ctx.drawImage(backdrop(`sky${land.sky[0]}`, VIEW.width, VIEW.height, (pen) => {
    const sky = pen.createLinearGradient(0, 40, 0, VIEW.height);
    sky.addColorStop(0, land.sky[0]);
    sky.addColorStop(1, land.sky[1]);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, VIEW.width, VIEW.height);
    pen.globalAlpha = 0.7;
    disc(pen, 500, 110, 34, "#fffbe6");
  }), 0, 0);
  for (const [colour, slow, top, wave] of [[land.far, 0.12, 190, 300], [land.near, 0.28, 250, 210]]) {
    const tile = backdrop(`far${colour}`, wave * 4, 260, (pen) => {
      pen.fillStyle = colour;
      pen.beginPath();
      pen.moveTo(0, 260);
      for (let x = 0; x <= wave * 4; x += 10) {
        pen.lineTo(x, 60 + 34 * Math.sin((x / wave) * 2 * Math.PI) + 18 * Math.sin((x / wave) * Math.PI));
      }
      pen.lineTo(wave * 4, 260);
      pen.fill();
    });
    const shift = (camera.x * slow) % (wave * 4);
    for (const at of [0, 1]) ctx.drawImage(tile, Math.round(at * wave * 4 - shift), Math.round(top - 0.05 * camera.y % 40));
  }
}

function drawLand(ctx, course, land, camera) {
  const { hills } = course;
  const [left, right, bottom] = [camera.x, camera.x + VIEW.width, camera.y + VIEW.height];
  drawHills(ctx, hills, { left, right, bottom, fill: land.earth, bands: [[4.5, 9, EDGE]] });
  ctx.fillStyle = land.turf;
  for (let at = Math.floor(left / 70); at * 70 < right; at += 1) {
    const [x, deep] = [at * 70 + 40 * scatter(at), 40 + 120 * scatter(at + 0.5)];
    slab(ctx, x, hills.height(x) + deep, 26 + 16 * scatter(at + 9), 8, 4, land.turf);
  }
  for (const { left: from, right: to, y } of course.ditches) {
    if (to < left || from > right) continue;
    ctx.fillStyle = land.turf;
    ctx.fillRect(from, y - 2, to - from, 160);
    ctx.fillStyle = land.sky[1];
    ctx.fillRect(from, y - 2, to - from, 26);
    ctx.fillStyle = COLOURS.water;
    ctx.fillRect(from, y + 24, to - from, 60);
  }
}

function drawThings(ctx, course, camera, steps) {
  const seen = ({ x }) => x > camera.x - 60 && x < camera.x + VIEW.width + 60;
  for (const { x, y, broken } of course.stones.filter(seen)) {
    if (broken) continue;
    slab(ctx, x - 15, y - 22, 30, 26, 9, COLOURS.stone);
    slab(ctx, x - 10, y - 19, 12, 7, 3, COLOURS.stoneLight);
  }
  for (const { x, off, rung } of course.bells.filter(seen)) {
    if (rung) continue;
    const y = course.hills.height(x) - off + 2 * Math.sin(steps / 12 + x);
    disc(ctx, x, y, 8, COLOURS.bell);
    slab(ctx, x - 10, y + 3, 20, 5, 2, COLOURS.bell);
    disc(ctx, x, y + 10, 3, "#a8741a");
  }
  if (!seen({ x: course.goal })) return;
  const foot = course.hills.height(course.goal);
  for (let row = 0; row < 12; row += 1) {
    for (const column of [0, 1]) {
      ctx.fillStyle = (row + column) % 2 ? COLOURS.goal : COLOURS.goalDark;
      ctx.fillRect(course.goal + 10 * column, foot - 120 + 10 * row, 10, 10);
    }
  }
}

function drawBall(ctx, { x, y, tucked, turned }, hills) {
  const radius = tucked ? BALL.radius - 1 : BALL.radius;
  ctx.save();
  ctx.translate(x, y - radius);
  disc(ctx, 0, 0, radius, COLOURS.rim);
  disc(ctx, 0, 0, radius - 2, COLOURS.ball);
  ctx.rotate(turned);
  slab(ctx, -radius + 3, -3, 2 * radius - 6, 6, 3, COLOURS.band);
  disc(ctx, 0, -8, 2.5, COLOURS.rim);
  ctx.restore();
  const high = hills.height(x) - y;
  if (high < 8) return;
  ctx.globalAlpha = 0.2;
  ctx.fillStyle = "#000000";
  ctx.beginPath();
  ctx.ellipse(x, hills.height(x) + 13, 14, 3, 0, 0, 7);
  ctx.fill();
  ctx.globalAlpha = 1;
}
