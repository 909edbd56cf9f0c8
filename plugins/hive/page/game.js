"use strict";

/*
 * The hive's rules. Six lanes lead to a hexagon, lane 0 from above, then clockwise. The hexagon turns by sixths:
 * its side k faces lane (k + turn) mod 6. Distances are pixels from the middle to a block's lower edge.
 */

const VIEW = { width: 480, height: 560 };
const MIDDLE = { x: 240, y: 302 };
const LANES = 6;
const CORE = 46;
const BLOCK = 17;
const ROWS = 8;
const SPAWN = 262;
const COLOURS = ["rose", "gold", "mint", "blue", "violet"];
const GROUP = 3;
const VANISH_STEPS = 20;
const TURN_PER_STEP = 10; // degrees
const PACE = { first: 58, perLevel: 9, most: 165, hurried: 330 }; // pixels a second
const WAIT = { first: 1.35, perLevel: 0.075, least: 0.66 }; // seconds from one block to the next
const PER_LEVEL = 20; // blocks landed
const VIOLET_LEVEL = 4;
const PAIR = { level: 3, chance: 0.22 };
const GOAL = 500;
const SECONDS = 1 / 60;

class Hive {
  constructor({ firstLevel, rows }) {
    this.firstLevel = Math.max(1, firstLevel);
    this.rows = Math.min(5, Math.max(0, rows));
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.turn = 0;
    this.angle = 0;
    this.sides = Array.from({ length: LANES }, () => []);
    this.falling = [];
    this.score = 0;
    this.landed = 0;
    this.vanished = 0;
    this.groups = 0;
    this.largest = 0;
    this.chain = 0;
    this.longest = 0;
    this.wait = 0.3;
    this.flash = 0;
    for (let row = 0; row < this.rows; row += 1) this.sides.forEach((_, side) => this.heap(side));
  }

  /* A block that lies there from the start, of a colour that makes no group. */
  heap(side) {
    const colour = () => COLOURS[Math.floor(4 * Math.random())];
    const block = { colour: colour(), going: 0, lift: 0 };
    this.sides[side].push(block);
    while (this.groupOf(side, this.sides[side].length - 1).length >= GROUP) block.colour = colour();
  }

  get level() {
    return this.firstLevel + Math.floor(this.landed / PER_LEVEL);
  }

  get pace() {
    return Math.min(PACE.most, PACE.first + PACE.perLevel * this.level);
  }

  sideAt(lane) {
    return (((lane - this.turn) % LANES) + LANES) % LANES;
  }

  step(keys) {
    this.sparks.step();
    this.flash = Math.max(0, this.flash - 1);
    for (const key of keys.tapped) this.turn += { arrowleft: -1, a: -1, arrowright: 1, d: 1 }[key] ?? 0;
    const off = 60 * this.turn - this.angle;
    this.angle += Math.sign(off) * Math.min(TURN_PER_STEP, Math.abs(off));
    this.wait -= SECONDS * (keys.held("arrowdown") || keys.held("s") ? 2 : 1);
    if (this.wait <= 0) this.send();
    const pace = keys.held("arrowdown") || keys.held("s") ? PACE.hurried : this.pace;
    for (const block of this.falling) this.fall(block, pace);
    this.falling = this.falling.filter(({ down }) => !down);
    this.vanish();
    this.judge();
  }

  send() {
    const lane = Math.floor(LANES * Math.random());
    const kinds = this.level >= VIOLET_LEVEL ? 5 : 4;
    const block = (at) => ({ lane: at, colour: COLOURS[Math.floor(kinds * Math.random())], far: SPAWN });
    this.falling.push(block(lane));
    if (this.level >= PAIR.level && Math.random() < PAIR.chance) this.falling.push(block((lane + 3) % LANES));
    this.wait += Math.max(WAIT.least, WAIT.first - WAIT.perLevel * (this.level - 1));
  }

  fall(block, pace) {
    block.far -= pace * SECONDS;
    const side = this.sideAt(block.lane);
    const ground = CORE + BLOCK * this.sides[side].length;
    if (block.far > ground) return;
    block.down = true;
    this.sides[side].push({ colour: block.colour, going: 0, lift: 0 });
    this.landed += 1;
    if (!this.sides.flat().some(({ going }) => going)) this.chain = 0;
    this.mark([[side, this.sides[side].length - 1]]);
  }

