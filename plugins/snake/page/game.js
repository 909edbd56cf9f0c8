"use strict";

/* Snake's rules. The board counts cells from 0; the snake goes one cell a tick, and the fruit lies still. */

const SIDE = 16;
const WAYS = {
  arrowup: { x: 0, y: -1 }, arrowdown: { x: 0, y: 1 }, arrowleft: { x: -1, y: 0 }, arrowright: { x: 1, y: 0 },
};
const TICK_STEPS = { calm: 14, fast: 9 };
const MOST_TURNS = 2; // turns that wait for their tick
const FEAST = 40;

class Snake {
  constructor({ pace, walls }) {
    this.tickSteps = TICK_STEPS[pace] ?? TICK_STEPS.calm;
    this.walled = walls;
  }

  begin() {
    this.over = null;
    this.eaten = 0;
    this.ticks = 0;
    this.sinceTick = 0;
    this.way = WAYS.arrowright;
    this.turns = [];
    this.body = [5, 4, 3].map((x) => ({ x, y: SIDE / 2 }));
    this.walls = this.walled ? layOutWalls() : [];
    this.food = this.place();
  }

  /* A free cell, each as likely; null where none is left. */
  place() {
    const free = [];
    for (let y = 0; y < SIDE; y += 1) {
      for (let x = 0; x < SIDE; x += 1) if (!this.taken({ x, y })) free.push({ x, y });
    }
    return free.length ? free[Math.floor(Math.random() * free.length)] : null;
  }

  taken(cell) {
    return holds(this.body, cell) || holds(this.walls, cell);
  }

  step(keys) {
    for (const name of keys.tapped) if (WAYS[name]) this.turn(WAYS[name]);
    this.sinceTick += 1;
    if (this.sinceTick < this.tickSteps) return;
    this.sinceTick = 0;
    this.tick();
  }

  /* Turns wait for their ticks; one back into its own neck is none. */
  turn(way) {
    const last = this.turns.at(-1) ?? this.way;
    const across = way.x * last.x + way.y * last.y === 0;
    if (across && this.turns.length < MOST_TURNS) this.turns.push(way);
  }

  tick() {
    this.ticks += 1;
    this.way = this.turns.shift() ?? this.way;
    const head = { x: this.body[0].x + this.way.x, y: this.body[0].y + this.way.y };
    const eats = same(head, this.food);
    const rest = eats ? this.body : this.body.slice(0, -1);
    const outside = Math.min(head.x, head.y) < 0 || Math.max(head.x, head.y) >= SIDE;
    if (outside || holds(this.walls, head)) this.end("loss", "The snake ran into a wall");
    else if (holds(rest, head)) this.end("loss", "The snake bit itself");
    else this.advance([head, ...rest], eats);
  }

  advance(body, eats) {
    this.body = body;
    if (!eats) return;
    this.eaten += 1;
    this.food = this.place();
    if (this.eaten === FEAST || !this.food) this.end("win", "The snake is full");
  }

  end(outcome, reason) {
    this.over = { outcome, reason };
  }

  state() {
    return {
      score: this.eaten,
      level: 1,
      progress: this.eaten / FEAST,
      player: { ...this.body[0], way: this.way, length: this.body.length },
      board: { columns: SIDE, rows: SIDE, body: this.body, walls: this.walls },
      entities: this.food ? [{ kind: "fruit", ...this.food }] : [],
      metrics: { food: this.eaten, length: this.body.length, ticks: this.ticks },
      raw: { tick_steps: this.tickSteps },
    };
  }
}

/* Six short walls, two by two mirrored, away from where the snake begins. */
function layOutWalls() {
  const walls = [];
  for (const top of [2, 11]) {
    for (const left of [2, 6]) {
      if (top === 2 && left === 6 && Math.random() < 0.5) continue;
      const [x, y] = [left + Math.floor(Math.random() * 2), top + Math.floor(Math.random() * 2)];
      const upright = Math.random() < 0.5;
      for (let at = 0; at < 3; at += 1) {
        const cell = upright ? { x, y: y + at } : { x: x + at, y };
        walls.push(cell, { x: SIDE - 1 - cell.x, y: cell.y });
      }
    }
  }
  return walls.filter((cell, at) => walls.findIndex((other) => same(other, cell)) === at);
}

function same(a, b) {
  return a !== null && b !== null && a.x === b.x && a.y === b.y;
}

function holds(cells, cell) {
  return cells.some((one) => same(one, cell));
}
