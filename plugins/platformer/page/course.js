"use strict";

/* Lays out a course, piece by piece, by chance: columns of ground with gaps, blocks, coins, walkers and a flag. */

const TILE = 32;
const ROWS = 15;
const GROUND_ROW = 12;
const NO_GROUND = ROWS;
const PIECES = { 1: 9, 2: 12, 3: 15 }; // how many a course has, by its level

/*
 * One course: {columns: row of the ground's top for each column (NO_GROUND over a gap), blocks, coins, walkers,
 * flag: column, checkpoints: columns}. Blocks and coins are {x, y} in tiles, walkers {left, right} in tiles.
 */
class Course {
  constructor(level) {
    Object.assign(this, { columns: [], blocks: [], coins: [], walkers: [], checkpoints: [2] });
    this.flat(9);
    const kinds = ["gap", "step", "walker", "shelf", "island"];
    let last = "";
    for (let number = 0; number < PIECES[level]; number += 1) {
      const choice = kinds.filter((kind) => kind !== last);
      last = choice[Math.floor(Math.random() * choice.length)];
      this[last](level);
      this.checkpoints.push(this.columns.length + 1);
      this.flat(4 + between(0, 1));
    }
    this.flag = this.columns.length + 2;
    this.flat(24);
  }

  flat(width, row = GROUND_ROW) {
    for (let at = 0; at < width; at += 1) this.columns.push(row);
  }

  gap(level) {
    const width = between(2, level === 1 ? 2 : 3);
    const left = this.columns.length;
    this.coins.push({ x: left + (width - 1) / 2, y: GROUND_ROW - 4 });
    this.flat(width, NO_GROUND);
    this.flat(2);
  }

  step(level) {
    const height = between(1, level === 1 ? 1 : 2);
    const left = this.columns.length;
    this.flat(between(3, 5), GROUND_ROW - height);
    this.coins.push({ x: left + 1, y: GROUND_ROW - height - 1 }, { x: left + 2, y: GROUND_ROW - height - 1 });
    this.flat(2);
  }

  walker() {
    const left = this.columns.length;
    this.walkers.push({ left: left + 1, right: left + 8 });
    this.flat(10);
  }

  shelf() {
    const left = this.columns.length;
    for (let at = 2; at < 5; at += 1) {
      this.blocks.push({ x: left + at, y: GROUND_ROW - 3 });
      this.coins.push({ x: left + at, y: GROUND_ROW - 4 });
    }
    this.coins.push({ x: left + 5, y: GROUND_ROW - 1 });
    this.flat(7);
  }

  island() {
    const left = this.columns.length;
    this.flat(2, NO_GROUND);
    this.flat(3);
    this.flat(2, NO_GROUND);
    this.coins.push({ x: left + 3, y: GROUND_ROW - 1 }, { x: left + 3, y: GROUND_ROW - 3 });
    this.flat(2);
  }
}

function between(least, most) {
  return least + Math.floor(Math.random() * (most - least + 1));
}
