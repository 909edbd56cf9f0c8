"use strict";

/*
 * Cube Drift's rules. A ship glides over an endless plain, faster and faster; left and right are all it can do. The
 * plain comes in stretches: open fields, and lanes between two rows of cubes that wind. Places are in metres, z is
 * the way flown; times are steps of 1/60 s.
 */

const SHIP = { half: 0.5, long: 0.6, sideways: 11, pull: 46 };
const CUBE = { half: 0.8, height: 1.6, deep: 1.6 };
const PACE = { first: 17, most: 34, metres: 85 }; // one metre a second more for so many metres
const FIELD = { ahead: 96, stretch: 60, wide: 70, cell: 4.2, row: 6, bare: 40 };
const LANE = { wide: 12, narrow: 4.8, narrowAfter: 40, gap: 2.1, wing: 66, wingGap: 2.4 };
const KINDS = ["field", "field", "lane", "field", "dense", "lane", "lane"];
const DENSITY = { field: 0.17, dense: 0.24 };
const SHARD = { every: 26, reach: 1.25, aside: 9, clear: 2.4 };

class CubeDrift {
  /* pace: metres a second at the start. kind: what every stretch is; empty: they change. */
  constructor({ pace, kind }) {
    this.first = Math.min(PACE.most, Math.max(8, pace));
    this.kind = DENSITY[kind] || kind === "lane" ? kind : "";
  }

  begin() {
    this.over = null;
    this.ship = { x: 0, vx: 0, z: 0 };
    this.cubes = [];
    this.shards = [];
    this.taken = 0;
    this.laid = FIELD.bare;
    this.stretches = 0;
    this.lane = null;
    this.sparks = new Sparks();
    while (this.laid < FIELD.ahead) this.layOut();
  }

  get pace() {
    return Math.min(PACE.most, this.first + this.ship.z / PACE.metres);
  }

  get kindNow() {
    return this.kind || KINDS[Math.max(0, Math.floor((this.ship.z - FIELD.bare) / FIELD.stretch)) % KINDS.length];
  }

  /* Lay the next stretch out, about where the ship is now. */
  layOut() {
    const kind = this.kind || KINDS[this.stretches % KINDS.length];
    if (kind === "lane") this.layLane();
    else this.layField(DENSITY[kind]);
    this.layShards();
    this.laid += FIELD.stretch;
    this.stretches += 1;
  }

  layField(density) {
    this.lane = null;
    for (let z = this.laid; z < this.laid + FIELD.stretch; z += FIELD.row) {
      for (let x = -FIELD.wide; x <= FIELD.wide; x += FIELD.cell) {
        if (Math.random() >= density) continue;
        const aside = (Math.random() - 0.5) * 2.4;
        this.put(this.ship.x + x + aside, z + (Math.random() - 0.5) * 3);
      }
    }
  }

  /* Two rows of cubes; a lane goes on from the lane before it, or begins wide, with wings that lead into it. */
  layLane() {
    if (!this.lane) this.beginLane();
    const { lane } = this;
    for (let z = this.laid; z < this.laid + FIELD.stretch; z += LANE.gap) {
      const along = Math.min(1, (z - lane.from) / LANE.narrowAfter);
      const half = LANE.wide + (LANE.narrow - LANE.wide) * along;
      lane.bend = Math.min(0.55, Math.max(-0.55, lane.bend + (Math.random() - 0.5) * 0.3));
      lane.middle += along < 1 ? 0 : lane.bend;
      this.put(lane.middle - half, z);
      this.put(lane.middle + half, z);
    }
  }

  beginLane() {
    this.lane = { middle: this.ship.x, bend: 0, from: this.laid };
    for (let x = LANE.wide + LANE.wingGap; x < LANE.wing; x += LANE.wingGap) {
      this.put(this.ship.x - x, this.laid);
      this.put(this.ship.x + x, this.laid);
    }
  }

  put(x, z) {
    this.cubes.push({ x, z });
  }

  layShards() {
    for (let z = this.laid + 8; z < this.laid + FIELD.stretch; z += SHARD.every) {
      const middle = this.lane ? this.lane.middle : this.ship.x;
      const x = middle + (Math.random() - 0.5) * 2 * (this.lane ? 2 : SHARD.aside);
      const clear = this.cubes.every((cube) => Math.hypot(cube.x - x, cube.z + CUBE.half - z) > SHARD.clear);
      if (clear) this.shards.push({ x, z });
    }
  }

  step(keys) {
    const { ship } = this;
    const wish = (keys.held("arrowright") || keys.held("d")) - (keys.held("arrowleft") || keys.held("a"));
    const gain = SHIP.pull / 60;
    ship.vx += Math.min(gain, Math.max(-gain, wish * SHIP.sideways - ship.vx));
    ship.x += ship.vx / 60;
    ship.z += this.pace / 60;
    this.sparks.step();
    if (this.laid < ship.z + FIELD.ahead) this.layOut();
    this.take();
    this.meet();
    this.cubes = this.cubes.filter((cube) => cube.z > ship.z - 8);
    this.shards = this.shards.filter((shard) => shard.z > ship.z - 8);
  }

  take() {
    const { ship } = this;
    const near = (shard) => Math.abs(shard.z - ship.z) < 0.8 && Math.abs(shard.x - ship.x) < SHARD.reach;
    const taken = this.shards.filter(near);
    if (!taken.length) return;
    this.shards = this.shards.filter((shard) => !near(shard));
    this.taken += taken.length;
    this.sparks.burst(320, 322, "#fff3b0", 16, 220);
  }

  meet() {
    const { ship } = this;
    for (const cube of this.cubes) {
      if (cube.z > ship.z + SHIP.long || cube.z + CUBE.deep < ship.z - SHIP.long) continue;
      const apart = Math.abs(cube.x - ship.x) - CUBE.half - SHIP.half;
      if (apart >= 0) continue;
      this.over = { outcome: "loss", reason: `A cube after ${Math.floor(ship.z)} metres` };
      this.sparks.burst(320, 330, "#ffffff", 40, 320);
      return;
    }
  }

  state() {
    const { ship } = this;
    return {
      score: Math.floor(ship.z),
      level: 1 + Math.floor(this.stretches / KINDS.length),
      progress: Math.min(1, ship.z / 1500),
      player: { x: ship.x, z: ship.z, vx: ship.vx },
      board: this.kindNow,
      entities: [
        ...this.cubes.filter((cube) => cube.z < ship.z + 45).map(({ x, z }) => ({ kind: "cube", x, z })),
        ...this.shards.map(({ x, z }) => ({ kind: "shard", x, z })),
      ],
      metrics: { metres: Math.floor(ship.z), shards: this.taken, pace: this.pace },
      raw: { stretches: this.stretches, kind: this.kind },
    };
  }
}
