"use strict";

/*
 * Block Hill's rules. A player walks over a world of blocks, looks round, mines blocks, and places them again; the
 * play is won once a stated set is gathered. Places are in blocks, y is up; times are steps of 1/60 s.
 */

const SET = { wood: 4, stone: 4, copper: 3 };
const BODY = { half: 0.28, tall: 1.7, eye: 1.55, walk: 4.2, leap: 7.2, weight: 22 };
const LOOK = { degrees: 0.15, keys: 110, tilt: 80, most: 75, reach: 4.2 };
const TAKES = { grass: 16, dirt: 16, stone: 34, wood: 24, leaves: 8, copper: 44 }; // steps of mining
const STARTS = { builder: { dirt: 8 } };

class BlockHill {
  /* kind: "builder": the bag holds eight blocks of earth at the start. */
  constructor({ kind }) {
    this.kind = kind in STARTS ? kind : "";
  }

  begin() {
    this.over = null;
    this.world = new World();
    const middle = WORLD.wide / 2;
    this.at = { x: middle + 0.5, y: this.world.top(middle, middle), z: middle + 0.5, vy: 0, stands: true };
    this.turn = Math.floor(Math.random() * 8) * 45;
    this.tilt = 0;
    this.eyeY = this.at.y;
    this.bag = { dirt: 0, stone: 0, wood: 0, copper: 0, ...STARTS[this.kind] };
    this.mined = 0;
    this.placed = 0;
    this.mining = null;
    this.target = null;
    this.sparks = new Sparks();
    this.aim();
  }

  look(right, down) {
    this.turn = (((this.turn + right) % 360) + 360) % 360;
    this.tilt = Math.min(LOOK.most, Math.max(-LOOK.most, this.tilt + down));
  }

  get eye() {
    return [this.at.x, this.eyeY + BODY.eye, this.at.z];
  }

  /* Ahead, to the right, and up, each as [x, y, z]. */
  get ways() {
    const [turn, tilt] = [(this.turn * Math.PI) / 180, (this.tilt * Math.PI) / 180];
    const [sin, cos, down, flat] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
    return { ahead: [sin * flat, -down, cos * flat], right: [cos, 0, -sin], up: [sin * down, flat, cos * down] };
  }

  step(keys) {
    const turn = keys.held("arrowright") - keys.held("arrowleft");
    const tilt = keys.held("arrowdown") - keys.held("arrowup");
    this.look((turn * LOOK.keys) / 60, (tilt * LOOK.tilt) / 60);
    this.walk(keys);
    this.fall(keys.held(" "));
    this.eyeY += (this.at.y - this.eyeY) * 0.25;
    this.sparks.step();
    this.aim();
    this.mine(keys.held("e"));
    if (keys.tapped.includes("q")) this.place();
    if (this.score >= 11) this.over = { outcome: "win", reason: "Wood, stone and copper: the set is gathered" };
  }

  walk(keys) {
    const on = keys.held("w") - keys.held("s");
    const aside = keys.held("d") - keys.held("a");
    if (!on && !aside) return;
    const turn = (this.turn * Math.PI) / 180;
    const pace = BODY.walk / 60 / Math.hypot(on, aside);
    this.go((on * Math.sin(turn) + aside * Math.cos(turn)) * pace, 0);
    this.go(0, (on * Math.cos(turn) - aside * Math.sin(turn)) * pace);
  }

  /* Go aside as far as nothing is in the way; a block that is no higher than a step is climbed. */
  go(dx, dz) {
    const { at } = this;
    const edge = BODY.half + 0.01;
    const x = Math.min(WORLD.wide - edge, Math.max(edge, at.x + dx));
    const z = Math.min(WORLD.wide - edge, Math.max(edge, at.z + dz));
    const up = this.free(x, at.y, z) ? 0 : at.stands && this.free(x, at.y + 1, z) && this.free(at.x, at.y + 1, at.z) ? 1 : -1;
    if (up >= 0) Object.assign(at, { x, z, y: at.y + up });
  }

  free(x, y, z) {
    for (let cellY = Math.floor(y + 0.0001); cellY <= Math.floor(y + BODY.tall); cellY += 1) {
      for (const dx of [-BODY.half, BODY.half]) {
        for (const dz of [-BODY.half, BODY.half]) {
          if (this.world.at(Math.floor(x + dx), cellY, Math.floor(z + dz))) return false;
        }
      }
    }
    return true;
  }

  fall(leaps) {
    const { at } = this;
    if (at.stands && leaps) Object.assign(at, { vy: BODY.leap, stands: false });
    at.vy = Math.max(-20, at.vy - BODY.weight / 60);
    const y = at.y + at.vy / 60;
    if (y > 0 && this.free(at.x, y, at.z)) {
      Object.assign(at, { y, stands: false });
      return;
    }
    if (at.vy < 0) Object.assign(at, { y: Math.max(0, Math.floor(y) + 1), stands: true });
    at.vy = 0;
  }

  aim() {
    this.target = this.world.meet(this.eye, this.ways.ahead, LOOK.reach);
  }

  mine(holds) {
    const { target } = this;
    if (!holds || !target || target.y === 0) {
      this.mining = null;
      return;
    }
    const same = this.mining && ["x", "y", "z"].every((axis) => this.mining[axis] === target[axis]);
    this.mining = { ...target, steps: same ? this.mining.steps + 1 : 1 };
    const name = NAMES[target.kind];
    if (this.mining.steps < TAKES[name]) return;
    this.world.put(target.x, target.y, target.z, BLOCK.air);
    const pile = name === "grass" ? "dirt" : name;
    if (pile in this.bag) this.bag[pile] += 1;
    this.mined += 1;
    this.mining = null;
    this.sparks.burst(320, 230, TONES[target.kind], 14, 200);
    if (pile in SET) this.sparks.say(`+1 ${pile}`, 320, 200, "#ffffff");
    this.aim();
  }

  /* Place a block against the face that is looked at: earth first, then what there is most of. */
  place() {
    const { target, bag, at } = this;
    const pile = bag.dirt ? "dirt" : Object.keys(bag).reduce((most, name) => (bag[name] > bag[most] ? name : most));
    if (!target || !bag[pile]) return;
    const cell = [target.x, target.y, target.z];
    cell[target.axis] -= target.step;
    if (this.world.at(...cell) || !this.world.inside(...cell)) return;
    this.world.put(...cell, BLOCK[pile]);
    if (!this.free(at.x, at.y, at.z)) {
      this.world.put(...cell, BLOCK.air);
      return;
    }
    bag[pile] -= 1;
    this.placed += 1;
    this.aim();
  }

  get score() {
    return Object.entries(SET).reduce((sum, [name, most]) => sum + Math.min(most, this.bag[name]), 0);
  }

  state() {
    const { at, bag, target } = this;
    return {
      score: this.score,
      level: 1,
      progress: this.score / 11,
      player: { x: at.x, y: at.y, z: at.z, turn: this.turn, tilt: this.tilt, stands: at.stands },
      board: this.world.map(),
      entities: target ? [{ kind: NAMES[target.kind], x: target.x, y: target.y, z: target.z }] : [],
      metrics: { ...bag, mined: this.mined, placed: this.placed, height: at.y },
      raw: { kind: this.kind },
    };
  }
}
