"use strict";

/*
 * Lily Bounce's rules. A ball bounces over a pond, on from leaf to leaf; arrows steer it aside, and make it fly
 * faster or slower. Places are in metres, x to the right, z the way ahead; times are steps of 1/60 s.
 */

const HOP = { steps: 45, height: 2.3 };
const BALL = { radius: 0.38, aside: 6.5, pull: 60, pace: 7, fast: 10, slow: 4, speedUp: 40, edge: 0.12, sunk: 40 };
const LEAF = { wide: 3.3, first: 1.55, least: 0.62, shrinks: 55, ahead: 46, straight: 3 };
const PLACE = { apart: 5.25, uneven: 1.1, moreUneven: 0.6, aside: 1.8, moreAside: 1.6 };
const DRIFT = { from: 28, every: 3, wide: 1, steps: 200 };
const EXACT = 0.36; // of a leaf's radius

class LilyBounce {
  /* from: leaves are as small and as far apart as after so many. drift: 1: every third leaf drifts from the start. */
  constructor({ from, drift }) {
    this.from = Math.max(0, from);
    this.driftsFrom = drift ? 3 : DRIFT.from;
  }

  begin() {
    this.over = null;
    this.time = 0;
    this.ball = { x: 0, z: 0, vx: 0, vz: BALL.pace, phase: 0, sinks: 0 };
    this.leaves = [];
    this.laid = 0;
    this.landed = 0;
    this.exact = 0;
    this.row = 0;
    this.sparks = new Sparks();
    this.lay({ x: 0, z: 0 });
    this.layAhead();
  }

  layAhead() {
    while (this.leaves.at(-1).z < this.ball.z + LEAF.ahead) {
      const last = this.leaves.at(-1);
      const hard = Math.min(1, (this.from + this.laid) / LEAF.shrinks);
      const straight = this.laid <= LEAF.straight;
      const aside = straight ? 0.25 * (this.laid - 1) : PLACE.aside + PLACE.moreAside * hard;
      const uneven = straight ? 0.3 : PLACE.uneven + PLACE.moreUneven * hard;
      const spread = () => 2 * Math.random() - 1;
      this.lay({ x: last.home + aside * spread(), z: last.z + PLACE.apart + uneven * spread() });
    }
  }

  lay({ x, z }) {
    const hard = Math.min(1, (this.from + this.laid) / LEAF.shrinks);
    const radius = this.laid === 1 ? LEAF.wide : LEAF.first + (LEAF.least - LEAF.first) * hard;
    const drifts = this.laid >= this.driftsFrom && this.laid % DRIFT.every === 0;
    this.leaves.push({ x, z, radius, home: x, drifts, turn: Math.random() * 6.28, used: false, flower: this.laid % 5 === 4 });
    this.laid += 1;
  }

  /* Metres over the water. */
  get height() {
    const part = this.ball.phase / HOP.steps;
    return 4 * HOP.height * part * (1 - part);
  }

  step(keys) {
    const { ball } = this;
    this.time += 1;
    this.sparks.step();
    for (const leaf of this.leaves) {
      if (leaf.drifts) leaf.x = leaf.home + DRIFT.wide * Math.sin((this.time * 2 * Math.PI) / DRIFT.steps + leaf.turn);
    }
    if (ball.sinks) {
      ball.sinks += 1;
      if (ball.sinks > BALL.sunk) this.over = { outcome: "loss", reason: `In the water after ${this.landed} leaves` };
      return;
    }
    this.steer(keys);
    ball.phase += 1;
    if (ball.phase >= HOP.steps) this.land();
    this.leaves = this.leaves.filter((leaf) => leaf.z > ball.z - 8);
    this.layAhead();
  }

  steer(keys) {
    const { ball } = this;
    const aside = (keys.held("arrowright") || keys.held("d")) - (keys.held("arrowleft") || keys.held("a"));
    const on = (keys.held("arrowup") || keys.held("w")) - (keys.held("arrowdown") || keys.held("s"));
    const pace = on > 0 ? BALL.fast : on < 0 ? BALL.slow : BALL.pace;
    ball.vx = nearer(ball.vx, aside * BALL.aside, BALL.pull / 60);
    ball.vz = nearer(ball.vz, pace, BALL.speedUp / 60);
    ball.x += ball.vx / 60;
    ball.z += ball.vz / 60;
  }

  land() {
    const { ball } = this;
    const off = (leaf) => Math.hypot(leaf.x - ball.x, leaf.z - ball.z);
    const leaf = this.leaves.find((each) => off(each) < each.radius + BALL.edge);
    if (!leaf) {
      ball.sinks = 1;
      this.sparks.burst(320, 372, "#bfe6ff", 30, 240);
      return;
    }
    ball.phase = 0;
    if (leaf.used) return;
    leaf.used = true;
    this.landed += 1;
    const exact = off(leaf) < leaf.radius * EXACT;
    this.exact += exact;
    this.row = exact ? this.row + 1 : 0;
    this.sparks.burst(320, 366, exact ? "#ffe58a" : "#cdeffd", exact ? 18 : 8, exact ? 220 : 120);
    if (exact) this.sparks.say(this.row > 1 ? `Exact × ${this.row}` : "Exact", 320, 330, "#fff4c2");
  }

  state() {
    const { ball } = this;
    return {
      score: this.landed,
      level: 1 + Math.floor(this.landed / 20),
      progress: Math.min(1, this.landed / 100),
      player: { x: ball.x, z: ball.z, vx: ball.vx, vz: ball.vz, height: this.height, rises: ball.phase * 2 < HOP.steps },
      board: null,
      entities: this.leaves.map(({ x, z, radius, drifts, used }) => ({ kind: "leaf", x, z, radius, drifts, used })),
      metrics: { leaves: this.landed, exact: this.exact, row: this.row, metres: Math.floor(ball.z) },
      raw: { from: this.from, phase: ball.phase, sinks: ball.sinks },
    };
  }
}

function nearer(value, goal, most) {
  return value + Math.min(most, Math.max(-most, goal - value));
}
