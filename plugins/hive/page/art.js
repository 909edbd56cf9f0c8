"use strict";

/*
 * How the hive looks. Each colour has three plain shades: of a block that falls, of a block that lies, of its edge.
 * The hexagon in the middle has sharp corners, by which one sees whether it stands or turns.
 */

const PALETTE = {
  rose: ["#ff6f8b", "#e2486a", "#a62c4a"], gold: ["#ffd75e", "#eeb32b", "#aa7a10"], mint: ["#5ff0b8", "#2fc98f", "#178a60"],
  blue: ["#6fb4ff", "#3f87e6", "#245aa8"], violet: ["#cf9bff", "#a463ea", "#6d38ab"],
};
const COMB = "#ffb52e";
const TAN = Math.tan(Math.PI / 6);
const WIDEST = 104; // a falling block is no wider than at this distance

function drawHive(ctx, game, steps) {
  ctx.drawImage(backdrop("meadow", VIEW.width, VIEW.height, paintGround), 0, 0);
  const full = game.sides ? Math.max(...game.sides.map((side) => side.length)) : 0;
  drawLimit(ctx, full, steps);
  if (game.sides) {
    for (const block of game.falling) drawFalling(ctx, block);
    drawStacks(ctx, game);
  }
  drawCore(ctx, game.sides ? game.angle : 0, game.flash ?? 0, steps);
  if (!game.sides) {
    drawBar(ctx, []);
    return;
  }
  game.sparks.draw(ctx);
  const figures = [["Points", game.score, 14, 56], ["Gone", game.vanished, 206, 42], ["Level", game.level, 352, 48]];
  drawBar(ctx, figures);
}

function hexagon(ctx, reach) {
  ctx.beginPath();
  for (let corner = 0; corner < 6; corner += 1) {
    const angle = (corner * Math.PI) / 3;
    ctx.lineTo(reach * Math.cos(angle), reach * Math.sin(angle));
  }
  ctx.closePath();
}

/* A comb of dim cells, and the six lanes that lead in. */
function paintGround(pen) {
  const light = pen.createRadialGradient(MIDDLE.x, MIDDLE.y, 30, MIDDLE.x, MIDDLE.y, 360);
  light.addColorStop(0, "#3a2a4c");
  light.addColorStop(0.55, "#221a38");
  light.addColorStop(1, "#120f22");
  pen.fillStyle = light;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
  pen.lineWidth = 2;
  for (let column = -1; column < 12; column += 1) {
    for (let row = -1; row < 12; row += 1) {
      const shade = scatter(column * 31 + row * 7);
      pen.save();
      pen.translate(column * 45, row * 52 + (column % 2 ? 26 : 0) + 30);
      hexagon(pen, 28);
      pen.fillStyle = `rgba(255, 190, 90, ${0.012 + 0.03 * shade})`;
      pen.fill();
      pen.strokeStyle = "rgba(255, 200, 120, 0.05)";
      pen.stroke();
      pen.restore();
    }
  }
  pen.fillStyle = "rgba(255, 255, 255, 0.035)";
  for (let lane = 0; lane < LANES; lane += 1) {
    pen.save();
    pen.translate(MIDDLE.x, MIDDLE.y);
    pen.rotate((lane * Math.PI) / 3);
    pen.beginPath();
    pen.moveTo(-26, -CORE);
    pen.lineTo(26, -CORE);
    pen.lineTo(WIDEST * TAN, -WIDEST);
    pen.lineTo(WIDEST * TAN, -300);
    pen.lineTo(-WIDEST * TAN, -300);
    pen.lineTo(-WIDEST * TAN, -WIDEST);
    pen.fill();
    pen.restore();
  }
}

