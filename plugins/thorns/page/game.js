"use strict";

/* The rules of the thorn rooms. Pixels and seconds; places of the imp are its left upper corner in the room. */

const VIEW = { width: 640, height: 424, top: 40 };
const IMP = { width: 20, height: 28, speed: 220, jump: 620, cut: 200 };
const GRAVITY = 1800;
const FALL_MOST = 700;
const ROOMS = 18;
const CANDLE_STEPS = 240 * 60;
const COYOTE_STEPS = 4; // so long after an edge a jump is still one
const SECONDS = 1 / 60;

class Thorns {
  constructor(first) {
    this.first = Math.min(ROOMS, Math.max(1, first));
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.steps = 0;
    this.rooms = 0;
    this.deaths = 0;
    this.clean = 0;
    this.embers = 0;
    this.traces = []; // where it died in this room
    this.enter(this.first);
  }

  enter(number) {
    this.room = new Room(number);
    this.unhurt = true;
    this.traces = [];
    this.setOut();
  }

  setOut() {
    const { width, height } = IMP;
    this.imp = { x: 24, y: FLOOR_ROW * TILE - height, width, height, vx: 0, vy: 0, air: 0, facing: 1 };
    this.left = this.room.embers.map((ember) => ({ ...ember }));
  }

  get standing() {
    return this.imp.air === 0;
  }

  step(keys) {
    this.sparks.step();
    this.steps += 1;
    this.steer(keys);
    this.move();
    this.gather();
    if (this.room.pricks(this.imp, this.steps)) this.die();
    else if (this.imp.x > (COLUMNS - 1) * TILE) this.pass();
    if (!this.over && this.steps >= CANDLE_STEPS) {
      this.over = { outcome: "loss", reason: `The candle went out: ${this.rooms} rooms, ${this.deaths} deaths` };
    }
  }

  steer(keys) {
    const { imp } = this;
    const way = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    imp.vx = way * IMP.speed;
    if (way) imp.facing = way;
    const jumps = keys.tapped.includes("arrowup") || keys.tapped.includes(" ");
    if (jumps && imp.air <= COYOTE_STEPS && imp.vy >= 0) {
      imp.vy = -IMP.jump;
      imp.air = COYOTE_STEPS + 1;
    }
    const holds = keys.held("arrowup") || keys.held(" ");
    if (!holds && imp.vy < -IMP.cut) imp.vy = -IMP.cut;
  }

  move() {
    const { imp } = this;
    imp.x += imp.vx * SECONDS;
    if (this.blocked()) imp.x = imp.vx > 0 ? tileOf(imp.x + imp.width) * TILE - imp.width : (tileOf(imp.x) + 1) * TILE;
    imp.vy = Math.min(FALL_MOST, imp.vy + GRAVITY * SECONDS);
    imp.y += imp.vy * SECONDS;
    imp.air += 1;
    if (!this.blocked()) return;
    if (imp.vy > 0) {
      imp.y = tileOf(imp.y + imp.height) * TILE - imp.height;
      imp.air = 0;
    } else imp.y = (tileOf(imp.y) + 1) * TILE;
    imp.vy = 0;
  }

  /* Whether the imp's place overlaps a block. */
  blocked() {
    const { x, y, width, height } = this.imp;
    for (let column = tileOf(x + 0.001); column <= tileOf(x + width); column += 1) {
      for (let row = tileOf(y + 0.001); row <= tileOf(y + height); row += 1) if (this.room.solid(column, row)) return true;
    }
    return false;
  }

  gather() {
    const [x, y] = [this.imp.x + IMP.width / 2, this.imp.y + IMP.height / 2];
    this.left = this.left.filter((ember) => {
      if (Math.hypot(ember.x - x, ember.y - y) > 30) return true;
      this.sparks.burst(ember.x, ember.y, "#ffc66b", 10, 130);
      return false;
    });
  }

  die() {
    const { imp } = this;
    this.deaths += 1;
    this.unhurt = false;
    this.traces.push({ x: imp.x + IMP.width / 2, y: imp.y + IMP.height / 2 });
    this.sparks.burst(imp.x + IMP.width / 2, imp.y + IMP.height / 2, "#6fd3ff", 18, 190);
    this.setOut();
  }

  /* Embers count once they are carried out of the room. */
  pass() {
    this.rooms += 1;
    this.embers += this.room.embers.length - this.left.length;
    if (this.unhurt) this.clean += 1;
    if (this.room.number < ROOMS) {
      this.sparks.say(this.unhurt ? "untouched!" : "through!", 70, 170, this.unhurt ? "#9cf5c4" : "#ffe3a1");
      this.enter(this.room.number + 1);
    } else this.over = { outcome: "win", reason: `Out in the open: ${this.deaths} deaths, ${this.embers} embers` };
  }

  state() {
    const { imp, room } = this;
    const gates = room.gates.map((gate) => ({ kind: "gate", ...gate, left_steps: room.gateLeft(gate, this.steps) }));
    return {
      score: this.rooms,
      level: room.number,
      progress: (this.rooms + Math.min(1, imp.x / ((COLUMNS - 1) * TILE))) / ROOMS,
      player: { ...imp, stands: this.standing },
      board: { ground: room.ground, thorns: [...room.thorns], low: [...room.low] },
      entities: [...gates, ...this.left.map((ember) => ({ kind: "ember", ...ember }))],
      metrics: { rooms: this.rooms, deaths: this.deaths, clean: this.clean, embers: this.embers },
      raw: { candle_steps: CANDLE_STEPS - this.steps },
    };
  }
}

/* The tile that a pixel lies in; an edge belongs to the tile before it. */
function tileOf(pixel) {
  return Math.floor((pixel - 0.001) / TILE);
}
