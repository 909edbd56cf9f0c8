"use strict";

/*
 * Hills for games seen from the side, and how a body rolls and flies over them. Pixels and seconds; y grows downwards,
 * so a slope above 0 leads down to the right.
 */

/* Ground through knots, from left to right: between two knots it is half a wave, flat at both. */
class Hills {
  constructor(x, y) {
    this.knots = [[x, y]];
    this.at = 1;
  }

  get end() {
    return this.knots[this.knots.length - 1];
  }

  add(width, deeper) {
    const [x, y] = this.end;
    this.knots.push([x + width, y + deeper]);
  }

  /* Knots that lie wholly before x are no longer needed. */
  forget(x) {
    while (this.knots.length > 2 && this.knots[1][0] < x) this.knots.shift();
  }

  part(x) {
    let at = Math.min(this.at, this.knots.length - 1); // most questions are near the one before
    while (at > 1 && this.knots[at - 1][0] >= x) at -= 1;
    while (at < this.knots.length - 1 && this.knots[at][0] < x) at += 1;
    this.at = at;
    const [[left, from], [right, to]] = [this.knots[at - 1], this.knots[at]];
    return { share: Math.min(1, Math.max(0, (x - left) / (right - left))), wide: right - left, from, deep: to - from };
  }

  height(x) {
    const { share, from, deep } = this.part(x);
    return from + (deep * (1 - Math.cos(Math.PI * share))) / 2;
  }

  slope(x) {
    const { share, wide, deep } = this.part(x);
    return (deep * Math.PI * Math.sin(Math.PI * share)) / (2 * wide);
  }
}

/*
 * Moves a body { x, y, vx, vy, grounded } on by so many seconds. On the ground it keeps its speed round every bend; where
 * the ground falls away faster than the body falls, it flies. A landing keeps only the speed along the ground: the return
 * value is the speed that a landing cost, null without a landing.
 */
function moveOver(hills, body, gravity, seconds) {
  const slope = hills.slope(body.x);
  const long = Math.hypot(1, slope);
  const speed = (body.vx + body.vy * slope) / long + (gravity * slope * seconds) / long;
  body.vy += gravity * seconds;
  body.x += body.vx * seconds;
  body.y += body.vy * seconds;
  const ground = hills.height(body.x);
  const wasGrounded = body.grounded;
  body.grounded = body.y >= ground;
  if (!body.grounded) return null;
  body.y = ground;
  const next = hills.slope(body.x);
  const nextLong = Math.hypot(1, next);
  const before = Math.hypot(body.vx, body.vy);
  const along = wasGrounded ? speed : (body.vx + body.vy * next) / nextLong;
  body.vx = along / nextLong;
  body.vy = (along * next) / nextLong;
  return wasGrounded ? null : before - Math.abs(along);
}

/*
 * The ground from x = left to right as a filled shape down to `bottom`. Bands are stripes along it: [how far below the
 * top their middle lies, how thick, colour].
 */
function drawHills(ctx, hills, { left, right, bottom, fill, bands }) {
  const line = new Path2D();
  line.moveTo(left - 8, hills.height(left - 8));
  for (let x = left; x <= right + 8; x += 8) line.lineTo(x, hills.height(x));
  const shape = new Path2D(line);
  shape.lineTo(right + 8, bottom);
  shape.lineTo(left - 8, bottom);
  ctx.fillStyle = fill;
  ctx.fill(shape);
  ctx.lineJoin = "bevel";
  for (const [below, thick, colour] of bands) {
    ctx.translate(0, below);
    ctx.strokeStyle = colour;
    ctx.lineWidth = thick;
    ctx.stroke(line);
    ctx.translate(0, -below);
  }
}
