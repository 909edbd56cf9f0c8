"use strict";

/*
 * Ring Runner's rules. A runner runs along the inside of a tunnel of tiles with holes; left and right lead round
 * the wall, and down is always where the runner stands. Places round the wall are tiles from 0 to RING.tiles, z is
 * the way run in metres, up is towards the tunnel's middle; times are steps of 1/60 s.
 */

const RING = { tiles: 10, side: 2, row: 3, ahead: 66 };
RING.inner = RING.side / 2 / Math.tan(Math.PI / RING.tiles); // from the middle to the middle of a tile
const RUNNER = { aside: 4.6, pull: 70, leap: 6.8, weight: 21, edge: 0.12, lost: -3.2 };
const PACE = { first: 9, most: 16, metres: 55 }; // a metre a second more for so many metres
const PART = { rows: 18, bare: 7, rest: 2 };
const PARTS = ["holes", "band", "gaps", "holes", "thread", "gaps", "sparse", "band", "thread"];
const SHARE = { holes: 0.72, sparse: 0.4, band: 0, thread: 0, gaps: 0.85 }; // of tiles beside the sure way
const BAND = { band: 2, thread: 0 }; // tiles at each side of the sure way
const GAP = { every: 5 };
const GEM = { every: 5, reach: 0.55, high: 1.6 };

const around = (place) => ((place % RING.tiles) + RING.tiles) % RING.tiles;
/* How far it is from a place to another, the shorter way round. */
const apart = (from, to) => around(to - from + RING.tiles / 2) - RING.tiles / 2;

class RingRun {
  /* pace: metres a second at the start. kind: what every part is; empty: they change. */
  constructor({ pace, kind }) {
    this.first = Math.min(PACE.most, Math.max(6, pace));
    this.kind = PARTS.includes(kind) ? kind : "";
  }

  begin() {
    this.over = null;
    this.runner = { at: 0, turn: 0, z: 1.5, up: 0, vy: 0, stands: true, fell: false };
    this.rows = [];
    this.gone = 0;
    this.gems = [];
    this.taken = 0;
    this.way = 0;
    this.moved = false;
    this.leaning = 0.5;
    this.sparks = new Sparks();
    this.layAhead();
  }

  get pace() {
    return Math.min(PACE.most, this.first + this.runner.z / PACE.metres);
  }

  kindOf(row) {
    if (row < PART.bare) return "bare";
    const part = Math.floor((row - PART.bare) / PART.rows);
    return (row - PART.bare) % PART.rows < PART.rest ? "rest" : this.kind || PARTS[part % PARTS.length];
  }

  layAhead() {
    while ((this.gone + this.rows.length) * RING.row < this.runner.z + RING.ahead) this.layRow();
  }

  /* Each row has the tile of a sure way, which goes one tile aside at most; a gap has none. */
  layRow() {
    const row = this.gone + this.rows.length;
    const kind = this.kindOf(row);
    const gap = kind === "gaps" && row % GAP.every === 0;
    const before = this.way;
    const sure = kind === "bare" || gap || (kind === "gaps" && row % GAP.every === 1);
    this.moved = !sure && !this.moved && Math.random() < 0.75;
    if (this.moved) this.way = around(before + (Math.random() < this.leaning ? 1 : -1));
    if (Math.random() < 0.12) this.leaning = Math.random() < 0.5 ? 0.85 : 0.15;
    const tiles = Array.from({ length: RING.tiles }, (_, tile) => {
      const off = Math.min(Math.abs(apart(tile, this.way)), Math.abs(apart(tile, before)));
      if (gap) return false;
      if (kind === "bare" || kind === "rest" || off <= (BAND[kind] ?? 0)) return true;
      return Math.random() < SHARE[kind];
    });
    this.rows.push(tiles);
    if (row > PART.bare && row % GEM.every === 3) this.layGem(row, tiles);
  }

  layGem(row, tiles) {
    const places = [-2, -1, 0, 1, 2].map((off) => around(this.way + off)).filter((tile) => tiles[tile]);
    if (!places.length) return;
    const tile = places[Math.floor(Math.random() * places.length)];
    this.gems.push({ at: tile, z: (row + 0.5) * RING.row });
  }

  /* Whether there is a tile underfoot; a foot's breadth beyond an edge still holds. */
  holds(at, z) {
    const tiles = this.rows[Math.floor(z / RING.row) - this.gone];
    if (!tiles) return true;
    return [-RUNNER.edge, 0, RUNNER.edge].some((off) => tiles[around(Math.round(at + off))]);
  }

  step(keys) {
    const { runner } = this;
    const wish = (keys.held("arrowright") || keys.held("d")) - (keys.held("arrowleft") || keys.held("a"));
    const leap = keys.held("arrowup") || keys.held("w") || keys.held(" ");
    const gain = RUNNER.pull / 60;
    runner.turn += Math.min(gain, Math.max(-gain, wish * RUNNER.aside - runner.turn));
    runner.at = around(runner.at + runner.turn / 60);
    runner.z += this.pace / 60;
    this.fall(leap);
    this.sparks.step();
    this.take();
    while ((this.gone + 1) * RING.row < runner.z - 9) {
      this.rows.shift();
      this.gone += 1;
    }
    this.gems = this.gems.filter((gem) => gem.z > runner.z - 6);
    this.layAhead();
  }

  fall(leap) {
    const { runner } = this;
    if (runner.stands && leap && !runner.fell) Object.assign(runner, { vy: RUNNER.leap, stands: false });
    if (runner.stands && !this.holds(runner.at, runner.z)) runner.stands = false;
    if (runner.stands) return;
    runner.vy -= RUNNER.weight / 60;
    runner.up += runner.vy / 60;
    if (runner.up > 0 || runner.fell) {
      if (runner.up < RUNNER.lost) {
        this.over = { outcome: "loss", reason: `Through a hole after ${Math.floor(runner.z)} metres` };
      }
    } else if (this.holds(runner.at, runner.z)) Object.assign(runner, { up: 0, vy: 0, stands: true });
    else runner.fell = true;
  }

  take() {
    const { runner } = this;
    const near = ({ at, z }) =>
      Math.abs(z - runner.z) < 0.9 && Math.abs(apart(runner.at, at)) < GEM.reach && runner.up < GEM.high;
    const taken = this.gems.filter(near);
    if (!taken.length || runner.fell) return;
    this.gems = this.gems.filter((gem) => !near(gem));
    this.taken += taken.length;
    this.sparks.burst(320, 350, "#fff3b0", 16, 220);
  }

  state() {
    const { runner } = this;
    const first = Math.max(0, Math.floor(runner.z / RING.row) - this.gone);
    return {
      score: Math.floor(runner.z),
      level: 1 + Math.floor(runner.z / (PART.rows * PARTS.length * RING.row)),
      progress: Math.min(1, runner.z / 1500),
      player: { at: runner.at, z: runner.z, up: runner.up, stands: runner.stands },
      board: this.rows.slice(first, first + 15).map((tiles) => tiles.map((tile) => (tile ? "#" : ".")).join("")),
      entities: this.gems.map(({ at, z }) => ({ kind: "gem", at, z })),
      metrics: { metres: Math.floor(runner.z), gems: this.taken, pace: this.pace },
      raw: { kind: this.kindOf(Math.floor(runner.z / RING.row)), first: this.gone + first },
    };
  }
}
