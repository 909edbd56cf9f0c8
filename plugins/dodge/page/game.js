"use strict";

/*
 * The dodge maze's rules. Two figures cross lanes on which sweepers roll by; each gathers its gems and goes
 * home. A press is one cell. Cells count from 0; times are steps of 1/60 s.
 */

const MAZE = { columns: 15, rows: 11, lanes: [2, 4, 6, 8] };
const LEVELS = 3;
const LIVES = 5;
const GEMS = 3;
const GLIDE_STEPS = 6; // a figure takes this long from cell to cell
const SWEEPER = { perLane: 2, cellsPerSecond: [2.2, 2.8, 3.4], span: MAZE.columns + 2, reach: 0.66 };
const ROLES = {
  ember: { start: { x: 3, y: 10 }, home: { x: 11, y: 0 }, keys: { w: [0, -1], s: [0, 1], a: [-1, 0], d: [1, 0] } },
  frost: {
    start: { x: 11, y: 10 },
    home: { x: 3, y: 0 },
    keys: { arrowup: [0, -1], arrowdown: [0, 1], arrowleft: [-1, 0], arrowright: [1, 0] },
  },
};

class Dodge {
  /* partner: the role that the page itself plays; empty: both are played by keys. */
  constructor({ firstLevel, partner }) {
    this.firstLevel = Math.min(LEVELS, Math.max(1, firstLevel));
    this.partner = ROLES[partner] ? partner : "";
  }

  begin() {
    this.over = null;
    this.lives = LIVES;
    this.hits = 0;
    this.cleared = 0;
    this.gems = { ember: 0, frost: 0 };
    this.homes = { ember: 0, frost: 0 };
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.time = 0;
    this.walls = layOutWalls();
    this.sweepers = MAZE.lanes.flatMap(layOutLane);
    this.figures = Object.keys(ROLES).map((role) => ({ role, home: false, ...placed(ROLES[role].start) }));
    this.left = this.layOutGems();
  }

  /* Gems lie in the rows without sweepers, one in each of three. */
  layOutGems() {
    const gems = [];
    for (const role of Object.keys(ROLES)) {
      const rows = [1, 3, 5, 7, 9];
      for (let number = 0; number < GEMS; number += 1) {
        const [y] = rows.splice(Math.floor(Math.random() * rows.length), 1);
        const free = [...Array(MAZE.columns).keys()].filter(
          (x) => !this.walls[y][x] && !gems.some((gem) => gem.x === x && gem.y === y),
        );
        gems.push({ role, x: free[Math.floor(Math.random() * free.length)], y });
      }
    }
    return gems;
  }

  get speed() {
    return SWEEPER.cellsPerSecond[this.level - 1] / 60;
  }

  step(keys) {
    this.time += 1;
    for (const sweeper of this.sweepers) sweeper.x = wrapped(sweeper.x + sweeper.way * this.speed);
    for (const figure of this.figures) {
      const wish = figure.role === this.partner ? partnersWish(this, figure) : wishOf(figure, keys);
      this.move(figure, wish);
      this.meet(figure);
    }
    if (!this.over && this.figures.every((figure) => figure.home)) this.clear();
  }

  /* One cell, if it is free; a wish during a glide waits for its end. */
  move(figure, wish) {
    figure.glide = Math.max(0, figure.glide - 1);
    if (wish) figure.wish = wish;
    if (figure.glide > 0 || figure.home || !figure.wish) return;
    const [dx, dy] = figure.wish;
    figure.wish = null;
    if (!this.free(figure.x + dx, figure.y + dy)) return;
    figure.from = { x: figure.x, y: figure.y };
    figure.x += dx;
    figure.y += dy;
    figure.glide = GLIDE_STEPS;
    this.arrive(figure);
  }

  free(x, y) {
    return this.walls[y]?.[x] === false;
  }

  arrive(figure) {
    const at = (one) => one.x === figure.x && one.y === figure.y;
    const gem = this.left.find((one) => one.role === figure.role && at(one));
    if (gem) {
      this.left = this.left.filter((one) => one !== gem);
      this.gems[figure.role] += 1;
    }
    if (at(ROLES[figure.role].home) && !this.gemsLeft(figure.role)) {
      figure.home = true;
      this.homes[figure.role] += 1;
    }
  }

  gemsLeft(role) {
    return this.left.filter((gem) => gem.role === role).length;
  }

  meet(figure) {
    const { x, y } = seenAt(figure);
    const struck = this.sweepers.some((one) => Math.hypot(one.x - x, one.y - y) < SWEEPER.reach);
    if (!struck || figure.home) return;
    this.hits += 1;
    this.lives -= 1;
    Object.assign(figure, placed(ROLES[figure.role].start));
    if (this.lives === 0) this.over = { outcome: "loss", reason: "The last life is gone" };
  }

  clear() {
    this.cleared += 1;
    if (this.level === LEVELS) this.over = { outcome: "win", reason: "Both are home for good" };
    else this.startLevel(this.level + 1);
  }

  state() {
    const { gems, homes } = this;
    const total = { ember: gems.ember + 2 * homes.ember, frost: gems.frost + 2 * homes.frost };
    return {
      score: total.ember + total.frost,
      level: this.level,
      progress: this.cleared / LEVELS,
      player: Object.fromEntries(this.figures.map(({ role, x, y, home }) => [role, { x, y, home }])),
      board: this.walls.map((row) => row.map((wall) => (wall ? "#" : ".")).join("")),
      entities: [
        ...this.sweepers.map((one) => ({ kind: "sweeper", ...one })),
        ...this.left.map((gem) => ({ kind: "gem", ...gem })),
      ],
      metrics: {
        ember: total.ember, frost: total.frost, ember_gems: gems.ember, frost_gems: gems.frost,
        ember_homes: homes.ember, frost_homes: homes.frost, cleared: this.cleared, hits: this.hits, lives: this.lives,
      },
      raw: { partner: this.partner, cells_per_second: SWEEPER.cellsPerSecond[this.level - 1] },
    };
  }
}

function placed({ x, y }) {
  return { x, y, from: { x, y }, glide: 0, wish: null };
}

/* Where a figure is while it glides. */
function seenAt({ x, y, from, glide }) {
  const rest = glide / GLIDE_STEPS;
  return { x: x + (from.x - x) * rest, y: y + (from.y - y) * rest };
}

function wishOf(figure, keys) {
  const ways = ROLES[figure.role].keys;
  const tapped = keys.tapped.filter((name) => ways[name]).at(-1);
  return tapped ? ways[tapped] : null;
}

/* A sweeper that leaves on one side comes in on the other. */
function wrapped(x) {
  return ((((x + 1) % SWEEPER.span) + SWEEPER.span) % SWEEPER.span) - 1;
}

function layOutLane(y) {
  const way = Math.random() < 0.5 ? -1 : 1;
  const first = Math.random() * SWEEPER.span;
  const apart = SWEEPER.span / SWEEPER.perLane;
  return Array.from({ length: SWEEPER.perLane }, (_, number) => ({ x: wrapped(first + number * apart), y, way }));
}

/* Blocks in the rows between the lanes, never two side by side, so that every lane can be reached from all. */
function layOutWalls() {
  const walls = Array.from({ length: MAZE.rows }, () => Array(MAZE.columns).fill(false));
  for (let y = 1; y < MAZE.rows - 1; y += 2) {
    for (let x = 0; x < MAZE.columns; x += 1) {
      if (!walls[y][x - 1] && Math.random() < 0.42) walls[y][x] = true;
    }
  }
  return walls;
}
