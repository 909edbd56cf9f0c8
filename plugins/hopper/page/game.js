"use strict";

/* The hopper's rules. Pixels and seconds; heights grow upwards from the meadow. */

const VIEW = { width: 440, height: 620 };
const LOWEST_Y = 560; // where the camera's height stands in the window
const HIGHEST_Y = 270; // the hopper is never seen higher: the camera follows
const HERO = { half: 16, speed: 300, pull: 2000 };
const GRAVITY = 1500;
const BOUNCE = 730;
const SPRING = 1180;
const LEDGE = { width: 76, height: 14 };
const GAP = { least: 48, first: 96, most: 142, perPixel: 0.012, aside: 170 };
const PER_METRE = 10;
const GOAL_M = 1000;
const SECONDS = 1 / 60;

class Hopper {
  constructor(start) {
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.x = VIEW.width / 2;
    this.height = 30;
    this.vx = 0;
    this.vy = BOUNCE;
    this.camera = 0;
    this.highest = 0;
    this.stars = 0;
    this.springs = 0;
    this.bounces = 0;
    this.squash = 0;
    this.ledges = [{ kind: "solid", x: VIEW.width / 2, at: 20, width: 300 }];
    this.laid = 20;
    this.laidX = VIEW.width / 2;
    this.fill();
  }

  /* How hard it is at a height: from 0 to 1. */
  hard(height) {
    return Math.min(1, (height + this.start) / (PER_METRE * GOAL_M * 0.7));
  }

  fill() {
    while (this.laid < this.camera + VIEW.height + 60) {
      const most = Math.min(GAP.most, GAP.first + GAP.perPixel * (this.laid + this.start));
      this.laid += GAP.least + (most - GAP.least) * Math.random();
      this.lay(this.laid);
    }
  }

  /* A ledge that holds, and sometimes a brittle one on the way to the next: no way depends on that. */
  lay(at) {
    const hard = this.hard(at);
    const kind = Math.random() < 0.5 * hard ? "moving" : "solid";
    const drift = (Math.random() < 0.5 ? -1 : 1) * (50 + 70 * hard);
    const spring = kind === "solid" && Math.random() < 0.08;
    const star = !spring && Math.random() < 0.3;
    const x = () => 44 + (VIEW.width - 88) * Math.random();
    let next = x();
    while (Math.abs(way(this.laidX, next)) > GAP.aside) next = x();
    this.laidX = next;
    this.ledges.push({ kind, x: next, at, width: LEDGE.width, drift, spring, star });
    if (Math.random() > 0.16 + 0.2 * hard) return;
    this.ledges.push({ kind: "brittle", x: x(), at: at + 26 + 20 * Math.random(), width: LEDGE.width });
  }

  step(keys) {
    this.sparks.step();
    this.squash = Math.max(0, this.squash - 1);
    const steer = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    const wanted = steer * HERO.speed;
    this.vx += Math.sign(wanted - this.vx) * Math.min(HERO.pull * SECONDS, Math.abs(wanted - this.vx));
    this.x = (this.x + this.vx * SECONDS + VIEW.width) % VIEW.width;
    for (const ledge of this.ledges) if (ledge.kind === "moving") this.slide(ledge);
    const before = this.height;
    this.vy -= GRAVITY * SECONDS;
    this.height += this.vy * SECONDS;
    if (this.vy < 0) this.land(before);
    this.gather();
    this.highest = Math.max(this.highest, this.height);
    this.camera = Math.max(this.camera, this.height - (LOWEST_Y - HIGHEST_Y));
    this.ledges = this.ledges.filter(({ at, gone }) => !gone && at > this.camera - 120);
    this.fill();
    this.judge();
  }

  slide(ledge) {
    ledge.x += ledge.drift * SECONDS;
    if (ledge.x < 44 || ledge.x > VIEW.width - 44) ledge.drift = -ledge.drift;
  }

  land(before) {
    const reach = HERO.half - 4;
    const under = ({ at, x, width }) => before >= at && this.height <= at && Math.abs(x - this.x) < width / 2 + reach;
    const ledge = this.ledges.find(under);
    if (!ledge) return;
    this.height = ledge.at;
    this.vy = ledge.spring ? SPRING : BOUNCE;
    this.bounces += 1;
    this.squash = 8;
    if (ledge.spring) {
      this.springs += 1;
      ledge.sprung = true;
      this.sparks.burst(ledge.x, -ledge.at, "#ff9cc0", 12, 180);
    }
    if (ledge.kind !== "brittle") return;
    ledge.gone = true;
    this.sparks.burst(ledge.x, -ledge.at, "#d9a066", 16, 150);
  }

  gather() {
    for (const ledge of this.ledges) {
      if (!ledge.star) continue;
      if (Math.abs(ledge.x - this.x) > 30 || Math.abs(ledge.at + 44 - this.height - 16) > 32) continue;
      ledge.star = false;
      this.stars += 1;
      this.sparks.burst(ledge.x, -ledge.at - 44, "#fff07a", 10, 140);
    }
  }

  get metres() {
    return Math.floor(this.highest / PER_METRE);
  }

  judge() {
    if (this.metres >= GOAL_M) this.over = { outcome: "win", reason: "You reached the moon's shore" };
    if (this.height < this.camera - 100) {
      this.over = { outcome: "loss", reason: `${this.metres} metres, ${this.stars} stars` };
    }
  }

  state() {
    return {
      score: this.metres,
      level: 1 + Math.floor(this.metres / 100),
      progress: Math.min(1, this.metres / GOAL_M),
      player: { x: this.x, height: this.height, vx: this.vx, vy: this.vy },
      board: [],
      entities: this.ledges.map(({ kind, x, at, spring, star }) => ({ kind, x, height: at, spring, star })),
      metrics: { metres: this.metres, stars: this.stars, springs: this.springs, bounces: this.bounces },
      raw: { camera: this.camera },
    };
  }
}

/* The way from x to another place, across the sides where that is shorter. */
function way(x, other) {
  return ((other - x + 1.5 * VIEW.width) % VIEW.width) - VIEW.width / 2;
}
