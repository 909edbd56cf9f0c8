"use strict";

/* Breakout's rules. Pixels and seconds; the ball moves in quarter steps, so that it never jumps a brick. */

const FIELD = { left: 8, right: 472, top: 44, bottom: 560 };
const BRICK = { left: 12, top: 100, width: 48, height: 20, stepX: 51, stepY: 24, columns: 9 };
const PADDLE = { y: 516, width: 84, height: 12, speed: 420 };
const BALL = { radius: 7, slowest: 320, fastest: 460, perHit: 3, perLevel: 25 };
const STEEPEST = Math.PI / 3; // how far from upright the paddle's ends send the ball
const LEVELS = 3;
const LIVES = 3;
const SUBSTEPS = 4;
const SECONDS = 1 / 60;

class Breakout {
  constructor(firstLevel) {
    this.firstLevel = Math.min(LEVELS, Math.max(1, firstLevel));
  }

  begin() {
    this.over = null;
    this.score = 0;
    this.broken = 0;
    this.cleared = 0;
    this.returns = 0;
    this.lives = LIVES;
    this.paddle = (FIELD.left + FIELD.right) / 2;
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.bricks = layOutBricks(level);
    this.serve();
  }

  serve() {
    this.serving = true;
    this.speed = BALL.slowest + BALL.perLevel * (this.level - 1);
    this.ball = { x: this.paddle, y: PADDLE.y - BALL.radius - 1, vx: 0, vy: 0 };
  }

  launch() {
    this.serving = false;
    this.send((Math.random() - 0.5) * 1.2);
  }

  /* Sends the ball upwards, `angle` from upright. */
  send(angle) {
    this.ball.vx = this.speed * Math.sin(angle);
    this.ball.vy = -this.speed * Math.cos(angle);
  }

  step(keys) {
    const way = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    const half = PADDLE.width / 2;
    const moved = this.paddle + way * PADDLE.speed * SECONDS;
    this.paddle = Math.min(FIELD.right - half, Math.max(FIELD.left + half, moved));
    if (this.serving) {
      this.ball.x = this.paddle;
      if (keys.tapped.includes(" ")) this.launch();
      return;
    }
    for (let part = 0; part < SUBSTEPS && !this.serving && !this.over; part += 1) this.moveBall();
  }

  moveBall() {
    const { ball } = this;
    const before = { x: ball.x, y: ball.y };
    ball.x += (ball.vx * SECONDS) / SUBSTEPS;
    ball.y += (ball.vy * SECONDS) / SUBSTEPS;
    if (ball.x < FIELD.left + BALL.radius) ball.vx = Math.abs(ball.vx);
    if (ball.x > FIELD.right - BALL.radius) ball.vx = -Math.abs(ball.vx);
    if (ball.y < FIELD.top + BALL.radius) ball.vy = Math.abs(ball.vy);
    this.hitBrick(before);
    if (ball.vy > 0) this.meetPaddle();
    if (ball.y > FIELD.bottom + BALL.radius) this.lose();
  }

  meetPaddle() {
    const { ball } = this;
    const reach = PADDLE.width / 2 + BALL.radius;
    const off = ball.x - this.paddle;
    const level = ball.y + BALL.radius >= PADDLE.y && ball.y < PADDLE.y + PADDLE.height;
    if (!level || Math.abs(off) > reach) return;
    this.returns += 1;
    this.speed = Math.min(BALL.fastest, this.speed + BALL.perHit);
    this.send((off / reach) * STEEPEST);
  }

  hitBrick(before) {
    const { ball } = this;
    const brick = this.bricks.find((one) => one.hits > 0 && touches(ball, one));
    if (!brick) return;
    const beside = before.x < brick.x || before.x > brick.x + BRICK.width;
    const level = before.y >= brick.y && before.y <= brick.y + BRICK.height;
    if (beside && level) ball.vx = Math.sign(before.x - brick.x - BRICK.width / 2) * Math.abs(ball.vx);
    else ball.vy = Math.sign(before.y - brick.y - BRICK.height / 2) * Math.abs(ball.vy);
    brick.hits -= 1;
    this.score += 10;
    if (brick.hits > 0) return;
    this.broken += 1;
    if (this.left() === 0) this.clear();
  }

  left() {
    return this.bricks.filter((brick) => brick.hits > 0).length;
  }

  clear() {
    this.cleared += 1;
    this.score += 100;
    if (this.level === LEVELS) this.over = { outcome: "win", reason: "All walls are down" };
    else this.startLevel(this.level + 1);
  }

  lose() {
    this.lives -= 1;
    if (this.lives === 0) this.over = { outcome: "loss", reason: "The last ball is lost" };
    else this.serve();
  }

  state() {
    const { ball } = this;
    return {
      score: this.score,
      level: this.level,
      progress: 1 - this.left() / this.bricks.length,
      player: { x: this.paddle, y: PADDLE.y, lives: this.lives },
      board: this.bricks.map(({ row, column, hits }) => ({ row, column, hits })),
      entities: [{ kind: "ball", x: ball.x, y: ball.y, vx: ball.vx, vy: ball.vy }],
      metrics: { bricks: this.broken, cleared: this.cleared, returns: this.returns, lives: this.lives },
      raw: { serving: this.serving, speed: this.speed, bricks_left: this.left() },
    };
  }
}

/* A wall that mirrors left and right; chance leaves some bricks out and, from the second, hardens some. */
function layOutBricks(level) {
  const bricks = [];
  const middle = (BRICK.columns - 1) / 2;
  for (let row = 0; row < 3 + level; row += 1) {
    for (let column = 0; column <= middle; column += 1) {
      const chance = Math.random();
      if (chance < 0.12) continue;
      const hits = level > 1 && chance > 1 - 0.15 * level ? 2 : 1;
      for (const where of new Set([column, BRICK.columns - 1 - column])) {
        const [x, y] = [BRICK.left + where * BRICK.stepX, BRICK.top + row * BRICK.stepY];
        bricks.push({ row, column: where, x, y, hits });
      }
    }
  }
  return bricks;
}

function touches(ball, brick) {
  const nearX = Math.min(brick.x + BRICK.width, Math.max(brick.x, ball.x));
  const nearY = Math.min(brick.y + BRICK.height, Math.max(brick.y, ball.y));
  return (ball.x - nearX) ** 2 + (ball.y - nearY) ** 2 < BALL.radius ** 2;
}
