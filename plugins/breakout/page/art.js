"use strict";

/* How Breakout looks. Ball, paddle and bricks have plain colours of their own: whoever sees them knows them. */

const COLOURS = {
  night: "#0e1322", floor: "#151c30", frame: "#2a3557", label: "#8b97b8", number: "#f4f1e6",
  ball: "#fff3c4", paddle: "#4cc9f0", shine: "#8fe0fa", hard: "#b7c3d9", heart: "#ef476f",
};
const ROWS = ["#e4576b", "#f08a4b", "#e9c46a", "#5fbf77", "#5a8dee", "#a97bea"];

function drawBreakout(ctx, game) {
  ctx.fillStyle = COLOURS.night;
  ctx.fillRect(0, 0, 480, 560);
  ctx.fillStyle = COLOURS.floor;
  ctx.fillRect(FIELD.left, FIELD.top, FIELD.right - FIELD.left, FIELD.bottom - FIELD.top);
  ctx.strokeStyle = COLOURS.frame;
  ctx.lineWidth = 4;
  ctx.strokeRect(FIELD.left - 2, FIELD.top - 2, FIELD.right - FIELD.left + 4, FIELD.bottom);
  if (!game.bricks) return;
  drawHud(ctx, game);
  game.bricks.filter((brick) => brick.hits > 0).forEach((brick) => drawBrick(ctx, brick));
  drawPaddle(ctx, game.paddle);
  ctx.fillStyle = COLOURS.ball;
  ctx.beginPath();
  ctx.arc(game.ball.x, game.ball.y, BALL.radius, 0, 2 * Math.PI);
  ctx.fill();
  if (game.serving) drawServe(ctx);
}

function drawHud(ctx, game) {
  drawLabel(ctx, "Score", 14, 21, COLOURS.label);
  drawNumber(ctx, game.score, 66, 11, 3, COLOURS.number);
  drawLabel(ctx, "Wall", 226, 21, COLOURS.label);
  drawNumber(ctx, game.level, 268, 11, 3, COLOURS.number);
  for (let life = 0; life < game.lives; life += 1) drawHeart(ctx, 452 - 26 * life, 21);
}

function drawHeart(ctx, x, y) {
  ctx.fillStyle = COLOURS.heart;
  ctx.beginPath();
  ctx.moveTo(x, y + 8);
  ctx.bezierCurveTo(x - 14, y - 2, x - 8, y - 11, x, y - 4);
  ctx.bezierCurveTo(x + 8, y - 11, x + 14, y - 2, x, y + 8);
  ctx.fill();
}

function drawBrick(ctx, { x, y, row, hits }) {
  ctx.fillStyle = hits > 1 ? COLOURS.hard : ROWS[row];
  ctx.fillRect(x, y, BRICK.width, BRICK.height);
  ctx.fillStyle = "rgba(255, 255, 255, 0.22)";
  ctx.fillRect(x, y, BRICK.width, 3);
  ctx.fillStyle = "rgba(0, 0, 0, 0.22)";
  ctx.fillRect(x, y + BRICK.height - 3, BRICK.width, 3);
}

function drawPaddle(ctx, x) {
  ctx.fillStyle = COLOURS.paddle;
  ctx.beginPath();
  ctx.roundRect(x - PADDLE.width / 2, PADDLE.y, PADDLE.width, PADDLE.height, 6);
  ctx.fill();
  ctx.fillStyle = COLOURS.shine;
  ctx.fillRect(x - PADDLE.width / 2 + 8, PADDLE.y + 2, PADDLE.width - 16, 2);
}

function drawServe(ctx) {
  ctx.textAlign = "center";
  ctx.font = `600 14px ${FONT}`;
  ctx.fillStyle = COLOURS.label;
  ctx.fillText("Space serves", 240, 420);
}
