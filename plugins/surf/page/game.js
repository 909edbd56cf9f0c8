"use strict";

/* The surfer's rules. Pixels and seconds; y grows down the sea, the way the surfer rides. */

const VIEW = { width: 480, height: 600, surferY: 190, seaTop: 42 };
const SURFER = { half: 11, turn: 900, sideways: 330, brake: 0.55 };
const PACE = { first: 190, perMetre: 0.16, fastest: 400, gust: 1.5, slowed: 0.35 };
const ROW = { first: 130, least: 96 };
const KINDS = { rock: 24, reef: 20, log: 34, ramp: 26, heart: 16, gust: 16, shell: 14 }; // half of what each is wide
const HARMFUL = new Set(["rock", "reef", "log"]);
const LIVES = 3;
const MOST_GUSTS = 3;
const GUST_STEPS = 110;
const FLY_STEPS = 46;
const SAFE_STEPS = 90;
const PER_METRE = 10;
const GOAL_M = 3000;
const SECONDS = 1 / 60;

class Surf {
  constructor(start) {
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.x = VIEW.width / 2;
    this.y = 0;
    this.vx = 0;
    this.lives = LIVES;
    this.gusts = 1;
    this.shells = 0;
    this.jumps = 0;
    this.hits = 0;
    this.gust = 0;
    this.fly = 0;
    this.safe = 0;
    this.slow = 0;
    this.things = [];
    this.track = [];
    this.laid = 330;
    this.way = VIEW.width / 2; // a channel that every row leaves open
    this.rows = 0;
    this.fill();
  }

  get metres() {
    return Math.floor(this.y / PER_METRE);
  }

  /* How hard it is: from 0 to 1. */
  get hard() {
    return Math.min(1, (this.laid / PER_METRE + this.start) / 1800);
  }

  get pace() {
    const plain = Math.min(PACE.fastest, PACE.first + PACE.perMetre * (this.metres + this.start));
    if (this.slow > 0) return plain * PACE.slowed;
    return plain * (this.gust > 0 ? PACE.gust : 1);
  }

  fill() {
    while (this.laid < this.y + VIEW.height + 60) {
      this.laid += ROW.first - (ROW.first - ROW.least) * this.hard;
      this.rows += 1;
      this.layRow();
    }
  }

  layRow() {
    const open = 62 - 16 * this.hard; // half of the channel
    const reach = 95 + 30 * this.hard;
    const way = this.way + reach * (2 * Math.random() - 1);
    this.way = Math.min(VIEW.width - 60, Math.max(60, way));
    const count = 3 + Math.floor(2.2 * Math.random() + 1.4 * this.hard);
    for (let at = 0; at < count; at += 1) {
      const kind = ["rock", "rock", "reef", "log"][Math.floor(4 * Math.random())];
      const x = at === 0 ? this.x : 14 + (VIEW.width - 28) * Math.random(); // the first lies straight ahead
      const near = Math.abs(x - this.way) < open + KINDS[kind];
      const close = this.things.some((thing) => Math.abs(thing.y - this.laid) < 40 && Math.abs(thing.x - x) < 60);
      if (near || close) continue;
      this.put(kind, x, 26 * (Math.random() - 0.5), kind === "log" ? (Math.random() < 0.5 ? -1 : 1) * (14 + 26 * this.hard) : 0);
    }
    this.layGift();
  }

  layGift() {
    const { rows } = this;
    if (rows % 22 === 0) this.put("heart", this.way);
    else if (rows % 9 === 0) this.put("gust", this.way);
    else if (rows % 7 === 3) this.put("ramp", this.way);
    else if (Math.random() < 0.45) this.put("shell", this.way + 50 * (Math.random() - 0.5));
  }

  put(kind, x, off = 0, drift = 0) {
    this.things.push({ kind, x, y: this.laid + off, drift, home: x });
  }

