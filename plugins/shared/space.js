"use strict";

/*
 * A small picture of space on a flat canvas, for games seen from behind: places are x to the right, y up, z away
 * from the eye. It needs no graphics card: a box is its faces that can be seen, far ones first.
 */

class Eye {
  /* x, height: where the eye is. middle, horizon: pixels. zoom: pixels of a unit at a distance of one unit. */
  constructor({ height, middle, horizon, zoom, far, fog }) {
    Object.assign(this, { x: 0, height, middle, horizon, zoom, far, fog: rgbOf(fog), shades: new Map() });
  }

  /* A place's pixel; z is its distance from the eye. */
  at(x, y, z) {
    const scale = this.zoom / z;
    return [this.middle + (x - this.x) * scale, this.horizon + (this.height - y) * scale];
  }

  /* A colour as it is seen through the fog, kept in steps so that it need not be mixed anew. */
  seen(colour, z, light = 1) {
    const thick = Math.min(20, Math.floor(20 * (Math.max(0, z) / this.far) ** 1.5));
    const key = `${colour}${thick}${light}`;
    if (!this.shades.has(key)) {
      const parts = rgbOf(colour).map((part, at) => {
        const lit = Math.min(255, part * light);
        return Math.round(lit + (this.fog[at] - lit) * (thick / 20));
      });
      this.shades.set(key, `rgb(${parts.join(",")})`);
    }
    return this.shades.get(key);
  }

  face(ctx, colour, corners) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    corners.forEach(([x, y], at) => (at ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.closePath();
    ctx.fill();
  }

  /* A box on its middle: front, top, and the side that is seen. */
  box(ctx, { x, y, z, half, height, deep }, colour) {
    const near = Math.max(0.4, z);
    const back = z + deep;
    if (back < 0.8) return;
    const corner = (side, up, depth) => this.at(x + side * half, y + up * height, depth);
    const side = x > this.x ? -1 : 1;
    if (Math.abs(x - this.x) > half) {
      const tone = this.seen(colour, z, 0.55);
      this.face(ctx, tone, [corner(side, 0, near), corner(side, 1, near), corner(side, 1, back), corner(side, 0, back)]);
    }
    if (this.height > y + height) {
      const tone = this.seen(colour, z, 1.25);
      this.face(ctx, tone, [corner(-1, 1, near), corner(1, 1, near), corner(1, 1, back), corner(-1, 1, back)]);
    }
    const front = [corner(-1, 0, near), corner(1, 0, near), corner(1, 1, near), corner(-1, 1, near)];
    this.face(ctx, this.seen(colour, z, 0.85), front);
  }
}

function rgbOf(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
