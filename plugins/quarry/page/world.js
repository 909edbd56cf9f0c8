"use strict";

/* A small world of blocks: a hilly meadow with trees and boulders. Places are in blocks, y is up. */

const WORLD = { wide: 30, high: 14, trees: 9, boulders: 9, apart: 4.5, clear: 4 };
const BLOCK = { air: 0, grass: 1, dirt: 2, stone: 3, wood: 4, leaves: 5, copper: 6 };
const NAMES = Object.keys(BLOCK);

class World {
  constructor() {
    this.blocks = new Uint8Array(WORLD.wide * WORLD.wide * WORLD.high);
    this.spots = [{ x: WORLD.wide / 2, z: WORLD.wide / 2, room: WORLD.clear }];
    this.layGround();
    for (let tree = 0; tree < WORLD.trees; tree += 1) this.plantTree();
    for (let boulder = 0; boulder < WORLD.boulders; boulder += 1) this.layBoulder();
  }

  inside(x, y, z) {
    return x >= 0 && x < WORLD.wide && z >= 0 && z < WORLD.wide && y >= 0 && y < WORLD.high;
  }

  at(x, y, z) {
    return this.inside(x, y, z) ? this.blocks[(y * WORLD.wide + z) * WORLD.wide + x] : BLOCK.air;
  }

  put(x, y, z, kind) {
    if (this.inside(x, y, z)) this.blocks[(y * WORLD.wide + z) * WORLD.wide + x] = kind;
  }

  /* The height of the topmost block that is no leaf, plus one. */
  top(x, z) {
    let y = WORLD.high - 1;
    while (y > 0 && [BLOCK.air, BLOCK.leaves].includes(this.at(x, y, z))) y -= 1;
    return y + 1;
  }

  /* Seen from above, a row for each z: the height of the topmost block and its first letter, like 4g. */
  map() {
    const sign = (x, z) => {
      let y = WORLD.high - 1;
      while (y > 0 && !this.at(x, y, z)) y -= 1;
      return `${y.toString(16)}${NAMES[this.at(x, y, z)][0]}`;
    };
    const places = Array.from({ length: WORLD.wide }, (_, place) => place);
    return places.map((z) => places.map((x) => sign(x, z)).join(" "));
  }

  layGround() {
    const [first, second, third] = [Math.random() * 6, Math.random() * 6, Math.random() * 6];
    for (let x = 0; x < WORLD.wide; x += 1) {
      for (let z = 0; z < WORLD.wide; z += 1) {
        const wave = Math.sin(x / 5 + first) + Math.sin(z / 4.4 + second) + 0.6 * Math.sin((x + z) / 3 + third);
        const top = Math.round(3.2 + 0.7 * wave);
        for (let y = 0; y < top; y += 1) this.put(x, y, z, y < top - 2 ? BLOCK.stone : BLOCK.dirt);
        this.put(x, top, z, BLOCK.grass);
      }
    }
  }

  /* A place that is not near another tree or boulder, nor where the player begins. */
  spot() {
    for (let tries = 0; tries < 200; tries += 1) {
      const [x, z] = [0, 0].map(() => 2 + Math.floor(Math.random() * (WORLD.wide - 4)));
      if (this.spots.every((spot) => Math.hypot(spot.x - x, spot.z - z) > spot.room)) {
        this.spots.push({ x, z, room: WORLD.apart });
        return { x, z, y: this.top(x, z) };
      }
    }
    return null;
  }

  plantTree() {
    const spot = this.spot();
    if (!spot) return;
    const { x, y, z } = spot;
    const tall = 3 + Math.floor(Math.random() * 2);
    for (let up = tall - 1; up <= tall + 1; up += 1) {
      const wide = up > tall ? 0 : 1;
      for (let dx = -wide; dx <= wide; dx += 1) for (let dz = -wide; dz <= wide; dz += 1) this.put(x + dx, y + up, z + dz, BLOCK.leaves);
    }
    for (let up = 0; up < tall; up += 1) this.put(x, y + up, z, BLOCK.wood);
  }

  /* Two blocks wide and high; a block of copper in its upper half. */
  layBoulder() {
    const spot = this.spot();
    if (!spot) return;
    const { x, y, z } = spot;
    const copper = Math.floor(Math.random() * 4);
    for (let part = 0; part < 4; part += 1) {
      const [left, back] = [x + (part & 1), z + (part >> 1)];
      for (let up = Math.min(y, this.top(left, back)); up < y + 1; up += 1) this.put(left, up, back, BLOCK.stone);
      if (part === copper || Math.random() < 0.4) this.put(left, y + 1, back, part === copper ? BLOCK.copper : BLOCK.stone);
    }
  }

  /*
   * What a look from a place meets within a distance: {kind, x, y, z, side, far}, side being the axis and the way
   * of the face (x: 0, y: 1, z: 2); or null.
   */
  meet(from, way, most) {
    const cell = from.map(Math.floor);
    const step = way.map(Math.sign);
    const part = way.map((each) => Math.abs(1 / (each || 1e-9)));
    const next = way.map((each, axis) => (each > 0 ? cell[axis] + 1 - from[axis] : from[axis] - cell[axis]) * part[axis]);
    for (;;) {
      const axis = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : next[1] < next[2] ? 1 : 2;
      const far = next[axis];
      if (far > most) return null;
      cell[axis] += step[axis];
      next[axis] += part[axis];
      const kind = this.at(...cell);
      if (kind) return { kind, x: cell[0], y: cell[1], z: cell[2], axis, step: step[axis], far };
    }
  }
}
