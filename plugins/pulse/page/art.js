"use strict";

/* How the track looks. What the cube meets has plain colours of its own; light in the sky beats with the track. */

const PAINT = {
  ground: "#1d2470", line: "#7df0ff", pit: "#07060f", spike: "#ff3b6b", block: "#3450d8", top: "#9db4ff", pad: "#ffd23f",
  beam: "#b15cff", note: "#fff07a", cube: "#39f3c4", face: "#0b3b3a", trail: "#39f3c4",
};
const SKIES = [["#1b0f4a", "#5a1f8a"], ["#0f2350", "#1f6a9a"], ["#3a0f3f", "#a0305a"], ["#101018", "#3a3a6a"]];

function drawPulse(ctx, game, steps) {
  const flown = game.track === undefined ? 0 : game.flown;
  const beat = flown / (BEAT_CELLS * CELL);
  const kind = game.track === undefined ? 0 : Math.min(SKIES.length - 1, Math.floor((game.firstBar + beat / 4) / BARS_PER_KIND));
  ctx.drawImage(backdrop(`sky${kind}`, VIEW.width, VIEW.height, (pen) => paintSky(pen, SKIES[kind])), 0, 0);
  drawLights(ctx, flown, beat);
  drawGround(ctx, flown, beat);
  if (game.track === undefined) {
    drawBar(ctx, []);
    return;
  }
  const first = Math.floor(flown / CELL) - 1;
  for (let at = Math.max(0, first); at * CELL < flown + VIEW.width; at += 1) {
    drawCell(ctx, game, game.track[at], at * CELL - flown, at, steps);
  }
  drawCube(ctx, game, steps);
  game.sparks.draw(ctx);
  drawBar(ctx, [["Beats", game.beats, 14, 52], ["Notes", game.notes, 154, 54]], { most: LIVES, left: game.lives });
  drawLabel(ctx, "Goal", 286, 21, BAR.label);
  slab(ctx, 328, 16, 120, 10, 5, "#212b49");
  slab(ctx, 328, 16, Math.max(10, (120 * game.beats) / GOAL_BEATS), 10, 5, PAINT.trail);
}

function paintSky(pen, [high, low]) {
  const sky = pen.createLinearGradient(0, 40, 0, GROUND);
  sky.addColorStop(0, high);
  sky.addColorStop(1, low);
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
}

/* Columns of light that rise with the beat, each its own way, like an equaliser; far triangles drift behind them. */
function drawLights(ctx, flown, beat) {
  const since = 1 - (beat % 1);
  ctx.fillStyle = "rgba(255, 255, 255, 0.05)";
  for (let peak = 0; peak < 7; peak += 1) {
    const x = ((peak * 130 - flown * 0.12) % 910 + 910) % 910 - 160;
    const high = 90 + 90 * scatter(peak + 3);
    ctx.beginPath();
    ctx.moveTo(x, GROUND);
    ctx.lineTo(x + 80, GROUND - high);
    ctx.lineTo(x + 160, GROUND);
    ctx.fill();
  }
  for (let column = 0; column < 28; column += 1) {
    const high = 14 + (24 + 76 * scatter(column + 31 * Math.floor(beat))) * since * since;
    ctx.fillStyle = `rgba(255, 255, 255, ${0.03 + 0.05 * since})`;
    ctx.fillRect(column * 20 + 3, GROUND - high, 14, high);
  }
}

/* The ground, with a mark on each beat; the mark under the cube shines. */
function drawGround(ctx, flown, beat) {
  slab(ctx, 0, GROUND, VIEW.width, VIEW.height - GROUND, 0, PAINT.ground);
  slab(ctx, 0, GROUND, VIEW.width, 3, 0, PAINT.line);
  const wide = BEAT_CELLS * CELL;
  for (let x = -(flown % wide); x < VIEW.width; x += wide) {
    const here = Math.abs(x - CUBE.x) < 30;
    slab(ctx, x - 3, GROUND + 26, 6, here ? 30 : 18, 3, here ? "#ffffff" : "#4b57b8");
  }
}

