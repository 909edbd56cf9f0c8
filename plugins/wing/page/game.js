"use strict";

/* The bird's rules. Pixels and seconds; y grows downwards, and the bird's place is where its breast touches the ground. */

const VIEW = { width: 640, height: 460, birdX: 160, birdY: 230 };
const GRAVITY = { glide: 430, dive: 1600 };
const BIRD = { least: 100, flap: 200, fastest: 900 };
const DRAG = { folded: 0.08, open: 0.5, air: 0.03 }; // open wings brake on the ground
const SMOOTH = { most: 0.1, pace: 260 }; // a smooth landing costs no more than this share, at this speed at least
const ISLAND = { first: 3000, more: 900, light: 8 };
const HIGH_PX = 190; // so high above the ground it is among the clouds
const PER_METRE = 10;
const GOAL_M = 8000;
const SECONDS = 1 / 60;

class Wing {
  constructor(light) {
    this.light = light;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.left = this.light;
    this.hills = new Hills(-300, 250);
    this.hills.add(360, 0);
    this.seeds = [];
    this.bird = { x: 40, y: 250, vx: 160, vy: 0, grounded: true, dives: false };
    this.fill();
    this.viewY = 250;
    this.island = 1;
    this.islandEnd = ISLAND.first;
    this.slides = 0;
    this.streak = 0;
    this.longest = 0;
    this.gathered = 0;
    this.clouds = 0;
    this.inClouds = false;
  }

  get metres() {
    return Math.max(0, Math.floor(this.bird.x / PER_METRE));
  }

  get speed() {
    return Math.hypot(this.bird.vx, this.bird.vy);
  }

  /* A way down and a way up after the other; the middle of the land stays where it is. */
  fill() {
    const seen = this.bird.x;
    while (this.hills.end[0] < seen + 1600) {
      const hard = Math.min(1, this.hills.end[0] / 30000);
      const deep = 80 + 60 * Math.random() + 30 * hard;
      const wide = deep * (1.7 + 0.7 * Math.random());
      const [x, y] = this.hills.end;
      const low = Math.max(150, y + deep);
      this.hills.add(wide, low - y);
      this.sow(x, wide);
      const up = deep * (0.75 + 0.5 * Math.random());
      this.hills.add(up * (1.7 + 0.7 * Math.random()), Math.max(170, Math.min(290, low - up)) - low);
    }
    this.hills.forget(seen - 700);
    this.seeds = this.seeds.filter(({ x, gone }) => !gone && x > seen - 300);
  }

  sow(x, wide) {
    if (Math.random() < 0.5) return;
    for (const share of [0.45, 0.65, 0.85]) this.seeds.push({ x: x + share * wide });
  }

  step(keys) {
    const { bird } = this;
    this.sparks.step();
    this.left -= SECONDS;
    bird.dives = keys.held("arrowdown") || keys.held(" ");
    const before = this.speed;
    const lost = moveOver(this.hills, bird, bird.dives ? GRAVITY.dive : GRAVITY.glide, SECONDS);
    if (lost !== null) this.land(lost, before);
    this.drag();
    this.gather();
    this.viewY += (Math.min(bird.y, this.hills.height(bird.x) - 20) - this.viewY) * 0.09;
    this.fill();
    this.judge();
  }

  /* The bird never stands still: below its least speed it flaps on. */
  drag() {
    const { bird } = this;
    const drag = bird.grounded ? (bird.dives ? DRAG.folded : DRAG.open) : DRAG.air;
    const kept = 1 - drag * SECONDS;
    const factor = kept * Math.min(1, BIRD.fastest / Math.max(1, this.speed));
    bird.vx *= factor;
    bird.vy *= factor;
    if (bird.vx < BIRD.least) bird.vx += (BIRD.flap + (bird.grounded ? 500 * Math.max(0, -this.hills.slope(bird.x)) : 0)) * SECONDS;
    if (bird.grounded) bird.vy = bird.vx * this.hills.slope(bird.x);
  }

  land(lost, before) {
    const { bird } = this;
    if (before < SMOOTH.pace || this.hills.slope(bird.x) < 0.1) {
      if (lost > 0.2 * before) this.streak = 0;
      return;
    }
    if (lost > SMOOTH.most * before) {
      this.streak = 0;
      return;
    }
    this.slides += 1;
    this.streak += 1;
    this.longest = Math.max(this.longest, this.streak);
    this.sparks.say(this.streak > 1 ? `slide ×${this.streak}` : "slide!", bird.x + 30, bird.y - 60, "#fff3b0");
    this.sparks.burst(bird.x, bird.y, "#fff3b0", 8, 110);
  }

  gather() {
    const { bird } = this;
    for (const seed of this.seeds) {
      const y = this.hills.height(seed.x) - 22;
      if (Math.abs(seed.x - bird.x) > 22 || Math.abs(y - bird.y + 12) > 34) continue;
      seed.gone = true;
      this.gathered += 1;
      this.sparks.burst(seed.x, y, "#ffd95a", 6, 110);
    }
    const high = this.hills.height(bird.x) - bird.y > HIGH_PX;
    if (high && !this.inClouds) this.clouds += 1;
    this.inClouds = high;
  }

  judge() {
    const { bird } = this;
    if (bird.x > this.islandEnd) {
      this.island += 1;
      this.islandEnd += ISLAND.first + ISLAND.more * (this.island - 1);
      this.left += ISLAND.light;
      this.sparks.say(`land ${this.island}: +${ISLAND.light} s of light`, bird.x + 60, bird.y - 80, "#ffffff");
    }
    if (this.metres >= GOAL_M) this.over = { outcome: "win", reason: `Home before night, with ${this.slides} slides` };
    else if (this.left <= 0) this.over = { outcome: "loss", reason: `Night fell: ${this.metres} metres, ${this.slides} slides` };
  }

  state() {
    const { bird } = this;
    return {
      score: this.metres,
      level: this.island,
      progress: Math.min(1, this.metres / GOAL_M),
      player: { ...bird, speed: this.speed, ground: this.hills.height(bird.x), slope: this.hills.slope(bird.x) },
      board: this.hills.knots,
      entities: this.seeds.map(({ x }) => ({ kind: "seed", x })),
      metrics: {
        metres: this.metres, slides: this.slides, streak: this.longest, seeds: this.gathered, clouds: this.clouds,
        lands: this.island,
      },
      raw: { light: this.left },
    };
  }
}
