"use strict";

/* The shaft's rules. Pixels and seconds; depth grows downwards, and the view sinks by itself. */

const VIEW = { width: 440, height: 620 };
const TOP = 62; // below the ceiling's spikes
const MINER = { half: 12, height: 34, speed: 230, fall: 340 };
const SINK = { first: 62, perFloor: 0.9, fastest: 165 };
const PLANK = { width: 96, height: 13, apart: 78, spread: 22 };
const LIVES = 4;
const SAFE_STEPS = 60;
const CRUMBLE_STEPS = 26;
const HEAL_FLOORS = 15; // so many floors give a heart back
const GOAL = 200;
const SECONDS = 1 / 60;

class Shaft {
  constructor(start) {
    this.start = start;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.view = 0;
    this.x = VIEW.width / 2;
    this.depth = 200;
    this.lives = LIVES;
    this.floors = 0;
    this.crystals = 0;
    this.safe = 0;
    this.on = null;
    this.way = 1;
    this.number = 0;
    this.planks = [];
    this.laid = 222;
    this.lay("stone", VIEW.width / 2);
    this.fill();
  }

  get sinks() {
    return Math.min(SINK.fastest, SINK.first + SINK.perFloor * (this.floors + this.start));
  }

  fill() {
    while (this.laid < this.view + VIEW.height + 80) {
      this.laid += PLANK.apart + PLANK.spread * (2 * Math.random() - 1);
      const hard = Math.min(1, (this.number + this.start) / 120);
      const chance = Math.random();
      const last = this.planks[this.planks.length - 1];
      let kind = "stone";
      if (chance < 0.14 + 0.16 * hard && last.kind !== "spikes") kind = "spikes";
      else if (chance < 0.3 + 0.3 * hard) kind = "brittle";
      this.lay(kind, 56 + (VIEW.width - 112) * Math.random());
    }
  }

  lay(kind, x) {
    this.number += 1;
    const crystal = kind !== "spikes" && this.number > 1 && Math.random() < 0.35;
    this.planks.push({ kind, x, at: this.laid, number: this.number, crystal, stood: 0 });
  }

  step(keys) {
    this.sparks.step();
    this.view += this.sinks * SECONDS;
    this.safe = Math.max(0, this.safe - 1);
    const steer = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    if (steer) this.way = steer;
    const x = this.x + steer * MINER.speed * SECONDS;
    this.x = Math.min(VIEW.width - MINER.half - 6, Math.max(MINER.half + 6, x));
    if (this.on) this.stand();
    else this.fall();
    this.gather();
    if (this.depth - MINER.height < this.view + TOP) this.hitCeiling();
    this.planks = this.planks.filter(({ at, gone }) => !gone && at > this.view + TOP - 30);
    this.fill();
    this.judge();
  }

  isOver(plank) {
    return Math.abs(plank.x - this.x) < PLANK.width / 2 + MINER.half - 5;
  }

  stand() {
    const { on } = this;
    on.stood += 1;
    if (on.kind === "brittle" && on.stood >= CRUMBLE_STEPS) {
      on.gone = true;
      this.sparks.burst(on.x, on.at, "#c98f5a", 14, 140);
    }
    if (on.gone || !this.isOver(on)) this.on = null;
  }

  fall() {
    const before = this.depth;
    this.depth += MINER.fall * SECONDS;
    const plank = this.planks.find((each) => before <= each.at && this.depth >= each.at && this.isOver(each));
    if (!plank) return;
    this.depth = plank.at;
    this.on = plank;
    if (plank.number - 1 > this.floors) this.reach(plank.number - 1);
    if (plank.kind === "spikes") this.hurt("The spikes took the last heart");
  }

  /* Floors that were fallen past count as well. */
  reach(floors) {
    const healed = Math.floor(floors / HEAL_FLOORS) > Math.floor(this.floors / HEAL_FLOORS);
    this.floors = floors;
    if (!healed || this.lives === LIVES) return;
    this.lives += 1;
    this.sparks.say("+1 heart", this.x, this.depth - 50, "#ff9fb5");
  }

  hurt(reason) {
    if (this.safe > 0) return;
    this.lives -= 1;
    this.safe = SAFE_STEPS;
    this.sparks.burst(this.x, this.depth - 16, "#ff5d73", 14, 170);
    if (this.lives === 0) this.over = { outcome: "loss", reason };
  }

  /* The ceiling's spikes push the miner down through the plank. */
  hitCeiling() {
    this.hurt("The ceiling took the last heart");
    if (this.on) this.on.gone = true;
    this.on = null;
    this.depth = this.view + TOP + MINER.height + 2;
  }

  gather() {
    for (const plank of this.planks) {
      if (!plank.crystal || Math.abs(plank.x - this.x) > 24 || Math.abs(plank.at - 16 - this.depth + 16) > 26) continue;
      plank.crystal = false;
      this.crystals += 1;
      this.sparks.burst(plank.x, plank.at - 16, "#8df0ff", 9, 130);
    }
  }

  judge() {
    if (this.over) return;
    if (this.depth - MINER.height > this.view + VIEW.height) {
      this.over = { outcome: "loss", reason: `${this.floors} floors deep, ${this.crystals} crystals` };
    } else if (this.floors >= GOAL) this.over = { outcome: "win", reason: "You reached the glowing lake" };
  }

  state() {
    return {
      score: this.floors,
      level: 1 + Math.floor(this.floors / 20),
      progress: Math.min(1, this.floors / GOAL),
      player: { x: this.x, y: this.depth - this.view, stands: this.on !== null, lives: this.lives },
      board: [],
      entities: this.planks.map(({ kind, x, at, crystal }) => ({ kind, x, y: at - this.view, crystal })),
      metrics: { floors: this.floors, crystals: this.crystals, lives: this.lives },
      raw: { sinks: this.sinks, view: this.view },
    };
  }
}
