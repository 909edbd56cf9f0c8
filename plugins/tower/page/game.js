"use strict";

/* The tower's rules. Pixels and seconds; y grows upwards from the ground, so that floors have plain heights. */

const VIEW = { width: 440, height: 620 };
const FLOOR = { height: 30, width: 150 };
const SWING = { reach: 140, middle: 220, slowest: 230, perFloor: 7, fastest: 650 };
const HANG = 210; // how far above the tower's top a floor hangs
const GRAVITY = 2600;
const EXACT = 6; // this far off still counts as exact
const WIDER = 10; // what a floor wins back after three exact drops in a row
const STREAK = 3;
const ALL = 60;
const SECONDS = 1 / 60;

class Tower {
  constructor({ width, start }) {
    this.firstWidth = width;
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.floors = [{ x: SWING.middle, width: this.firstWidth }];
    this.exact = 0;
    this.streak = 0;
    this.longest = 0;
    this.pieces = [];
    this.camera = 0;
    this.flash = 0;
    this.hang(Math.random() < 0.5 ? -1 : 1, Math.random() * 0.5);
  }

  get built() {
    return this.floors.length - 1;
  }

  get top() {
    return this.floors[this.built];
  }

  /* Speed with which the hanging floor passes the middle. */
  get speed() {
    return Math.min(SWING.fastest, SWING.slowest + SWING.perFloor * (this.built + this.start));
  }

  /* The next floor comes in at one side; `wait` is how far it still is from there, as a share of the swing. */
  hang(side, wait = 0) {
    this.side = side;
    this.phase = -Math.PI / 2 - wait;
    this.falling = null;
  }

  get hangingX() {
    return SWING.middle - this.side * SWING.reach * Math.sin(this.phase);
  }

  step(keys) {
    this.sparks.step();
    this.flash = Math.max(0, this.flash - 1);
    this.camera += (this.built * FLOOR.height - this.camera) * 0.12;
    this.pieces = this.pieces.filter((piece) => piece.y > -200);
    for (const piece of this.pieces) {
      piece.speed += GRAVITY * 0.5 * SECONDS;
      piece.y -= piece.speed * SECONDS;
      piece.x += piece.side * 50 * SECONDS;
      piece.turn += piece.side * 2.4 * SECONDS;
    }
    if (this.falling) this.fall();
    else {
      this.phase += (this.speed / SWING.reach) * SECONDS;
      if (keys.tapped.includes(" ")) this.letGo();
    }
  }

  /* The hook hangs over the place that is seen, which follows the tower's top. */
  letGo() {
    this.falling = { x: this.hangingX, above: HANG + this.camera - this.built * FLOOR.height, speed: 0 };
  }

  fall() {
    const { falling } = this;
    falling.speed += GRAVITY * SECONDS;
    falling.above -= falling.speed * SECONDS;
    if (falling.above > 0) return;
    this.land(falling.x);
  }

  land(x) {
    const { top } = this;
    const off = x - top.x;
    const width = top.width - Math.abs(off);
    const height = (this.built + 1) * FLOOR.height;
    if (width <= 0) {
      this.pieces.push({ x, width: top.width, y: height, speed: 0, side: Math.sign(off), turn: 0, floor: this.built + 1 });
      this.over = { outcome: "loss", reason: `The floor missed: ${this.built} floors stand` };
      return;
    }
    if (Math.abs(off) <= EXACT) this.landExactly(height);
    else this.cut(off, width, height);
    this.falling = null;
    if (this.built === ALL) this.over = { outcome: "win", reason: `All ${ALL} floors stand` };
    else this.hang(-this.side, Math.random() * 0.6);
  }

  landExactly(height) {
    const { top } = this;
    this.exact += 1;
    this.streak += 1;
    this.longest = Math.max(this.longest, this.streak);
    const wider = this.streak >= STREAK ? WIDER : 0;
    this.floors.push({ x: top.x, width: Math.min(this.firstWidth, top.width + wider) });
    this.flash = 18;
    this.sparks.say(this.streak > 1 ? `Exact × ${this.streak}` : "Exact", top.x, -height - 60, "#fff3c4");
    this.sparks.burst(top.x - top.width / 2, -height, "#fff3c4", 8);
    this.sparks.burst(top.x + top.width / 2, -height, "#fff3c4", 8);
  }

  /* What stands over falls off. */
  cut(off, width, height) {
    const { top } = this;
    this.streak = 0;
    const side = Math.sign(off);
    this.floors.push({ x: top.x + off / 2, width });
    const x = top.x + side * (top.width / 2 + Math.abs(off) / 2);
    this.pieces.push({ x, width: Math.abs(off), y: height, speed: 0, side, turn: 0, floor: this.built });
    this.sparks.burst(top.x + (side * top.width) / 2, -height, "#c9d3ea", 6, 90);
  }

  state() {
    const { top } = this;
    return {
      score: this.built,
      level: 1 + Math.floor(this.built / 10),
      progress: this.built / ALL,
      player: { x: this.falling ? this.falling.x : this.hangingX, falling: this.falling !== null, speed: this.speed },
      board: this.floors.slice(-8),
      entities: [{ kind: "top", x: top.x, width: top.width }],
      metrics: { floors: this.built, exact: this.exact, streak: this.longest, width: top.width },
      raw: { phase: this.phase, side: this.side },
    };
  }
}
