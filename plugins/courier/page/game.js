"use strict";

/* The courier's rules. Pixels and seconds; x counts from the start of the flight, y downwards in the window. */

const VIEW = { width: 560, height: 400 };
const ROOF = 60;
const STREET = 372;
const HERO = { x: 120, half: 15, lift: 1500, pull: 1200, fastest: 400 };
const SPEED = { first: 220, perMetre: 0.2, most: 440 };
const PER_METRE = 20;
const SIGHT = 640;
const GAP = { first: 400, perMetre: 0.06, least: 330 };
const ROD = { half: 7, ball: 11 };
const TURNING_FROM = 300; // metres
const ROCKET = { from: 150, every: 5.5, warned: 75, faster: 300, half: 16, high: 8 };
const COIN = { reach: 25, apart: 26 };
const LIVES = 3;
const SAFE_STEPS = 90;
const GOAL_M = 2000;
const SECONDS = 1 / 60;

class Courier {
  constructor(start) {
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.flown = 0;
    this.y = STREET - HERO.half;
    this.vy = 0;
    this.lives = LIVES;
    this.safe = 0;
    this.coins = 0;
    this.passed = 0;
    this.dodged = 0;
    this.burning = false;
    this.rods = [];
    this.letters = [];
    this.rocket = null;
    this.rocketIn = ROCKET.every;
    this.laid = 420;
    this.lay();
  }

  get metres() {
    return Math.floor(this.flown / PER_METRE);
  }

  /* Metres by which it is as hard as it is. */
  get hard() {
    return this.metres + this.start;
  }

  get speed() {
    return Math.min(SPEED.most, SPEED.first + SPEED.perMetre * this.hard);
  }

  lay() {
    while (this.laid < this.flown + SIGHT) {
      this.layRod(this.laid + HERO.x);
      this.layLetters(this.laid + HERO.x);
      this.laid += Math.max(GAP.least, GAP.first - GAP.perMetre * this.hard) + 90 * Math.random();
    }
  }

  /* A rod between two balls: half of them where the courier flies now, so that no height is safe for long. */
  layRod(x) {
    const half = 42 + 26 * Math.random();
    const angle = [0, Math.PI / 2, Math.PI / 4, -Math.PI / 4][Math.floor(4 * Math.random())];
    const spin = this.hard > TURNING_FROM && Math.random() < 0.3 ? 1.4 : 0;
    const [top, bottom] = [ROOF + 24, STREET - 24];
    const anywhere = top + (bottom - top) * Math.random();
    const high = Math.abs(half * Math.sin(angle));
    const y = Math.random() < 0.5 ? anywhere : this.y;
    this.rods.push({ x, y: Math.min(bottom - high, Math.max(top + high, y)), half, angle, spin });
  }

  /* Coins between two rods: a line, a wave, or two lines. */
  layLetters(x) {
    const from = x + 120;
    const shape = Math.floor(4 * Math.random());
    if (shape === 3) return;
    const middle = ROOF + 60 + (STREET - ROOF - 120) * Math.random();
    for (let at = 0; at < 7; at += 1) {
      const bow = shape === 1 ? 34 * Math.sin((at * Math.PI) / 3) : 0;
      this.letters.push({ x: from + at * COIN.apart, y: middle + bow });
      if (shape === 2) this.letters.push({ x: from + at * COIN.apart, y: middle + COIN.apart });
    }
  }

  step(keys) {
    this.sparks.step();
    this.safe = Math.max(0, this.safe - 1);
    this.burning = keys.held(" ") || keys.held("arrowup") || keys.held("w");
    this.vy += (this.burning ? -HERO.lift : HERO.pull) * SECONDS;
    this.vy = Math.min(HERO.fastest, Math.max(-HERO.fastest, this.vy));
    this.y += this.vy * SECONDS;
    if (this.y < ROOF + HERO.half || this.y > STREET - HERO.half) this.vy = 0;
    this.y = Math.min(STREET - HERO.half, Math.max(ROOF + HERO.half, this.y));
    this.flown += this.speed * SECONDS;
    for (const rod of this.rods) rod.angle += rod.spin * SECONDS;
    this.launch();
    this.gather();
    this.meet();
    this.lay();
    const gone = ({ x }) => x < this.flown - 120;
    this.passed += this.rods.filter(gone).length;
    this.rods = this.rods.filter((rod) => !gone(rod));
    this.letters = this.letters.filter((letter) => !gone(letter));
    if (this.metres >= GOAL_M) this.over = { outcome: "win", reason: `Delivered, with ${this.coins} coins` };
  }