  step(keys) {
    this.sparks.step();
    for (const name of ["safe", "slow", "gust"]) this[name] = Math.max(0, this[name] - 1);
    this.steer(keys);
    this.y += this.pace * (keys.held("arrowdown") && this.fly === 0 ? SURFER.brake : 1) * SECONDS;
    this.x = Math.min(VIEW.width - 18, Math.max(18, this.x + this.vx * SECONDS));
    this.fly = Math.max(0, this.fly - 1);
    this.track.push(this.x);
    if (this.track.length > 40) this.track.shift();
    for (const thing of this.things) this.drift(thing);
    for (const thing of this.things) this.meet(thing);
    this.things = this.things.filter(({ y, gone }) => !gone && y > this.y - VIEW.surferY - 40);
    this.fill();
    if (!this.over && this.metres >= GOAL_M) this.over = { outcome: "win", reason: `The far shore, with ${this.shells} shells` };
  }

  steer(keys) {
    const wanted = ((keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0)) * SURFER.sideways;
    const change = (this.fly > 0 ? 0.25 : 1) * SURFER.turn * SECONDS * (wanted === 0 ? 1.6 : 1.8);
    this.vx += Math.sign(wanted - this.vx) * Math.min(change, Math.abs(wanted - this.vx));
    if (!keys.tapped.includes("arrowup") || this.gusts === 0 || this.gust > 0) return;
    this.gusts -= 1;
    this.gust = GUST_STEPS;
    this.sparks.say("whoosh!", this.x, this.y - 30, "#ffffff");
  }

  /* Logs drift to and fro, no farther than 30 px: the channel stays open. */
  drift(thing) {
    if (!thing.drift) return;
    thing.x += thing.drift * SECONDS;
    if (Math.abs(thing.x - thing.home) > 30) thing.drift = -Math.sign(thing.x - thing.home) * Math.abs(thing.drift);
  }

  meet(thing) {
    const high = HARMFUL.has(thing.kind) ? 15 : 24;
    if (Math.abs(thing.y - this.y) > high || Math.abs(thing.x - this.x) > KINDS[thing.kind] + SURFER.half - 5) return;
    if (HARMFUL.has(thing.kind)) this.hit(thing);
    else if (thing.kind === "ramp") this.leap(thing);
    else if (this.fly === 0) this.take(thing);
  }

  hit(thing) {
    if (this.safe > 0 || this.fly > 0) return;
    this.lives -= 1;
    this.hits += 1;
    this.safe = SAFE_STEPS;
    this.slow = 30;
    this.gust = 0;
    thing.gone = thing.kind === "log";
    this.sparks.burst(this.x, this.y, "#ffffff", 22, 210);
    if (this.lives === 0) this.over = { outcome: "loss", reason: `${this.metres} metres, ${this.shells} shells` };
  }

  leap(thing) {
    if (this.fly > 0 || thing.used) return;
    thing.used = true;
    this.fly = FLY_STEPS;
    this.jumps += 1;
    this.sparks.burst(this.x, this.y, "#d8f6ff", 14, 160);
  }

  take(thing) {
    const { kind, x, y } = thing;
    thing.gone = true;
    if (kind === "shell") this.shells += 1;
    if (kind === "gust") this.gusts = Math.min(MOST_GUSTS, this.gusts + 1);
    if (kind === "heart") this.lives = Math.min(LIVES, this.lives + 1);
    this.sparks.burst(x, y, { shell: "#ffe0b8", gust: "#c8fff4", heart: "#ff9fb5" }[kind], 10, 140);
    if (kind !== "shell") this.sparks.say(kind === "heart" ? "+1 heart" : "+1 gust", x, y - 24, "#ffffff");
  }

  state() {
    return {
      score: this.metres,
      level: 1 + Math.floor(this.metres / 300),
      progress: Math.min(1, this.metres / GOAL_M),
      player: { x: this.x, vx: this.vx, lives: this.lives, gusts: this.gusts, flies: this.fly > 0 },
      board: [],
      entities: this.things.map(({ kind, x, y }) => ({ kind, x, ahead: y - this.y })),
      metrics: {
        metres: this.metres, shells: this.shells, jumps: this.jumps, hits: this.hits, lives: this.lives,
      },
      raw: { pace: this.pace },
    };
  }
}
