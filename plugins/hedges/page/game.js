"use strict";

/* The hedgehog's rules. Places are cells; speeds are cells a second. */

const VIEW = { width: 456, height: 546 };
const PACE = { hero: 6.4, wisp: 5.4, perLevel: 0.25, most: 6.3, afraid: 3.4, caught: 12 };
const REST_S = 5;
const HUNT_S = 20;
const AFRAID_S = 7;
const LEVELS = 5;
const LIVES = 3;
const READY_STEPS = 50; // everybody stands before a life begins
const TOUCH = 0.65;
const POINTS = { berry: 10, moon: 50, wisp: 200 };
const SECONDS = 1 / 60;
const KEYS = { arrowup: "up", w: "up", arrowleft: "left", a: "left", arrowdown: "down", s: "down", arrowright: "right", d: "right" };

class Hedges {
  constructor(firstLevel) {
    this.firstLevel = Math.min(LEVELS, Math.max(1, firstLevel));
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.lives = LIVES;
    this.points = 0;
    this.eaten = 0;
    this.caught = 0;
    this.gardens = 0;
    this.startLevel(this.firstLevel);
  }

  startLevel(level) {
    this.level = level;
    this.garden = layOutGarden();
    this.startLife();
  }

  startLife() {
    this.hero = new Walker(START, "left");
    this.wanted = null;
    this.wisps = WISPS.map((wisp) => new Wisp(wisp));
    this.ready = READY_STEPS;
    this.hunted = 0;
    this.afraid = 0;
    this.row = 0;
  }

  get resting() {
    return this.hunted % (REST_S + HUNT_S) < REST_S;
  }

  step(keys) {
    this.sparks.step();
    for (const key of keys.tapped) if (KEYS[key]) this.wanted = KEYS[key];
    this.ready = Math.max(0, this.ready - 1);
    if (this.ready) return;
    const before = this.resting;
    this.hunted += SECONDS;
    this.afraid = Math.max(0, this.afraid - SECONDS);
    if (this.wanted && this.wanted === BACK[this.hero.way] && this.hero.walks) this.hero.turnBack();
    this.hero.walk(PACE.hero * SECONDS, (cell) => this.heroWay(cell));
    this.eat();
    for (const wisp of this.wisps) this.moveWisp(wisp, this.resting !== before);
    for (const wisp of this.wisps) if (!this.ready) this.meet(wisp);
  }

  /* The wanted way where it is open, else straight on, else it stands. */
  heroWay(cell) {
    const ways = openWays(this.garden.open, cell);
    if (ways.includes(this.wanted)) return this.wanted;
    return this.wanted && ways.includes(this.hero.way) ? this.hero.way : null;
  }

  eat() {
    const { x, y } = this.hero.place;
    const [column, row] = [(Math.round(x) + COLUMNS) % COLUMNS, Math.round(y)];
    const key = cellKey(column, row);
    if (this.garden.berries.delete(key)) {
      this.eaten += 1;
      this.points += POINTS.berry;
    }
    if (this.garden.moons.delete(key)) this.frighten(column, row);
    if (this.garden.berries.size + this.garden.moons.size === 0) this.clear();
  }

  frighten(x, y) {
    this.points += POINTS.moon;
    this.afraid = AFRAID_S;
    this.row = 0;
    this.sparks.burst(...pixelOf({ x, y }), "#fff3b0", 20, 220);
    for (const wisp of this.wisps) {
      if (wisp.state !== "free" || wisp.wait > 0) continue;
      wisp.state = "afraid";
      wisp.turnBack();
    }
  }

  clear() {
    this.gardens += 1;
    if (this.level === LEVELS) this.over = { outcome: "win", reason: `Every garden is eaten, ${this.points} points` };
    else this.startLevel(this.level + 1);
  }

  paceOf({ state }) {
    if (state === "caught") return PACE.caught;
    if (state === "afraid") return PACE.afraid;
    return Math.min(PACE.most, PACE.wisp + PACE.perLevel * (this.level - 1));
  }

  moveWisp(wisp, turns) {
    wisp.wait = Math.max(0, wisp.wait - SECONDS);
    if (wisp.wait > 0) return;
    if (wisp.state === "afraid" && !this.afraid) wisp.state = "free";
    if (turns && wisp.state === "free") wisp.turnBack();
    wisp.walk(this.paceOf(wisp) * SECONDS, (cell) => {
      if (wisp.state === "caught" && apart(cell, CENTRE) === 0) wisp.state = "free";
      return wisp.next(this, cell, this.resting);
    });
  }

  meet(wisp) {
    if (wisp.state === "caught" || apart(wisp.place, this.hero.place) > TOUCH) return;
    const [x, y] = pixelOf(wisp.place);
    if (wisp.state === "afraid") {
      const points = POINTS.wisp * 2 ** this.row;
      this.row += 1;
      this.caught += 1;
      this.points += points;
      wisp.state = "caught";
      this.sparks.say(`+${points}`, x, y, "#ffffff");
      return;
    }
    this.lives -= 1;
    this.sparks.burst(...pixelOf(this.hero.place), "#e0a060", 30, 240);
    if (this.lives === 0) this.over = { outcome: "loss", reason: `${this.points} points, ${this.gardens} gardens eaten` };
    else this.startLife();
  }

  state() {
    const { garden, hero } = this;
    return {
      score: this.points,
      level: this.level,
      progress: this.gardens / LEVELS,
      player: { ...hero.place, way: hero.way, walks: hero.walks, lives: this.lives },
      board: garden.open.map((row, y) => row.map((free, x) => this.signOf(free, cellKey(x, y))).join("")),
      entities: this.wisps.map((wisp) => ({ kind: wisp.name, ...wisp.place, way: wisp.way, state: wisp.state })),
      metrics: {
        points: this.points, berries: this.eaten, wisps: this.caught, gardens: this.gardens, lives: this.lives,
        left: garden.berries.size,
      },
      raw: { afraid_s: this.afraid, resting: this.resting, ready: this.ready },
    };
  }

  signOf(free, key) {
    if (!free) return "#";
    return this.garden.berries.has(key) ? "." : this.garden.moons.has(key) ? "o" : " ";
  }
}
