"use strict";

/* The lane runner's rules. Metres and seconds: lanes are -1, 0, 1; distances are ahead of the runner. */

const VIEW = { width: 480, height: 560 };
const SPEED = { first: 13, perMetre: 0.006, fastest: 27 };
const SIGHT = 60;
const ROW = { first: 26, slowest: 1.35, fastest: 0.78 }; // seconds from one row to the next
const LANE_STEPS = 10;
const JUMP = { steps: 36, height: 1.5 };
const SLIDE_STEPS = 32;
const DEPTH = 0.6; // an obstacle reaches so far before and behind its middle
const CLEAR = { log: 0.5, gate: 0 }; // height of the feet that clears a log
const LIVES = 3;
const SAFE_STEPS = 70; // after a hit nothing hits for so long
const GOAL = 4000;
const SECONDS = 1 / 60;
const KINDS = ["wall", "log", "gate"];

class Lanes {
  constructor(start) {
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.run = 0;
    this.lives = LIVES;
    this.coins = 0;
    this.cleared = 0;
    this.rows = 0;
    this.lane = 0;
    this.side = 0;
    this.jump = 0;
    this.slide = 0;
    this.safe = 0;
    this.things = [];
    this.nextRow = ROW.first;
    this.openLane = 0;
    this.fill();
  }

  get speed() {
    const fast = SPEED.first + SPEED.perMetre * (this.run + this.start);
    return Math.min(SPEED.fastest, fast) * (this.safe > SAFE_STEPS - 20 ? 0.5 : 1);
  }

  get height() {
    const share = this.jump / JUMP.steps;
    return this.jump > 0 ? 4 * JUMP.height * share * (1 - share) : 0;
  }

  /* Lays rows out as far as one sees; `at` counts from the start. */
  fill() {
    while (this.nextRow < this.run + SIGHT) {
      this.layRow(this.nextRow);
      const wait = Math.max(ROW.fastest, ROW.slowest - (this.run + this.start) * 0.0003);
      const fast = Math.min(SPEED.fastest, SPEED.first + SPEED.perMetre * (this.nextRow + this.start));
      const gap = wait * fast;
      this.layCoins(this.nextRow + 0.3 * gap, 0.5 * gap);
      this.nextRow += gap;
    }
  }

  /* One lane of a row is always open; it is two lanes at most from the last one that was. */
  layRow(at) {
    const chance = Math.random();
    if (chance < 0.22) {
      const kind = KINDS[1 + Math.floor(2 * Math.random())];
      for (const lane of [-1, 0, 1]) this.things.push({ kind, lane, at });
      return;
    }
    const open = Math.floor(3 * Math.random()) - 1;
    this.openLane = open;
    for (const lane of [-1, 0, 1]) {
      if (lane === open && chance < 0.8) continue;
      if (lane !== open && Math.random() < 0.12) continue;
      const kind = lane === open ? KINDS[1 + Math.floor(2 * Math.random())] : KINDS[Math.floor(2.2 * Math.random())];
      this.things.push({ kind, lane, at });
    }
  }

  layCoins(from, length) {
    if (Math.random() < 0.35) return;
    const lane = Math.random() < 0.6 ? this.openLane : Math.floor(3 * Math.random()) - 1;
    for (let coin = 0; coin < 4; coin += 1) this.things.push({ kind: "coin", lane, at: from + (coin * length) / 3 });
  }

  step(keys) {
    this.sparks.step();
    for (const key of keys.tapped) this.press(key);
    this.side += Math.sign(this.lane - this.side) * Math.min(1 / LANE_STEPS, Math.abs(this.lane - this.side));
    this.jump = this.jump > 0 && this.jump < JUMP.steps ? this.jump + 1 : 0;
    this.slide = Math.max(0, this.slide - 1);
    this.safe = Math.max(0, this.safe - 1);
    this.run += this.speed * SECONDS;
    this.meet();
    this.things = this.things.filter((thing) => thing.at > this.run - 5);
    this.fill();
    if (!this.over && this.run >= GOAL) this.over = { outcome: "win", reason: "You reached the sea" };
  }

  press(key) {
    if (key === "arrowleft") this.lane = Math.max(-1, this.lane - 1);
    if (key === "arrowright") this.lane = Math.min(1, this.lane + 1);
    if ((key === "arrowup" || key === " ") && this.jump === 0) {
      this.jump = 1;
      this.slide = 0;
    }
    if (key === "arrowdown") {
      this.slide = SLIDE_STEPS;
      if (this.jump > 0) this.jump = Math.max(this.jump, JUMP.steps - 6);
    }
  }

  meet() {
    for (const thing of this.things) {
      const off = thing.at - this.run;
      if (thing.done || Math.abs(off) > DEPTH || Math.abs(thing.lane - this.side) > 0.55) continue;
      if (thing.kind === "coin") this.take(thing);
      else if (this.safe === 0 && this.blocked(thing.kind)) this.stumble(thing);
      else if (off < -DEPTH + 0.45) this.pass(thing);
    }
  }

  blocked(kind) {
    if (kind === "log") return this.height < CLEAR.log;
    return kind === "wall" || this.slide === 0 || this.jump > 0;
  }

  take(coin) {
    coin.done = true;
    this.coins += 1;
    this.sparks.burst(240 + 130 * this.side, 430, "#ffe14d", 5, 110);
  }

  pass(thing) {
    thing.done = true;
    if (this.safe === 0) this.cleared += 1;
  }

  stumble(thing) {
    thing.done = true;
    this.lives -= 1;
    this.safe = SAFE_STEPS;
    this.sparks.burst(240 + 130 * this.side, 430, "#ff8a7a", 18, 220);
    if (this.lives === 0) {
      this.over = { outcome: "loss", reason: `${Math.floor(this.run)} metres, ${this.coins} coins` };
    }
  }

  state() {
    const ahead = this.things.filter(({ at, done }) => at > this.run && !done);
    return {
      score: Math.floor(this.run),
      level: 1 + Math.floor(this.run / 500),
      progress: Math.min(1, this.run / GOAL),
      player: { lane: this.lane, side: this.side, height: this.height, slides: this.slide > 0, lives: this.lives },
      board: [],
      entities: ahead.map(({ kind, lane, at }) => ({ kind, lane, ahead: at - this.run })),
      metrics: { metres: Math.floor(this.run), coins: this.coins, cleared: this.cleared, lives: this.lives },
      raw: { speed: this.speed, jump: this.jump, slide: this.slide },
    };
  }
}
