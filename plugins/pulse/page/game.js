"use strict";

/* The cube's rules. Pixels and seconds; heights grow upwards from the ground, x counts from the start. */

const VIEW = { width: 560, height: 360 };
const GROUND = 290;
const CUBE = { x: 140, side: 32, half: 14 };
const PACE = 300; // three cells, a beat, take 0.4 s at the first tempo
const GRAVITY = 4800;
const JUMP = 960;
const PAD = { up: 1300, reach: 6, part: 34 };
const BEAM = { low: 64, half: 20 };
const NOTE = { high: 96, reach: 26 };
const TEMPO = { perBar: 0.008, most: 1.4 };
const LIVES = 3;
const SAFE_STEPS = 70;
const SIGHT = 700;
const GOAL_BEATS = 400;

class Pulse {
  /* firstBar: as hard and fast as at this bar. kind: what every bar is; empty: they get harder. */
  constructor({ firstBar, kind }) {
    this.firstBar = Math.max(0, firstBar);
    this.kind = BARS[kind] ? kind : "";
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.flown = 0;
    this.height = 0;
    this.vy = 0;
    this.stands = true;
    this.turned = 0;
    this.lives = LIVES;
    this.safe = 0;
    this.jumps = 0;
    this.notes = 0;
    this.bars = 0;
    this.track = "";
    this.taken = new Set();
    this.lay();
  }

  get x() {
    return this.flown + CUBE.x;
  }

  /* Beats since the start, with the part of the next. */
  get beat() {
    return this.flown / (BEAT_CELLS * CELL);
  }

  get beats() {
    return Math.floor(this.beat);
  }

  get tempo() {
    return Math.min(TEMPO.most, 1 + TEMPO.perBar * (this.firstBar + this.beat / 4));
  }

  lay() {
    while (this.track.length * CELL < this.x + SIGHT) {
      const number = this.bars < FIRST_BARS ? this.bars : this.bars + this.firstBar;
      this.track += (this.bars ? "" : "...") + barOf(number, this.kind);
      this.bars += 1;
    }
  }

  step(keys) {
    this.sparks.step();
    this.safe = Math.max(0, this.safe - 1);
    this.move(this.tempo / 60, keys.held(" ") || keys.held("arrowup") || keys.held("w"));
    this.lay();
    this.take();
    if (this.beats >= GOAL_BEATS) this.over = { outcome: "win", reason: `${GOAL_BEATS} beats, ${this.notes} notes` };
  }

  /* Cells that the cube is over, each with its middle. */
  under() {
    const cells = [];
    for (let at = Math.floor((this.x - CUBE.half) / CELL); at * CELL < this.x + CUBE.half; at += 1) {
      cells.push([this.track[at], (at + 0.5) * CELL]);
    }
    return cells;
  }

  topOf(cell) {
    return cell === "_" && !this.safe ? -Infinity : (TOPS[cell] ?? 0);
  }

  move(seconds, jumps) {
    if (this.stands && jumps) {
      this.vy = JUMP;
      this.jumps += 1;
    }
    this.flown += PACE * seconds;
    this.vy -= GRAVITY * seconds;
    const before = this.height;
    this.height += this.vy * seconds;
    const cells = this.under();
    const tops = cells.map(([cell]) => this.topOf(cell)).filter((top) => this.safe || top <= before + 8);
    const support = Math.max(...tops, -Infinity);
    this.stands = this.vy <= 0 && this.height <= support;
    if (this.stands) {
      this.height = support;
      this.vy = 0;
    }
    this.turned = this.stands ? 0 : this.turned + 450 * seconds;
    const pad = cells.some(([cell, middle]) => cell === "o" && Math.abs(middle - this.x) < PAD.reach);
    if (this.stands && pad) {
      this.vy = PAD.up;
      this.stands = false;
      this.burst("#ffd23f", 8);
    }
    if (!this.safe && cells.some((cell) => this.crashes(cell))) this.crash();
  }

  crashes([cell, middle]) {
    const off = Math.abs(middle - this.x);
    if (this.height < -24) return true;
    if (TOPS[cell] > this.height + 8) return true;
    if (cell === "=") return off < BEAM.half + CUBE.half - 2 && this.height + CUBE.side > BEAM.low;
    const spike = SPIKES[cell];
    return spike !== undefined && off < spike.half + CUBE.half && this.height < spike.high;
  }

  crash() {
    this.lives -= 1;
    this.safe = SAFE_STEPS;
    this.burst("#ff6b8e", 26);
    if (this.lives === 0) this.over = { outcome: "loss", reason: `${this.beats} beats, ${this.notes} notes` };
    this.height = Math.max(0, this.height);
  }

  take() {
    for (const [cell, middle] of this.under()) {
      const free = cell === "*" && !this.taken.has(middle);
      const near = Math.abs(middle - this.x) < NOTE.reach && Math.abs(this.height + 16 - NOTE.high) < NOTE.reach + 14;
      if (!free || !near) continue;
      this.taken.add(middle);
      this.notes += 1;
      this.sparks.burst(middle - this.flown, GROUND - NOTE.high, "#fff07a", 10, 150);
    }
  }

  burst(colour, count) {
    this.sparks.burst(CUBE.x, GROUND - this.height - 12, colour, count, 220);
  }

  state() {
    const first = Math.max(0, Math.floor(this.x / CELL));
    return {
      score: this.beats,
      level: 1 + Math.floor((this.firstBar + this.beat / 4) / BARS_PER_KIND),
      progress: Math.min(1, this.beats / GOAL_BEATS),
      player: { height: this.height, vy: this.vy, stands: this.stands, lives: this.lives, into: this.x % CELL },
      board: this.track.slice(first, first + 12),
      entities: [],
      metrics: { beats: this.beats, notes: this.notes, jumps: this.jumps, lives: this.lives },
      raw: { tempo: this.tempo, first_bar: this.firstBar, kind: this.kind },
    };
  }
}