  /* Blocks of a colour that hang together: above each other, or beside each other in a ring. */
  groupOf(side, row) {
    const colour = this.sides[side][row].colour;
    const group = [[side, row]];
    for (const [k, r] of group) {
      for (const [nk, nr] of [[k, r + 1], [k, r - 1], [(k + 1) % LANES, r], [(k + LANES - 1) % LANES, r]]) {
        const near = this.sides[nk][nr];
        if (!near || near.going || near.colour !== colour) continue;
        if (!group.some(([gk, gr]) => gk === nk && gr === nr)) group.push([nk, nr]);
      }
    }
    return group;
  }

  /* Mark every group that one of these places belongs to: it vanishes soon. */
  mark(places) {
    let marked = 0;
    for (const [side, row] of places) {
      if (this.sides[side][row].going) continue;
      const group = this.groupOf(side, row);
      if (group.length < GROUP) continue;
      for (const [k, r] of group) this.sides[k][r].going = VANISH_STEPS;
      marked += 1;
      this.count(group, side, row);
    }
    return marked;
  }

  count(group, side, row) {
    this.chain += 1;
    this.longest = Math.max(this.longest, this.chain);
    this.groups += 1;
    this.vanished += group.length;
    this.largest = Math.max(this.largest, group.length);
    const points = 10 * group.length * this.chain + 10 * Math.max(0, group.length - GROUP) ** 2;
    this.score += points;
    this.flash = VANISH_STEPS;
    const [x, y] = placeOf(side + this.turn, CORE + BLOCK * (row + 0.5));
    this.sparks.say(this.chain > 1 ? `+${points} chain ${this.chain}` : `+${points}`, x, y, "#fff6d6");
  }

  vanish() {
    let fell = false;
    this.sides.forEach((side, k) => {
      side.forEach((block, row) => {
        block.lift = Math.max(0, block.lift - 3);
        block.going = Math.max(0, block.going - 1);
        if (block.going === 1) this.burst(k, row, block.colour);
      });
      const kept = side.filter(({ going }) => going !== 1);
      if (kept.length === side.length) return;
      kept.forEach((block, row) => (block.lift += BLOCK * (side.indexOf(block) - row)));
      this.sides[k] = kept;
      fell = true;
    });
    if (fell) this.mark(this.sides.flatMap((side, k) => side.map((_, row) => [k, row])));
  }

  burst(side, row, colour) {
    const [x, y] = placeOf(side + this.turn, CORE + BLOCK * (row + 0.5));
    this.sparks.burst(x, y, PALETTE[colour][0], 7, 170);
  }

  judge() {
    const full = this.sides.some((side) => side.filter(({ going }) => !going).length > ROWS);
    if (full) this.over = { outcome: "loss", reason: `A side is full: ${this.vanished} blocks vanished` };
    else if (this.vanished >= GOAL) this.over = { outcome: "win", reason: `${GOAL} blocks are honey now` };
  }

  state() {
    const seen = [0, 1, 2, 3, 4, 5].map((lane) => this.sides[this.sideAt(lane)].map(({ colour }) => colour));
    return {
      score: this.score,
      level: this.level,
      progress: Math.min(1, this.vanished / GOAL),
      player: { turn: ((this.turn % LANES) + LANES) % LANES, angle: this.angle },
      board: seen,
      entities: this.falling.map(({ lane, colour, far }) => ({ kind: "block", lane, colour, far })),
      metrics: {
        points: this.score, vanished: this.vanished, groups: this.groups, largest: this.largest,
        chain: this.longest, landed: this.landed, highest: Math.max(...this.sides.map((side) => side.length)),
      },
      raw: { first_level: this.firstLevel, rows: this.rows },
    };
  }
}

/* The pixel at a distance from the middle, straight out in a lane. */
function placeOf(lane, far) {
  const angle = ((60 * lane - 90) * Math.PI) / 180;
  return [MIDDLE.x + far * Math.cos(angle), MIDDLE.y + far * Math.sin(angle)];
}