  /* A rocket is announced at the right, follows the courier's height, then flies straight. */
  launch() {
    const { rocket } = this;
    if (!rocket) {
      if (this.hard < ROCKET.from) return;
      this.rocketIn -= SECONDS;
      if (this.rocketIn > 0) return;
      this.rocket = { y: this.y, left: ROCKET.warned, x: 0 };
      this.rocketIn = ROCKET.every - Math.min(2.5, this.hard / 500) + 2 * Math.random();
      return;
    }
    if (rocket.left > 0) {
      rocket.left -= 1;
      if (rocket.left > 20) rocket.y += Math.max(-3, Math.min(3, this.y - rocket.y));
      rocket.x = this.flown + VIEW.width + 30;
      return;
    }
    rocket.x -= ROCKET.faster * SECONDS;
    if (rocket.x > this.flown - 60) return;
    this.rocket = null;
    this.dodged += 1;
  }

  gather() {
    const x = this.flown + HERO.x;
    const near = (letter) => Math.abs(letter.x - x) < COIN.reach && Math.abs(letter.y - this.y) < COIN.reach;
    for (const letter of this.letters.filter(near)) {
      this.coins += 1;
      this.sparks.burst(letter.x - this.flown, letter.y, COLOURS.coin, 4, 120);
    }
    this.letters = this.letters.filter((letter) => !near(letter));
  }

  meet() {
    if (this.safe) return;
    const x = this.flown + HERO.x;
    const { rocket } = this;
    const struck = this.rods.some((rod) => apart(rod, x, this.y) < HERO.half + ROD.half - 3);
    const shot = rocket && !rocket.left
      && Math.abs(rocket.x - x) < ROCKET.half + HERO.half - 4 && Math.abs(rocket.y - this.y) < ROCKET.high + HERO.half - 3;
    if (!struck && !shot) return;
    if (shot) this.rocket = null;
    this.lives -= 1;
    this.safe = SAFE_STEPS;
    this.sparks.burst(HERO.x, this.y, shot ? COLOURS.rocket : COLOURS.rod, 26, 260);
    if (this.lives === 0) {
      this.over = { outcome: "loss", reason: `${this.metres} metres, ${this.coins} coins` };
    }
  }

  state() {
    const { rocket } = this;
    return {
      score: this.metres,
      level: 1 + Math.floor(this.metres / 200),
      progress: Math.min(1, this.metres / GOAL_M),
      player: { y: this.y, vy: this.vy, lives: this.lives, burning: this.burning },
      board: [],
      entities: [
        ...this.rods.map(({ x, y, half, angle }) => ({ kind: "rod", x: x - this.flown, y, half, angle })),
        ...this.letters.map(({ x, y }) => ({ kind: "coin", x: x - this.flown, y })),
        ...(rocket ? [{ kind: rocket.left ? "warning" : "rocket", x: rocket.x - this.flown, y: rocket.y }] : []),
      ],
      metrics: {
        metres: this.metres, coins: this.coins, lives: this.lives, passed: this.passed, dodged: this.dodged,
      },
      raw: { speed: this.speed, start: this.start },
    };
  }
}

/* How far a place is from a rod's middle line. */
function apart({ x, y, half, angle }, toX, toY) {
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const along = Math.max(-half, Math.min(half, (toX - x) * dx + (toY - y) * dy));
  return Math.hypot(toX - x - along * dx, toY - y - along * dy);
}
