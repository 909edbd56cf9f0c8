"use strict";

/* Maze's rules. A press is one step; a key that stays down walks on. Nothing happens by itself. */

const WAYS = { arrowup: [0, -1], arrowdown: [0, 1], arrowleft: [-1, 0], arrowright: [1, 0] };
const MAZES = 5;
const MOST_DOORS = 3;
const SPARE = { share: 1.6, moves: 12 }; // how long the lamp burns, by the shortest way out
const WALK = { after: 15, every: 7 }; // steps of a key held down
const SIGHT = 2; // cells around the walker that fog leaves free

class Maze {
  constructor({ firstLevel, fog }) {
    this.firstLevel = Math.min(MAZES, Math.max(1, firstLevel));
    this.fog = fog;
  }

  begin() {
    this.over = null;
    this.score = 0;
    this.moves = 0;
    this.taken = { keys: 0, doors: 0, mazes: 0 };
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.maze = layOutMaze(Math.min(level, MOST_DOORS));
    this.walker = { ...this.maze.start };
    this.carried = [];
    this.lampFull = Math.ceil(this.maze.needed * SPARE.share) + SPARE.moves;
    this.lamp = this.lampFull;
    this.seen = this.maze.walls.map((row) => row.map(() => !this.fog));
    this.heldSteps = 0;
    this.look();
  }

  step(keys) {
    for (const name of keys.tapped) if (WAYS[name] && !this.over) this.move(WAYS[name]);
    const held = Object.keys(WAYS).filter((name) => keys.down.has(name));
    this.heldSteps = held.length === 1 && !keys.tapped.length ? this.heldSteps + 1 : 0;
    const walks = this.heldSteps >= WALK.after && (this.heldSteps - WALK.after) % WALK.every === 0;
    if (walks && !this.over) this.move(WAYS[held[0]]);
  }

  move([dx, dy]) {
    const to = { x: this.walker.x + dx, y: this.walker.y + dy };
    if (this.maze.walls[to.y][to.x] || !this.opens(to)) return;
    this.walker = to;
    this.moves += 1;
    this.lamp -= 1;
    this.look();
    this.takeKey();
    if (to.x === this.maze.exit.x && to.y === this.maze.exit.y) this.leave();
    else if (this.lamp === 0) this.over = { outcome: "loss", reason: "The lamp has burnt out" };
  }

  /* Whether a place can be entered: a door is opened for good by its key. */
  opens(place) {
    const door = this.maze.doors.find((one) => one.x === place.x && one.y === place.y);
    if (!door) return true;
    if (!this.carried.includes(door.colour)) return false;
    this.maze.doors = this.maze.doors.filter((one) => one !== door);
    this.taken.doors += 1;
    this.score += 10;
    return true;
  }

  takeKey() {
    const key = this.maze.keys.find((one) => one.x === this.walker.x && one.y === this.walker.y);
    if (!key) return;
    this.maze.keys = this.maze.keys.filter((one) => one !== key);
    this.carried.push(key.colour);
    this.taken.keys += 1;
    this.score += 10;
  }

  leave() {
    this.taken.mazes += 1;
    this.score += 50;
    if (this.level === MAZES) this.over = { outcome: "win", reason: "Every maze is behind you" };
    else this.startLevel(this.level + 1);
  }

  look() {
    for (let y = this.walker.y - SIGHT; y <= this.walker.y + SIGHT; y += 1) {
      for (let x = this.walker.x - SIGHT; x <= this.walker.x + SIGHT; x += 1) {
        if (this.seen[y]?.[x] !== undefined) this.seen[y][x] = true;
      }
    }
  }

  state() {
    const { maze } = this;
    return {
      score: this.score,
      level: this.level,
      progress: this.taken.mazes / MAZES,
      player: { ...this.walker, carried: this.carried, lamp: this.lamp },
      board: { walls: maze.walls.map((row) => row.map((wall) => (wall ? "#" : ".")).join("")), exit: maze.exit },
      entities: [
        ...maze.keys.map((key) => ({ kind: "key", ...key })),
        ...maze.doors.map((door) => ({ kind: "door", ...door })),
      ],
      metrics: { ...this.taken, moves: this.moves, lamp: this.lamp },
      raw: { needed: maze.needed, lamp_full: this.lampFull, fog: this.fog },
    };
  }
}