/* Up to here a side may be heaped; it glows when a side is nearly full. */
function drawLimit(ctx, full, steps) {
  ctx.save();
  ctx.translate(MIDDLE.x, MIDDLE.y);
  ctx.lineWidth = 3;
  hexagon(ctx, (CORE + BLOCK * ROWS + 3) / Math.cos(Math.PI / 6));
  const near = full > ROWS - 3;
  ctx.strokeStyle = near ? `rgba(255, 60, 60, ${0.6 + 0.35 * Math.sin(steps / 7)})` : "rgba(255, 214, 150, 0.28)";
  ctx.stroke();
  ctx.restore();
}

function trapezoid(ctx, near, far, inner, outer, shrink) {
  ctx.beginPath();
  ctx.moveTo(-inner * TAN + shrink, -near - shrink / 2);
  ctx.lineTo(inner * TAN - shrink, -near - shrink / 2);
  ctx.lineTo(outer * TAN - shrink, -far + shrink / 2);
  ctx.lineTo(-outer * TAN + shrink, -far + shrink / 2);
  ctx.closePath();
}

function drawFalling(ctx, { lane, colour, far }) {
  ctx.save();
  ctx.translate(MIDDLE.x, MIDDLE.y);
  ctx.rotate((lane * Math.PI) / 3);
  const top = far + BLOCK;
  trapezoid(ctx, far, top, Math.min(WIDEST, far), Math.min(WIDEST, top), 1);
  ctx.fillStyle = PALETTE[colour][0];
  ctx.fill();
  ctx.restore();
}

function drawStacks(ctx, game) {
  game.sides.forEach((side, k) => {
    ctx.save();
    ctx.translate(MIDDLE.x, MIDDLE.y);
    ctx.rotate(((60 * k + game.angle) * Math.PI) / 180);
    side.forEach(({ colour, going, lift }, row) => {
      const near = CORE + BLOCK * row + lift;
      const far = near + BLOCK;
      trapezoid(ctx, near, far, near, far, 0.5);
      ctx.fillStyle = PALETTE[colour][2];
      ctx.fill();
      trapezoid(ctx, near, far, near, far, 2.5);
      ctx.fillStyle = going ? "#ffffff" : PALETTE[colour][1];
      ctx.fill();
    });
    ctx.restore();
  });
}

function drawCore(ctx, angle, flash, steps) {
  ctx.save();
  ctx.translate(MIDDLE.x, MIDDLE.y);
  ctx.save();
  ctx.rotate((angle * Math.PI) / 180);
  hexagon(ctx, CORE / Math.cos(Math.PI / 6));
  ctx.fillStyle = COMB;
  ctx.fill();
  hexagon(ctx, CORE - 3);
  ctx.fillStyle = flash ? "#ffe09a" : "#e8951a";
  ctx.fill();
  ctx.restore();
  drawBee(ctx, flash, steps);
  ctx.restore();
}

/* The bee in the middle looks about, and is glad when blocks vanish. */
function drawBee(ctx, flash, steps) {
  const hop = flash ? -3 * Math.abs(Math.sin(flash / 3)) : Math.sin(steps / 22);
  ctx.translate(0, hop);
  ctx.globalAlpha = 0.8;
  for (const side of [-1, 1]) {
    ctx.fillStyle = "#eaf6ff";
    ctx.beginPath();
    ctx.ellipse(side * 13, -13, 7, 13, side * (0.7 + 0.25 * Math.sin(steps / 2)), 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  disc(ctx, 0, 2, 17, "#ffd23f");
  ctx.save();
  ctx.beginPath();
  ctx.arc(0, 2, 17, 0, 2 * Math.PI);
  ctx.clip();
  ctx.fillStyle = "#2b1d12";
  ctx.fillRect(-18, 8, 36, 4);
  ctx.fillRect(-18, 15, 36, 5);
  ctx.restore();
  for (const side of [-1, 1]) {
    disc(ctx, side * 6, -2, 4.2, "#ffffff");
    disc(ctx, side * 6 + 1.6 * Math.sin(steps / 40), -1.5, 2.2, "#2b1d12");
  }
}
