"use strict";

/* How Cube Drift looks: a plain at night, cubes in the light of their stretch, a ship that leans into its turns. */

const TINTS = ["#37d6ff", "#ff5fd2", "#a67bff", "#4dffc0"];
const SKY = { high: "#070914", low: "#241a4a", sun: "#ff7a9c", plain: "#0c0f24", line: "#232a55", shard: "#ffe14d" };
const VIEW = { back: 5, far: 62, width: 640, height: 420, horizon: 150 };
const eye = new Eye({ height: 2.2, middle: 320, horizon: VIEW.horizon, zoom: 430, far: VIEW.far, fog: "#151636" });

function drawCubeDrift(ctx, game) {
  const { ship } = game;
  eye.x = ship ? ship.x : 0;
  ctx.drawImage(backdrop("sky", VIEW.width, VIEW.height, paintSky), 0, 0);
  drawHills(ctx, eye.x);
  if (!ship) return;
  drawLines(ctx, ship);
  drawThings(ctx, game);
  drawShip(ctx, ship, Boolean(game.over));
  game.sparks.draw(ctx);
  drawBar(ctx, [["Metres", Math.floor(ship.z), 14, 66], ["Shards", game.taken, 210, 66]]);
  drawPace(ctx, game.pace);
}

function paintSky(ctx) {
  const sky = ctx.createLinearGradient(0, 0, 0, VIEW.horizon);
  sky.addColorStop(0, SKY.high);
  sky.addColorStop(1, SKY.low);
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, VIEW.width, VIEW.horizon);
  for (let star = 0; star < 70; star += 1) {
    ctx.fillStyle = `rgba(255, 255, 255, ${0.2 + 0.5 * scatter(star + 0.7)})`;
    const size = scatter(star + 0.3) > 0.8 ? 2 : 1;
    ctx.fillRect(Math.floor(scatter(star) * 640), 44 + Math.floor(scatter(star + 0.5) * 90), size, size);
  }
  const plain = ctx.createLinearGradient(0, VIEW.horizon, 0, VIEW.height);
  plain.addColorStop(0, "#171a3e");
  plain.addColorStop(1, SKY.plain);
  ctx.fillStyle = plain;
  ctx.fillRect(0, VIEW.horizon, VIEW.width, VIEW.height - VIEW.horizon);
}

/* Far hills that pass slowly, before a low sun. */
function drawHills(ctx, x) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 42, VIEW.width, VIEW.horizon - 42);
  ctx.clip();
  const sun = 430 - x * 0.25;
  disc(ctx, ((sun % 900) + 900) % 900 - 100, VIEW.horizon - 8, 40, SKY.sun);
  for (const [high, part, colour] of [[34, 0.8, "#1d1740"], [20, 1.6, "#141233"]]) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(0, VIEW.horizon);
    for (let left = 0; left <= VIEW.width; left += 16) {
      const place = (left + x * part * 4) / 60;
      const top = high * (0.55 + 0.3 * Math.sin(place) + 0.25 * Math.sin(place * 2.3 + high));
      ctx.lineTo(left, VIEW.horizon - Math.max(2, top));
    }
    ctx.lineTo(VIEW.width, VIEW.horizon);
    ctx.fill();
  }
  ctx.restore();
}

function drawLines(ctx, ship) {
  ctx.lineWidth = 1;
  ctx.strokeStyle = SKY.line;
  ctx.beginPath();
  for (let z = 6 - (ship.z % 6); z < VIEW.far; z += 6) {
    const [, y] = eye.at(0, 0, z + VIEW.back - 3);
    ctx.moveTo(0, Math.round(y) + 0.5);
    ctx.lineTo(VIEW.width, Math.round(y) + 0.5);
  }
  const first = Math.floor(ship.x / 6) * 6;
  for (let line = -8; line <= 8; line += 1) {
    const from = eye.at(first + line * 6, 0, 2.6);
    const to = eye.at(first + line * 6, 0, VIEW.far);
    ctx.moveTo(...from);
    ctx.lineTo(...to);
  }
  ctx.stroke();
}

function drawThings(ctx, game) {
  const { ship } = game;
  const things = [
    ...game.cubes.map((cube) => ({ ...cube, cube: true })),
    ...game.shards.map((shard) => ({ ...shard, cube: false })),
  ];
  const seen = things.filter(({ z }) => z - ship.z < VIEW.far - 6 && z - ship.z > -VIEW.back + 1);
  seen.sort((first, other) => other.z - first.z || Math.abs(other.x - ship.x) - Math.abs(first.x - ship.x));
  for (const thing of seen) {
    const z = thing.z - ship.z + VIEW.back;
    if (!thing.cube) {
      drawShard(ctx, thing.x, z);
      continue;
    }
    const tint = TINTS[Math.max(0, Math.floor((thing.z - FIELD.bare) / FIELD.stretch)) % TINTS.length];
    const [left] = eye.at(thing.x - 1, 0, z);
    const [right] = eye.at(thing.x + 1, 0, z);
    if (right > -40 && left < VIEW.width + 40) eye.box(ctx, { ...CUBE, x: thing.x, y: 0, z }, tint);
  }
}

function drawShard(ctx, x, z) {
  const tone = eye.seen(SKY.shard, z);
  const [left, middle] = eye.at(x - 0.4, 0.8, z);
  const [right] = eye.at(x + 0.4, 0.8, z);
  const [top, upper] = eye.at(x, 1.4, z);
  const [, lower] = eye.at(x, 0.2, z);
  eye.face(ctx, tone, [[left, middle], [top, upper], [right, middle], [top, lower]]);
  eye.face(ctx, eye.seen(SKY.shard, z, 0.7), [[top, upper], [right, middle], [top, lower]]);
}

/* Seen from behind; it leans by its speed to the side. */
function drawShip(ctx, ship, broken) {
  if (broken) return;
  ctx.save();
  ctx.translate(320, 338);
  ctx.fillStyle = "rgba(0, 0, 0, 0.35)";
  ctx.beginPath();
  ctx.ellipse(0, 16, 44, 6, 0, 0, 2 * Math.PI);
  ctx.fill();
  ctx.rotate((ship.vx / SHIP.sideways) * 0.32);
  const glow = 6 + 3 * Math.sin(ship.z * 1.7);
  eye.face(ctx, "#ff9a3d", [[-10, 4], [-5, 6 + glow * 1.6], [0, 4]]);
  eye.face(ctx, "#ff9a3d", [[0, 4], [5, 6 + glow * 1.6], [10, 4]]);
  eye.face(ctx, "#c9d3ea", [[-44, 8], [0, -26], [0, 6]]);
  eye.face(ctx, "#8f9bbb", [[44, 8], [0, -26], [0, 6]]);
  eye.face(ctx, "#f4f7ff", [[-9, 6], [0, -26], [9, 6]]);
  eye.face(ctx, "#2a3766", [[-4, -4], [0, -17], [4, -4]]);
  ctx.restore();
}

function drawPace(ctx, pace) {
  drawLabel(ctx, "Pace", 412, 21, BAR.label);
  ctx.fillStyle = BAR.edge;
  ctx.fillRect(462, 16, 160, 10);
  ctx.fillStyle = TINTS[0];
  ctx.fillRect(462, 16, Math.round((160 * pace) / PACE.most), 10);
}
