"use strict";

/* Pinwheel's rules. Angles are in degrees, clockwise from the right; 90 is straight down, where pins come from. */

const VIEW = { width: 480, height: 600 };
const WHEEL = { x: 240, y: 220, core: 52, ring: 150 };
const PIN = { head: 13, waits: 540, speed: 1500 };
const APART = 10; // heads nearer than this, in degrees, touch
const DOWN = 90;
const LIVES = 3;
const LEVELS = 12;
const PER_STEP = 1 / 60;
const BOUNCE_STEPS = 40;

/* How a level's wheel turns: degrees a second at a time in seconds. */
const TURNS = [
  (base) => () => base,
  (base) => (time) => base * (1 + 0.45 * Math.sin(1.3 * time)),
  (base) => (time) => base * 1.3 * Math.cos(0.9 * time),
  (base) => (time) => base * (0.75 + 0.75 * Math.sin(2.1 * time) ** 2) * (Math.floor(time / 6) % 2 ? -1 : 1),
];

class Pinwheel {
  constructor(firstLevel) {
    this.firstLevel = Math.min(LEVELS, Math.max(1, firstLevel));
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.lives = LIVES;
    this.thrown = 0;
    this.cleared = 0;
    this.streak = 0;
    this.longest = 0;
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.time = 0;
    this.turned = 360 * Math.random();
    const standing = 5 + Math.floor(level / 3);
    this.pins = [];
    for (let pin = 0; pin < standing; pin += 1) {
      this.pins.push({ at: (360 / standing) * (pin + 0.5 * Math.random()), ours: false });
    }
    this.refill();
    const base = (58 + 7 * level) * (Math.random() < 0.5 ? -1 : 1);
    this.turn = TURNS[level < 3 ? 0 : (level + Math.floor(2 * Math.random())) % TURNS.length](base);
    this.flight = null;
    this.bounced = null;
    this.shake = 0;
    this.flash = 0;
  }

  /* As many pins as the level takes; none of them sticks yet. */
  refill() {
    this.left = 8 + Math.ceil(this.level / 2);
    this.pins = this.pins.filter((pin) => !pin.ours);
  }

  get speed() {
    return this.turn(this.time);
  }

  step(keys) {
    this.sparks.step();
    this.time += PER_STEP;
    this.turned += this.speed * PER_STEP;
    this.shake = Math.max(0, this.shake - 1);
    this.flash = Math.max(0, this.flash - 1);
    if (this.bounced) this.fallBack();
    else if (this.flight) this.fly();
    else if (keys.tapped.includes(" ")) this.flight = { y: PIN.waits };
  }

  fly() {
    this.flight.y -= PIN.speed * PER_STEP;
    if (this.flight.y > WHEEL.y + WHEEL.ring) return;
    this.flight = null;
    const at = DOWN - this.turned;
    const hit = this.pins.find((pin) => between(pin.at, at) < APART);
    if (hit) this.bounce(hit);
    else this.stick(at);
  }

  stick(at) {
    this.pins.push({ at, ours: true });
    this.thrown += 1;
    this.left -= 1;
    this.streak += 1;
    this.longest = Math.max(this.longest, this.streak);
    this.flash = 10;
    this.sparks.burst(WHEEL.x, WHEEL.y + WHEEL.core, "#ffe9b0", 8, 120);
    if (this.left === 0) this.clear();
  }

  clear() {
    this.cleared += 1;
    const { level } = this;
    if (level === LEVELS) {
      this.over = { outcome: "win", reason: `All ${LEVELS} wheels are full` };
      return;
    }
    this.startLevel(level + 1);
    this.sparks.say(`Wheel ${level} is full`, WHEEL.x, WHEEL.y + 60, "#fff3c4");
    for (let bit = 0; bit < 6; bit += 1) {
      const angle = (bit * Math.PI) / 3;
      this.sparks.burst(WHEEL.x + 150 * Math.cos(angle), WHEEL.y + 150 * Math.sin(angle), "#ffd166", 7);
    }
  }

  /* The pin hits a head: it falls down, and with it all that stuck on this wheel. */
  bounce(hit) {
    this.lives -= 1;
    for (const pin of this.pins.filter(({ ours }) => ours)) {
      const angle = ((pin.at + this.turned) * Math.PI) / 180;
      this.sparks.burst(WHEEL.x + WHEEL.ring * Math.cos(angle), WHEEL.y + WHEEL.ring * Math.sin(angle), "#ffd166", 6);
    }
    this.refill();
    this.streak = 0;
    this.shake = 18;
    const side = Math.sin(((hit.at + this.turned - DOWN) * Math.PI) / 180) >= 0 ? 1 : -1;
    this.bounced = { x: WHEEL.x, y: WHEEL.y + WHEEL.ring, vx: 110 * side, vy: -160, steps: 0 };
    this.sparks.burst(WHEEL.x, WHEEL.y + WHEEL.ring, "#ef476f", 14);
    if (this.lives === 0) this.over = { outcome: "loss", reason: `The third pin fell: ${this.cleared} wheels are full` };
  }

  fallBack() {
    const { bounced } = this;
    bounced.vy += 1500 * PER_STEP;
    bounced.x += bounced.vx * PER_STEP;
    bounced.y += bounced.vy * PER_STEP;
    bounced.steps += 1;
    if (bounced.steps === BOUNCE_STEPS) this.bounced = null;
  }

  state() {
    return {
      score: this.thrown,
      level: this.level,
      progress: (this.level - 1) / LEVELS,
      player: { lives: this.lives, left: this.left, flying: this.flight !== null },
      board: this.pins.map(({ at, ours }) => ({ angle: wrap(at + this.turned), ours })),
      entities: [{ kind: "wheel", angle: wrap(this.turned), speed: this.speed }],
      metrics: { pins: this.thrown, cleared: this.cleared, streak: this.longest, lives: this.lives },
      raw: { time: this.time },
    };
  }
}

function wrap(angle) {
  return ((angle % 360) + 360) % 360;
}

/* Degrees between two angles, 0 to 180. */
function between(angle, other) {
  const off = wrap(angle - other);
  return Math.min(off, 360 - off);
}
