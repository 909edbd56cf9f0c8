"use strict";

/* How Lily Bounce looks: a pond at dusk, leaves that shrink with the way, a striped ball and its shadow. */

const POND = { back: 7, far: 46, width: 640, height: 420, horizon: 128, leaf: "#5fd068", rim: "#2f7f4a", ball: "#b14cf0" };
const eye = new Eye({ height: 4.1, middle: 320, horizon: POND.horizon, zoom: 420, far: POND.far, fog: "#3a6f8a" });

function drawLilyBounce(ctx, game) {
  ctx.drawImage(backdrop("pond", POND.width, POND.height, paintPond), 0, 0);
  const { ball } = game;
  if (!ball) return;
  eye.x = ball.x;
  drawHills(ctx, ball.x);
  drawRipples(ctx, ball);
  for (const leaf of [...game.leaves].reverse()) drawLeaf(ctx, leaf, ball.z);
  drawBall(ctx, game);
  game.sparks.draw(ctx);
  drawBar(ctx, [["Leaves", game.landed, 14, 66], ["Exact", game.exact, 210, 66], ["Row", game.row, 380, 50]]);
}

function paintPond(ctx) {
  const sky = ctx.createLinearGradient(0, 40, 0, POND.horizon);
  sky.addColorStop(0, "#2b2a5e");
  sky.addColorStop(0.6, "#a45a86");
  sky.addColorStop(1, "#f0a878");
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, POND.width, POND.horizon);
  const water = ctx.createLinearGradient(0, POND.horizon, 0, POND.height);
  water.addColorStop(0, "#8a6a90");
  water.addColorStop(0.12, "#3c4a86");
  water.addColorStop(1, "#0e1f4a");
  ctx.fillStyle = water;
  ctx.fillRect(0, POND.horizon, POND.width, POND.height - POND.horizon);
}

function drawHills(ctx, x) {
  for (const [high, part, colour] of [[30, 0.6, "#5a3a6e"], [17, 1.4, "#3a2a58"]]) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(0, POND.horizon);
    for (let left = 0; left <= POND.width; left += 20) {
      const place = (left + x * part * 5) / 70;
      ctx.lineTo(left, POND.horizon - Math.max(2, high * (0.5 + 0.3 * Math.sin(place) + 0.25 * Math.sin(place * 2.7 + high))));
    }
    ctx.lineTo(POND.width, POND.horizon);
    ctx.fill();
  }
}

/* Short lines on the water show how fast the ball flies. */
function drawRipples(ctx, ball) {
  ctx.fillStyle = "rgba(190, 215, 255, 0.16)";
  const first = Math.floor(ball.z / 1.5);
  for (let number = first; number < first + 18; number += 1) {
    const z = number * 1.5 - ball.z + POND.back - 2.5;
    if (z < 2.5) continue;
    for (let side = 0; side < 3; side += 1) {
      const x = ball.x + (((scatter(number * 3 + side) * 24 - ball.x) % 24) + 24) % 24 - 12;
      const [left, y] = eye.at(x, 0, z);
      ctx.fillRect(left, y, 260 / z, Math.max(1, 9 / z));
    }
  }
}

function drawLeaf(ctx, leaf, from) {
  const z = leaf.z - from + POND.back;
  if (z - leaf.radius < 1 || z > POND.far) return;
  const [x, far] = eye.at(leaf.x, 0, z + leaf.radius);
  const [, near] = eye.at(leaf.x, 0, z - leaf.radius);
  const wide = (leaf.radius * eye.zoom) / z;
  const [middle, high] = [(far + near) / 2, (near - far) / 2];
  const oval = (drop, shrink, colour) => {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.ellipse(x, middle + drop, wide * shrink, high * shrink, 0, 0, 2 * Math.PI);
    ctx.fill();
  };
  const fog = z * 0.5;
  oval(Math.max(1, 60 / z), 1, eye.seen(POND.rim, fog));
  oval(0, 1, eye.seen(leaf.used ? "#8fcf86" : POND.leaf, fog));
  oval(0, EXACT, eye.seen("#c9f08a", fog));
  if (leaf.flower) {
    for (let petal = 0; petal < 6; petal += 1) {
      const turn = (petal * Math.PI) / 3;
      disc(ctx, x + wide * 0.72 + Math.cos(turn) * wide * 0.09, middle - high * 0.5 + Math.sin(turn) * high * 0.14, wide * 0.07, "#ff9fd0");
    }
  }
}

function drawBall(ctx, game) {
  const { ball } = game;
  const scale = eye.zoom / POND.back;
  const [x, ground] = eye.at(ball.x, 0, POND.back);
  const size = BALL.radius * scale;
  if (ball.sinks) {
    ctx.globalAlpha = Math.max(0, 1 - ball.sinks / 24);
    disc(ctx, x, ground + ball.sinks, size, POND.ball);
    ctx.globalAlpha = 1;
    return;
  }
  const up = game.height * scale;
  ctx.fillStyle = "rgba(4, 10, 30, 0.4)";
  ctx.beginPath();
  ctx.ellipse(x, ground, size * (1 - 0.14 * game.height), size * 0.42 * (1 - 0.14 * game.height), 0, 0, 2 * Math.PI);
  ctx.fill();
  const squeeze = Math.max(0, 1 - game.height / 0.35) * 0.18;
  ctx.save();
  ctx.translate(x, ground - up - size * (1 - squeeze));
  ctx.scale(1 + squeeze, 1 - squeeze);
  disc(ctx, 0, 0, size, POND.ball);
  ctx.save();
  ctx.beginPath();
  ctx.arc(0, 0, size, 0, 2 * Math.PI);
  ctx.clip();
  ctx.rotate(ball.x * 0.5);
  ctx.fillStyle = "#ffd9f6";
  const roll = (ball.z * 1.4) % 3.14;
  ctx.fillRect(-size, size * Math.cos(roll) - 3, size * 2, 6 * Math.sin(roll));
  ctx.restore();
  disc(ctx, -size * 0.35, -size * 0.4, size * 0.2, "rgba(255, 255, 255, 0.55)");
  ctx.restore();
}
