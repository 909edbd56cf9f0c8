"use strict";
// The rules of Mines, without a screen. Chance comes from Math.random alone.

const SIDE = 10;
const CELLS = SIDE * SIDE;

function neighbours(cell) {
  const found = [];
  const column = cell % SIDE;
  const row = Math.floor(cell / SIDE);
  for (let y = Math.max(0, row - 1); y <= Math.min(SIDE - 1, row + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(SIDE - 1, column + 1); x += 1) {
      if (x !== column || y !== row) found.push(y * SIDE + x);
    }
  }
  return found;
}

class Mines {
  constructor(count) {
    this.count = Math.max(1, Math.min(CELLS - 10, count));
    this.mined = null; // laid at the first opening
    this.open = Array(CELLS).fill(false);
    this.flagged = Array(CELLS).fill(false);
    this.clicks = 0;
    this.hit = -1; // the mine that was opened
  }

  get opened() { return this.open.filter(Boolean).length; }
  get safe() { return CELLS - this.count; }
  get flags() { return this.flagged.filter(Boolean).length; }
  get won() { return this.hit < 0 && this.opened === this.safe; }
  get over() { return this.hit >= 0 || this.won; }

  get rightFlags() {
    return this.flagged.filter((flag, cell) => flag && this.mined && this.mined[cell]).length;
  }

  // Mines lie anywhere but on the first opened cell and around it.
  lay(first) {
    const kept = new Set([first, ...neighbours(first)]);
    const places = [...Array(CELLS).keys()].filter((cell) => !kept.has(cell));
    for (let i = places.length - 1; i > 0; i -= 1) {
      const other = Math.floor(Math.random() * (i + 1));
      [places[i], places[other]] = [places[other], places[i]];
    }
    this.mined = Array(CELLS).fill(false);
    places.slice(0, this.count).forEach((cell) => { this.mined[cell] = true; });
  }

  near(cell) {
    return this.mined ? neighbours(cell).filter((other) => this.mined[other]).length : 0;
  }

  // Open a cell; where none of its neighbours is mined they open too. Flagged cells stay closed.
  uncover(cell) {
    if (this.over || this.open[cell] || this.flagged[cell]) return false;
    if (!this.mined) this.lay(cell);
    this.clicks += 1;
    if (this.mined[cell]) {
      this.hit = cell;
      return true;
    }
    const todo = [cell];
    while (todo.length) {
      const next = todo.pop();
      if (this.open[next] || this.flagged[next]) continue;
      this.open[next] = true;
      if (this.near(next) === 0) todo.push(...neighbours(next));
    }
    return true;
  }

  flag(cell) {
    if (this.over || this.open[cell]) return false;
    this.flagged[cell] = !this.flagged[cell];
    return true;
  }
}
