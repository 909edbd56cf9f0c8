"use strict";

/*
 * A room is twenty columns of ground with thorns on it. It is laid out piece by piece from left to right; behind each
 * piece there is as much bare ground as a landing needs, so that every room can be passed.
 */

const TILE = 32;
const COLUMNS = 20;
const ROWS = 12;
const FLOOR_ROW = 9;
const PIT_ROW = 11;
const HIGHEST_ROW = 7;
const LOW_ROWS = 4; // thorns under a low ceiling hang so many rows above the ground
const GATE_STEPS = { sunk: 114, up: 66 };

class Room {
  constructor(number) {
    this.number = number;
    this.ground = Array(COLUMNS).fill(FLOOR_ROW); // per column: the row of its first block
    this.thorns = new Set(); // columns with thorns on their ground
    this.low = new Map(); // column → row of the thorns that hang from a low ceiling
    this.gates = [];
    this.embers = [];
    this.row = FLOOR_ROW;
    this.last = "";
    this.fill();
  }

  fill() {
    let column = 3;
    for (;;) {
      const piece = this.piece();
      if (column + piece.width + piece.rest > COLUMNS - 2) break;
      this.last = piece.name;
      this[piece.name](column, piece);
      column += piece.width + piece.rest;
    }
    for (let bare = column; bare < COLUMNS; bare += 1) this.ground[bare] = this.row;
  }

  /* What comes next: harder pieces join as the rooms go on, and none comes twice in a row. */
  piece() {
    const { number } = this;
    const widest = number >= 6 ? 3 : Math.min(2, number);
    const pieces = [
      { name: "patch", width: 1 + Math.floor(widest * Math.random()), rest: 3 },
      { name: "step", width: 1, rest: 4, up: this.row > HIGHEST_ROW },
    ];
    if (number >= 2) pieces.push({ name: "pit", width: number >= 5 && Math.random() < 0.5 ? 3 : 2, rest: 3 });
    if (number >= 3) pieces.push({ name: "gate", width: number >= 8 ? 4 : 3, rest: 2 });
    if (number >= 4) pieces.push({ name: "tunnel", width: 4, rest: 2 });
    const others = pieces.filter(({ name }) => name !== this.last);
    return others[Math.floor(others.length * Math.random())];
  }

  level(from, count) {
    for (let column = from; column < Math.min(COLUMNS, from + count); column += 1) this.ground[column] = this.row;
  }

  ember(column, high) {
    this.embers.push({ x: column * TILE, y: this.row * TILE - high });
  }

  patch(column, { width, rest }) {
    this.level(column, width + rest);
    for (let at = column; at < column + width; at += 1) this.thorns.add(at);
    if (Math.random() < 0.6) this.ember(column + width / 2, width === 1 ? 60 : 96);
  }

  step(column, { width, rest, up }) {
    this.row = up ? this.row - 1 - (this.row - 1 > HIGHEST_ROW && Math.random() < 0.5 ? 1 : 0) : FLOOR_ROW;
    this.level(column, width + rest);
  }

  pit(column, { width, rest }) {
    this.level(column, width + rest);
    for (let at = column; at < column + width; at += 1) {
      this.ground[at] = PIT_ROW;
      this.thorns.add(at);
    }
    if (Math.random() < 0.4) this.ember(column + width / 2, 92);
  }

  gate(column, { width, rest }) {
    this.level(column, width + rest);
    const phase = Math.floor((GATE_STEPS.sunk + GATE_STEPS.up) * Math.random());
    this.gates.push({ column, width, row: this.row, phase });
  }

  /* A thorn under a ceiling: a hop passes below what hangs there, a leap does not. */
  tunnel(column, { width, rest }) {
    this.level(column, width + rest);
    for (let at = column; at < column + width; at += 1) this.low.set(at, this.row - LOW_ROWS);
    this.thorns.add(column + 2);
  }

  /* Steps until a gate's thorns are up; 0: they are. */
  gateLeft({ phase }, steps) {
    const at = (steps + phase) % (GATE_STEPS.sunk + GATE_STEPS.up);
    return Math.max(0, GATE_STEPS.sunk - at);
  }

  solid(column, row) {
    if (column < 0 || column >= COLUMNS) return true;
    return row >= this.ground[column] || (this.low.has(column) && row < this.low.get(column));
  }

  /* Whether a body (left, top, width, height) touches thorns. A touch of their outermost pixels is forgiven. */
  pricks({ x, y, width, height }, steps) {
    const hits = (left, top, wide, high) => x + width > left && x < left + wide && y + height > top && y < top + high;
    for (const column of this.thorns) {
      if (hits(column * TILE + 6, this.ground[column] * TILE - 20, TILE - 12, 20)) return true;
    }
    for (const [column, row] of this.low) if (hits(column * TILE + 6, row * TILE, TILE - 12, 18)) return true;
    return this.gates.some((gate) => {
      const up = this.gateLeft(gate, steps) === 0;
      return up && hits(gate.column * TILE + 6, gate.row * TILE - 20, gate.width * TILE - 12, 20);
    });
  }
}
