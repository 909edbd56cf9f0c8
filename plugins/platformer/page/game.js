"use strict";

/* The platformer's rules. Pixels and seconds; places of the runner are its left upper corner in the course. */

const VIEW = { width: 640, height: 480, runnerAt: 200 };
const RUNNER = { width: 22, height: 30, speed: 195, jump: 650, cut: 230 };
const GRAVITY = 1800;
const FALL_MOST = 720;
const WALKER = { width: 28, height: 24, speed: 45 };
const LIVES = 3;
const LEVELS = 3;
const POINTS = { coin: 10, walker: 20, flag: 100 };
const SECONDS = 1 / 60;

class Platformer {
  constructor(firstLevel) {
    this.firstLevel = Math.min(LEVELS, Math.max(1, firstLevel));
  }

  begin() {
    this.over = null;
    this.score = 0;
    this.lives = LIVES;
    this.got = { coins: 0, walkers: 0, flags: 0 };
    this.tilesBefore = 0;
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.course = new Course(level);
    this.coins = this.course.coins.map((coin) => ({ ...coin }));
    this.walkers = this.course.walkers.map(({ left, right }) => ({
      left: left * TILE, right: right * TILE, x: right * TILE - WALKER.width, y: GROUND_ROW * TILE - WALKER.height, way: -1,
    }));
    this.farthest = 2 * TILE;
    this.setOut(2 * TILE);
  }

  setOut(x) {
    this.runner = { x, y: GROUND_ROW * TILE - RUNNER.height, vx: 0, vy: 0, standing: true, facing: 1 };
  }

  get camera() {
    const most = this.course.columns.length * TILE - VIEW.width;
    return Math.round(Math.min(most, Math.max(0, this.runner.x - VIEW.runnerAt)));
  }

  step(keys) {
    this.steer(keys);
    this.moveRunner();
    this.walkers.forEach((walker) => walk(walker));
    this.takeCoins();
    this.meetWalkers();
    this.farthest = Math.max(this.farthest, this.runner.x);
    if (this.runner.y > VIEW.height) this.lose("The runner fell");
    else if (this.runner.x > this.course.flag * TILE) this.reachFlag();
  }

  steer(keys) {
    const { runner } = this;
    const way = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    runner.vx = way * RUNNER.speed;
    if (way) runner.facing = way;
    const jumps = keys.tapped.includes("arrowup") || keys.tapped.includes(" ");
    if (jumps && runner.standing) runner.vy = -RUNNER.jump;
    const holds = keys.held("arrowup") || keys.held(" ");
    if (!holds && runner.vy < -RUNNER.cut) runner.vy = -RUNNER.cut;
  }

  moveRunner() {
    const { runner } = this;
    runner.x = Math.max(0, runner.x + runner.vx * SECONDS);
    if (this.blocked(runner)) {
      const edge = runner.vx > 0 ? runner.x + RUNNER.width : runner.x;
      runner.x = Math.floor(edge / TILE) * TILE + (runner.vx > 0 ? -RUNNER.width : TILE);
    }
    runner.vy = Math.min(FALL_MOST, runner.vy + GRAVITY * SECONDS);
    runner.y += runner.vy * SECONDS;
    runner.standing = false;
    if (!this.blocked(runner)) return;
    if (runner.vy > 0) {
      runner.y = Math.floor((runner.y + RUNNER.height - 0.001) / TILE) * TILE - RUNNER.height;
      runner.standing = true;
    } else {
      runner.y = Math.floor(runner.y / TILE) * TILE + TILE;
    }
    runner.vy = 0;
  }

  /* Whether the runner's place overlaps ground or a block. */
  blocked({ x, y }) {
    const rights = Math.floor((x + RUNNER.width - 0.001) / TILE);
    const bottoms = Math.floor((y + RUNNER.height - 0.001) / TILE);
    for (let column = Math.floor(x / TILE); column <= rights; column += 1) {
      for (let row = Math.floor(y / TILE); row <= bottoms; row += 1) if (this.solid(column, row)) return true;
    }
    return false;
  }

  solid(column, row) {
    if (row >= (this.course.columns[column] ?? NO_GROUND) && row < ROWS) return true;
    return this.course.blocks.some((block) => block.x === column && block.y === row);
  }

  takeCoins() {
    const { runner } = this;
    const middle = { x: runner.x + RUNNER.width / 2, y: runner.y + RUNNER.height / 2 };
    this.coins = this.coins.filter((coin) => {
      const away = Math.hypot((coin.x + 0.5) * TILE - middle.x, (coin.y + 0.5) * TILE - middle.y);
      if (away >= 26) return true;
      this.got.coins += 1;
      this.score += POINTS.coin;
      return false;
    });
  }

  meetWalkers() {
    const { runner } = this;
    const met = this.walkers.find((one) => overlap(runner, one));
    if (!met) return;
    if (runner.vy > 0 && runner.y + RUNNER.height < met.y + 16) {
      this.walkers = this.walkers.filter((one) => one !== met);
      this.got.walkers += 1;
      this.score += POINTS.walker;
      runner.vy = -RUNNER.jump / 2;
    } else {
      this.lose("A walker caught the runner");
    }
  }

  /* Back to the last checkpoint that was passed, as long as lives are left. */
  lose(reason) {
    this.lives -= 1;
    if (this.lives === 0) {
      this.over = { outcome: "loss", reason };
      return;
    }
    const passed = this.course.checkpoints.filter((column) => column * TILE <= this.farthest);
    this.setOut(passed.at(-1) * TILE);
  }

  reachFlag() {
    this.got.flags += 1;
    this.score += POINTS.flag;
    this.tilesBefore += Math.floor(this.farthest / TILE);
    if (this.level === LEVELS) this.over = { outcome: "win", reason: "The last flag is reached" };
    else this.startLevel(this.level + 1);
  }

  state() {
    const { runner, course } = this;
    const ended = this.over && this.over.outcome === "win";
    return {
      score: this.score,
      level: this.level,
      progress: Math.min(1, this.farthest / (course.flag * TILE)),
      player: { ...runner, lives: this.lives },
      board: { columns: course.columns, blocks: course.blocks, flag: course.flag },
      entities: [
        ...this.walkers.map((walker) => ({ kind: "walker", ...walker })),
        ...this.coins.map((coin) => ({ kind: "coin", ...coin })),
      ],
      metrics: {
        ...this.got, lives: this.lives,
        tiles: this.tilesBefore + (ended ? 0 : Math.floor(this.farthest / TILE)),
      },
      raw: { camera: this.camera },
    };
  }
}

function walk(walker) {
  walker.x += walker.way * WALKER.speed * SECONDS;
  if (walker.x < walker.left) walker.way = 1;
  if (walker.x + WALKER.width > walker.right) walker.way = -1;
}

function overlap(runner, walker) {
  const beside = runner.x + RUNNER.width > walker.x + 2 && runner.x < walker.x + WALKER.width - 2;
  return beside && runner.y + RUNNER.height > walker.y + 2 && runner.y < walker.y + WALKER.height;
}
