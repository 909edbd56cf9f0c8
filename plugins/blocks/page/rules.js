"use strict";
// The rules of Blocks, without a screen. Chance comes from Math.random alone, in whole bags of seven.

const COLUMNS = 10;
const ROWS = 20;
const LINE_POINTS = [0, 100, 300, 500, 800];
const KICKS = [0, -1, 1, -2, 2]; // sideways places tried where a turn does not fit
const FIRST_FALL_MS = 800;
const FALL_SHARE = 0.85; // each level's time for a row, against the level before
const SHAPES = {
  I: ["....", "####", "....", "...."], O: ["##", "##"], T: [".#.", "###", "..."], S: [".##", "##.", "..."],
  Z: ["##.", ".##", "..."], J: ["#..", "###", "..."], L: ["..#", "###", "..."],
};

function turned(shape) {
  return shape.map((_, y) => shape.map((__, x) => shape[shape.length - 1 - x][y]).join(""));
}

// The cells of a kind in a rotation (quarter turns clockwise), inside its own square.
const CELLS_OF = Object.fromEntries(Object.entries(SHAPES).map(([kind, first]) => {
  const rotations = [first];
  while (rotations.length < 4) rotations.push(turned(rotations[rotations.length - 1]));
  return [kind, rotations.map((shape) => shape.flatMap((row, y) =>
    [...row].flatMap((sign, x) => (sign === "#" ? [[x, y]] : []))))];
}));

class Blocks {
  constructor({ level = 1, garbage = 0 } = {}) {
    this.first = level;
    this.rows = Array.from({ length: ROWS }, () => Array(COLUMNS).fill(""));
    for (let row = ROWS - garbage; row < ROWS; row += 1) {
      const hole = Math.floor(Math.random() * COLUMNS);
      this.rows[row] = Array.from({ length: COLUMNS }, (_, x) => (x === hole ? "" : "G"));
    }
    this.garbage = garbage;
    this.score = 0;
    this.lines = 0;
    this.cleared = 0; // lines by the last block
    this.quads = 0;
    this.landed = 0; // blocks
    this.over = false;
    this.bag = [];
    this.next = this.draw();
    this.enter();
  }

  get level() { return this.first + Math.floor(this.lines / 10); }
  get fallMs() { return Math.max(70, FIRST_FALL_MS * FALL_SHARE ** (this.level - 1)); }
  get height() { return ROWS - Math.min(ROWS, ...this.rows.flatMap((row, y) => (row.some(Boolean) ? [y] : []))); }

  get holes() {
    let holes = 0;
    for (let x = 0; x < COLUMNS; x += 1) {
      const top = this.rows.findIndex((row) => row[x]);
      if (top >= 0) holes += this.rows.slice(top).filter((row) => !row[x]).length;
    }
    return holes;
  }

  get garbageLeft() { return this.rows.filter((row) => row.includes("G")).length; }

  draw() {
    if (!this.bag.length) {
      this.bag = Object.keys(SHAPES);
      for (let i = this.bag.length - 1; i > 0; i -= 1) {
        const other = Math.floor(Math.random() * (i + 1));
        [this.bag[i], this.bag[other]] = [this.bag[other], this.bag[i]];
      }
    }
    return this.bag.pop();
  }

  enter() {
    const kind = this.next;
    this.next = this.draw();
    const x = Math.floor((COLUMNS - SHAPES[kind].length) / 2);
    this.block = { kind, rotation: 0, x, y: 0 };
    this.over = !this.fits(this.block);
  }

  cells(block) {
    return CELLS_OF[block.kind][block.rotation].map(([x, y]) => [block.x + x, block.y + y]);
  }

  fits(block) {
    return this.cells(block).every(([x, y]) =>
      x >= 0 && x < COLUMNS && y < ROWS && (y < 0 || !this.rows[y][x]));
  }

  // Try to change the block; whether it fitted.
  change(change) {
    const block = { ...this.block, ...change };
    if (this.over || !this.fits(block)) return false;
    this.block = block;
    return true;
  }

  shift(dx) { return this.change({ x: this.block.x + dx }); }

  turn(quarters) {
    const rotation = (this.block.rotation + quarters + 4) % 4;
    return KICKS.some((dx) => this.change({ rotation, x: this.block.x + dx }));
  }

  // One row down, or what is under it keeps it there for good.
  fall() {
    if (this.over || this.change({ y: this.block.y + 1 })) return;
    this.land();
  }

  soft() {
    if (!this.change({ y: this.block.y + 1 })) return false;
    this.score += 1;
    return true;
  }

  drop() {
    while (this.change({ y: this.block.y + 1 })) this.score += 2;
    this.land();
  }

  land() {
    if (this.over) return;
    for (const [x, y] of this.cells(this.block)) {
      if (y >= 0) this.rows[y][x] = this.block.kind;
    }
    const kept = this.rows.filter((row) => !row.every(Boolean));
    this.cleared = ROWS - kept.length;
    this.score += LINE_POINTS[this.cleared] * this.level;
    this.lines += this.cleared;
    this.quads += this.cleared === 4 ? 1 : 0;
    this.landed += 1;
    while (kept.length < ROWS) kept.unshift(Array(COLUMNS).fill(""));
    this.rows = kept;
    this.enter();
  }

  // Where the block would land.
  landing() {
    const block = { ...this.block };
    while (this.fits({ ...block, y: block.y + 1 })) block.y += 1;
    return block;
  }
}