function drawCell(ctx, game, cell, x, at, steps) {
  if (cell === "_") slab(ctx, x, GROUND, CELL, VIEW.height - GROUND, 0, PAINT.pit);
  if (cell === "^") drawSpike(ctx, x + CELL / 2, 17, 34);
  if (cell === "w") for (const side of [-10, 10]) drawSpike(ctx, x + CELL / 2 + side, 10, 26);
  if (TOPS[cell]) drawBlock(ctx, x, TOPS[cell]);
  if (cell === "o") drawPad(ctx, x, steps);
  if (cell === "=") drawBeam(ctx, x, steps);
  if (cell === "*" && !game.taken.has((at + 0.5) * CELL)) drawNote(ctx, x + CELL / 2, GROUND - NOTE.high + 3 * Math.sin(steps / 9));
}

function drawSpike(ctx, x, half, high) {
  ctx.fillStyle = PAINT.spike;
  ctx.beginPath();
  ctx.moveTo(x - half, GROUND);
  ctx.lineTo(x, GROUND - high);
  ctx.lineTo(x + half, GROUND);
  ctx.fill();
  ctx.strokeStyle = "#ffd0dc";
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x - half, GROUND);
  ctx.lineTo(x, GROUND - high);
  ctx.lineTo(x + half, GROUND);
  ctx.stroke();
}

function drawBlock(ctx, x, high) {
  ctx.fillStyle = PAINT.block;
  ctx.fillRect(Math.floor(x), GROUND - high, CELL + 1, high);
  ctx.fillStyle = PAINT.top;
  ctx.fillRect(Math.floor(x), GROUND - high, CELL + 1, 4);
  ctx.fillStyle = "rgba(255, 255, 255, 0.14)";
  for (let low = 0; low < high; low += CELL) ctx.fillRect(x + 8, GROUND - low - 28, CELL - 16, 3);
}

function drawPad(ctx, x, steps) {
  slab(ctx, x + 6, GROUND - 8, CELL - 12, 8, 3, PAINT.pad);
  ctx.strokeStyle = PAINT.pad;
  ctx.lineWidth = 2;
  const rise = (steps % 24) / 2;
  ctx.globalAlpha = 1 - rise / 12;
  ctx.beginPath();
  ctx.moveTo(x + 12, GROUND - 14 - rise);
  ctx.lineTo(x + 20, GROUND - 22 - rise);
  ctx.lineTo(x + 28, GROUND - 14 - rise);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function drawBeam(ctx, x, steps) {
  const low = GROUND - BEAM.low;
  slab(ctx, Math.floor(x), 42, CELL + 1, low - 42, 0, "rgba(177, 92, 255, 0.28)");
  slab(ctx, Math.floor(x), low - 34, CELL + 1, 34, 0, PAINT.beam);
  ctx.fillStyle = "#e6ccff";
  for (let tooth = 0; tooth < 4; tooth += 1) ctx.fillRect(x + 10 * tooth + ((steps >> 2) % 10), low - 4, 5, 4);
}

function drawNote(ctx, x, y) {
  disc(ctx, x - 5, y + 8, 6, PAINT.note);
  slab(ctx, x - 1, y - 12, 3, 21, 1, PAINT.note);
  slab(ctx, x - 1, y - 12, 12, 6, 2, PAINT.note);
}

function drawCube(ctx, game, steps) {
  const y = GROUND - game.height - CUBE.side / 2;
  for (let tail = 1; tail < 5; tail += 1) {
    ctx.globalAlpha = 0.2 - 0.04 * tail;
    const back = game.stands ? 0 : (game.vy * tail) / 60;
    slab(ctx, CUBE.x - 14 - 13 * tail, y - 10 + Math.max(-40, Math.min(40, back * 1.6)), 20, 20, 4, PAINT.trail);
  }
  ctx.globalAlpha = 1;
  if (game.safe % 8 > 4) return;
  ctx.save();
  ctx.translate(CUBE.x, y);
  ctx.rotate(((game.turned % 360) * Math.PI) / 180);
  slab(ctx, -16, -16, 32, 32, 6, PAINT.cube);
  ctx.strokeStyle = "#d6fff3";
  ctx.lineWidth = 2;
  ctx.strokeRect(-12.5, -12.5, 25, 25);
  slab(ctx, -7, -6, 5, 7, 1, PAINT.face);
  slab(ctx, 4, -6, 5, 7, 1, PAINT.face);
  slab(ctx, -6, 5, 14, 3, 1, PAINT.face);
  ctx.restore();
}
