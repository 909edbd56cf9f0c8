"use strict";
// The rules of Tiles, without a screen. Chance comes from Math.random alone.

const SIDE = 4;
const DIRECTIONS = ["left", "up", "down", "right"];
const RICH_START = [512, 256, 128, 64];

// One row pushed to its beginning: equal neighbours join, each tile once a move.
function pushed(row) {
  const tiles = row.map((value, from) => ({ value, from })).filter((tile) => tile.value);
  const values = [];
  const ways = []; // [from, to, value before]
  let gained = 0;
  for (let i = 0; i < tiles.length; i += 1) {
    const next = tiles[i + 1];
    const to = values.length;
    ways.push([tiles[i].from, to, tiles[i].value]);
    if (next && next.value === tiles[i].value) {
      ways.push([next.from, to, next.value]);
      values.push(2 * next.value);
      gained += 2 * next.value;
      i += 1;
    } else {
      values.push(tiles[i].value);
    }
  }
  while (values.length < row.length) values.push(0);
  return { values, ways, gained };
}

// The cells of a line, in the order in which a direction pushes them to its beginning.
function lineCells(direction, index) {
  const along = [...Array(SIDE).keys()];
  if (direction === "right" || direction === "down") along.reverse();
  const across = direction === "left" || direction === "right";
  return along.map((step) => (across ? index * SIDE + step : step * SIDE + index));
}

class Tiles {
  constructor(begin = "") {
    this.cells = Array(SIDE * SIDE).fill(0);
    this.score = 0;
    this.moves = 0;
    this.blocked = 0;
    this.merges = 0;
    this.last = ""; // the last direction that moved something
    this.refused = ""; // the direction of the last press, where nothing moved
    if (begin === "rich") RICH_START.forEach((value, i) => { this.cells[12 + i] = value; });
    this.added = [this.add(), this.add()];
  }

  get largest() { return Math.max(...this.cells); }

  get over() {
    return !this.cells.includes(0) && DIRECTIONS.every((direction) => !this.pushed(direction).moved);
  }

  // A new tile on a free cell: 2 nine times of ten, else 4.
  add() {
    const free = this.cells.flatMap((value, i) => (value ? [] : [i]));
    const cell = free[Math.floor(Math.random() * free.length)];
    this.cells[cell] = Math.random() < 0.9 ? 2 : 4;
    return cell;
  }

  pushed(direction) {
    const cells = [...this.cells];
    const ways = [];
    let gained = 0;
    for (let index = 0; index < SIDE; index += 1) {
      const line = lineCells(direction, index);
      const row = pushed(line.map((cell) => this.cells[cell]));
      row.values.forEach((value, i) => { cells[line[i]] = value; });
      row.ways.forEach(([from, to, value]) => ways.push({ from: line[from], to: line[to], value }));
      gained += row.gained;
    }
    return { cells, ways, gained, moved: cells.some((value, i) => value !== this.cells[i]) };
  }

  // Push everything one way. Returns the ways the tiles went, or null where nothing moves.
  move(direction) {
    const result = this.pushed(direction);
    this.refused = result.moved ? "" : direction;
    this.last = result.moved ? direction : "";
    if (!result.moved) {
      this.blocked += 1;
      return null;
    }
    this.cells = result.cells;
    this.score += result.gained;
    this.moves += 1;
    this.merges += new Set(result.ways.map((way) => way.to)).size < result.ways.length ? 1 : 0;
    this.added = [this.add()];
    return result.ways;
  }
}
