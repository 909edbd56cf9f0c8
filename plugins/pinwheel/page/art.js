"use strict";

/*
 * How Pinwheel looks. Heads are round and of two plain colours; the comet on the core shows how the wheel turns:
 * its head is in front, and its tail is as long as the way of half a second.
 */

const HEADS = { ours: "#ffd166", theirs: "#ff7a59" };
const COMET = { radius: 38, head: "#f5fbff", tail: "#39d0ff", seconds: 1 / 2 };
const STALK = "#aeb9dd";

function drawPinwheel(ctx, game, steps) {
  ctx.drawImage(backdrop("evening", VIEW.width, VIEW.height, paintEvening), 0, 0);
  drawMotes(ctx, steps);
  if (!game.pins) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  if (game.shake > 0) ctx.translate(game.shake % 4 < 2 ? 3 : -3, 0);
  drawWheel(ctx, game);
  drawQueue(ctx, game);
  if (game.bounced) drawBounced(ctx, game.bounced);
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [["Pins", game.thrown, 14, 44], ["Wheel", game.level, 150, 54], ["Left", game.left, 264, 44]], {
    most: LIVES, left: game.lives,
  });
}

function paintEvening(pen) {
  const sky = pen.createRadialGradient(WHEEL.x, WHEEL.y, 60, WHEEL.x, WHEEL.y, 460);
  sky.addColorStop(0, "#46306e");
  sky.addColorStop(0.5, "#2b2155");
  sky.addColorStop(1, "#15122f");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
  pen.strokeStyle = "rgba(190, 170, 255, 0.09)";
  pen.lineWidth = 1;
  for (let ring = 90; ring < 420; ring += 30) {
    pen.beginPath();
    pen.arc(WHEEL.x, WHEEL.y, ring, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.strokeStyle = "rgba(255, 255, 255, 0.10)";
  pen.setLineDash([3, 9]);
  pen.beginPath();
  pen.moveTo(WHEEL.x, 520);
  pen.lineTo(WHEEL.x, WHEEL.y + WHEEL.ring + 18);
  pen.stroke();
}

function drawMotes(ctx, steps) {
  ctx.fillStyle = "#cbb8ff";
  for (let mote = 0; mote < 26; mote += 1) {
    const y = 600 - ((scatter(mote) * 600 + steps * (0.15 + 0.3 * scatter(mote + 60))) % 600);
    ctx.globalAlpha = 0.12 + 0.18 * scatter(mote + 90);
    ctx.fillRect(Math.round(scatter(mote + 30) * VIEW.width), Math.round(y), 3, 3);
  }
  ctx.globalAlpha = 1;
}

function drawWheel(ctx, game) {
  for (const { at, ours } of game.pins) drawPin(ctx, ((at + game.turned) * Math.PI) / 180, ours);
  disc(ctx, WHEEL.x, WHEEL.y, WHEEL.core + (game.flash > 0 ? 3 : 0), "#8f7ae0");
  disc(ctx, WHEEL.x, WHEEL.y, WHEEL.core - 4, "#2a2058");
  drawComet(ctx, game);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = `800 26px ${FONT}`;
  ctx.fillStyle = "#efe9ff";
  ctx.fillText(String(game.left), WHEEL.x, WHEEL.y + 1);
}

function drawPin(ctx, angle, ours) {
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  ctx.strokeStyle = STALK;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(WHEEL.x + x * WHEEL.core, WHEEL.y + y * WHEEL.core);
  ctx.lineTo(WHEEL.x + x * WHEEL.ring, WHEEL.y + y * WHEEL.ring);
  ctx.stroke();
  disc(ctx, WHEEL.x + x * WHEEL.ring, WHEEL.y + y * WHEEL.ring, PIN.head, ours ? HEADS.ours : HEADS.theirs);
}

function drawComet(ctx, game) {
  const front = (game.turned * Math.PI) / 180;
  const tail = (game.speed * COMET.seconds * Math.PI) / 180;
  ctx.strokeStyle = COMET.tail;
  ctx.lineWidth = 6;
  ctx.beginPath();
  ctx.arc(WHEEL.x, WHEEL.y, COMET.radius, front - tail, front, tail < 0);
  ctx.stroke();
  disc(ctx, WHEEL.x + COMET.radius * Math.cos(front), WHEEL.y + COMET.radius * Math.sin(front), 5, COMET.head);
}

/* The pin to be thrown, and behind it those that follow. */
function drawQueue(ctx, game) {
  const y = game.flight ? game.flight.y : PIN.waits;
  if (!game.bounced && game.left > 0) drawUpright(ctx, WHEEL.x, y, HEADS.ours);
  for (let place = 1; place < Math.min(game.left, 5); place += 1) {
    disc(ctx, WHEEL.x + 34 * place, PIN.waits + 22, 8, "#8d7a4a");
  }
}

function drawUpright(ctx, x, y, colour) {
  ctx.strokeStyle = STALK;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x, y - (WHEEL.ring - WHEEL.core) * 0.55);
  ctx.stroke();
  disc(ctx, x, y, PIN.head, colour);
}

function drawBounced(ctx, { x, y, steps }) {
  ctx.save();
  ctx.globalAlpha = Math.max(0, 1 - steps / BOUNCE_STEPS);
  ctx.translate(x, y);
  ctx.rotate(steps * 0.12);
  drawUpright(ctx, 0, 0, "#ef476f");
  ctx.restore();
}
