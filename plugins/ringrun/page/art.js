"use strict";

/* How Ring Runner looks: a tunnel of lit tiles in black space, seen over the runner's shoulder. */

const TINTS = ["#4f8cff", "#b06bff", "#ff6fae", "#35c9d8", "#6fd66a"];
const LOOK = { back: 4.2, far: 60, width: 640, height: 420, gem: "#ffd84d", suit: "#ffe9d6", visor: "#e6484d" };
const eye = new Eye({ height: -0.7, middle: 320, horizon: 206, zoom: 330, far: LOOK.far, fog: "#3a3f86" });
const CORNER = RING.inner / Math.cos(Math.PI / RING.tiles);

function drawRingRun(ctx, game) {
  ctx.drawImage(backdrop("space", LOOK.width, LOOK.height, paintSpace), 0, 0);
  const { runner } = game;
  if (!runner) return;
  drawTunnel(ctx, game);
  if (!game.over) drawRunner(ctx, runner);
  game.sparks.draw(ctx);
  drawBar(ctx, [["Metres", Math.floor(runner.z), 14, 66], ["Gems", game.taken, 210, 66]]);
  drawPace(ctx, game.pace);
}

function paintSpace(ctx) {
  ctx.fillStyle = "#05060d";
  ctx.fillRect(0, 0, LOOK.width, LOOK.height);
  for (let star = 0; star < 160; star += 1) {
    const light = Math.floor(20 + 40 * scatter(star + 0.7));
    ctx.fillStyle = `rgb(${light + 12}, ${light + 6}, ${light})`;
    ctx.fillRect(Math.floor(scatter(star) * 640), Math.floor(scatter(star + 0.5) * 420), 2, 2);
  }
  disc(ctx, 500, 130, 34, "#2a1420");
  disc(ctx, 492, 122, 30, "#38202a");
}

/* A place on the wall, `off` tiles round from the runner's, so far up towards the middle. */
function onWall(off, radius, z) {
  const angle = (off * 2 * Math.PI) / RING.tiles;
  return eye.at(radius * Math.sin(angle), -radius * Math.cos(angle), z);
}

/* Rows from far to near: tiles, then the gems that stand on them. */
function drawTunnel(ctx, game) {
  const { runner } = game;
  const gems = [...game.gems].sort((first, other) => other.z - first.z);
  for (let row = game.rows.length - 1; row >= 0; row -= 1) {
    const number = game.gone + row;
    const near = Math.max(0.5, number * RING.row - runner.z + LOOK.back);
    const far = (number + 1) * RING.row - runner.z + LOOK.back;
    if (far > 0.6 && near < LOOK.far) drawRow(ctx, game.rows[row], { number, near, far, at: runner.at });
    while (gems.length && gems[0].z >= number * RING.row) drawGem(ctx, gems.shift(), runner);
  }
}

function drawRow(ctx, tiles, { number, near, far, at }) {
  const part = Math.max(0, Math.floor((number - PART.bare) / PART.rows));
  const tint = TINTS[part % TINTS.length];
  const seam = near < 24 ? 0.015 : 0;
  const back = far - (near < 24 ? 0.07 : 0);
  tiles.forEach((tile, place) => {
    if (!tile) return;
    const off = apart(at, place);
    const light = ((place + number) % 2 ? 0.86 : 1) * (1 - 0.05 * Math.min(5, Math.abs(off)));
    const [left, right] = [off - 0.5 + seam, off + 0.5 - seam];
    const corners = [onWall(left, CORNER, near), onWall(right, CORNER, near), onWall(right, CORNER, back)];
    eye.face(ctx, eye.seen(tint, (near + far) / 2, Math.round(light * 50) / 50), [...corners, onWall(left, CORNER, back)]);
  });
}

function drawGem(ctx, gem, runner) {
  const z = gem.z - runner.z + LOOK.back;
  if (z < 0.8 || z > LOOK.far) return;
  const off = apart(runner.at, gem.at);
  const [top, foot] = [onWall(off, RING.inner - 1.3, z), onWall(off, RING.inner - 0.2, z)];
  const [left, right] = [onWall(off - 0.2, RING.inner - 0.75, z), onWall(off + 0.2, RING.inner - 0.75, z)];
  eye.face(ctx, eye.seen(LOOK.gem, z * 0.6), [left, top, right, foot]);
  eye.face(ctx, eye.seen(LOOK.gem, z * 0.6, 0.8), [top, right, foot]);
}

/* Seen from behind: legs that run, or are drawn up in the air. */
function drawRunner(ctx, runner) {
  const [x, foot] = onWall(0, RING.inner - runner.up, LOOK.back);
  const ground = onWall(0, RING.inner, LOOK.back)[1];
  if (!runner.fell) {
    ctx.fillStyle = "rgba(0, 0, 0, 0.35)";
    ctx.beginPath();
    ctx.ellipse(x, ground, 20, 5, 0, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.save();
  ctx.translate(Math.round(x), Math.round(foot));
  ctx.rotate((runner.turn / RUNNER.aside) * 0.16);
  const swing = runner.stands ? Math.sin(runner.z * 2.1) : 0.9;
  slab(ctx, -10, -20 - 6 * Math.max(0, swing), 8, 20, 3, "#3b4266");
  slab(ctx, 2, -20 - 6 * Math.max(0, -swing), 8, 20, 3, "#3b4266");
  slab(ctx, -18, -42 + 4 * swing, 6, 20, 3, LOOK.suit);
  slab(ctx, 12, -42 - 4 * swing, 6, 20, 3, LOOK.suit);
  slab(ctx, -13, -46, 26, 30, 7, LOOK.suit);
  slab(ctx, -8, -41, 16, 18, 4, LOOK.visor);
  disc(ctx, 0, -56, 12, LOOK.suit);
  ctx.restore();
}

function drawPace(ctx, pace) {
  drawLabel(ctx, "Pace", 412, 21, BAR.label);
  ctx.fillStyle = BAR.edge;
  ctx.fillRect(462, 16, 160, 10);
  ctx.fillStyle = TINTS[0];
  ctx.fillRect(462, 16, Math.round((160 * pace) / PACE.most), 10);
}
