"use strict";

/*
 * What the pictures of games on the stage share: the bar of figures at the top, sparks, words that float up,
 * backdrops that are painted once. All of it is for the eye alone: no rule asks it, and it takes no chance from
 * the play (its own scatter is fixed).
 */

const BAR = { height: 40, ground: "#0e1322", edge: "#2a3557", label: "#8b97b8", number: "#f4f1e6", heart: "#ef476f" };

/* A fixed number from 0 to 1 for each whole number: the same picture on every machine. */
function scatter(number) {
  const mixed = Math.sin(number * 127.1 + 311.7) * 43758.5453;
  return mixed - Math.floor(mixed);
}

/*
 * The bar at the top: figures are [label, number, left] in order, each number 10 px after its label's place for
 * `labelWidth` pixels. Hearts, if any, stand at the right.
 */
function drawBar(ctx, figures, hearts = null) {
  const { width } = ctx.canvas;
  ctx.fillStyle = BAR.ground;
  ctx.fillRect(0, 0, width, BAR.height);
  ctx.fillStyle = BAR.edge;
  ctx.fillRect(0, BAR.height, width, 2);
  for (const [label, number, left, labelWidth] of figures) {
    drawLabel(ctx, label, left, 21, BAR.label);
    drawNumber(ctx, number, left + labelWidth, 11, 3, BAR.number);
  }
  if (hearts === null) return;
  for (let place = 0; place < hearts.most; place += 1) {
    drawHeartSign(ctx, width - 26 - 26 * place, 21, place < hearts.left ? BAR.heart : BAR.edge);
  }
}

function drawHeartSign(ctx, x, y, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y + 8);
  ctx.bezierCurveTo(x - 14, y - 2, x - 8, y - 11, x, y - 4);
  ctx.bezierCurveTo(x + 8, y - 11, x + 14, y - 2, x, y + 8);
  ctx.fill();
}

const backdrops = new Map();

/* A picture that `paint` draws once and that every frame shows again. */
function backdrop(name, width, height, paint) {
  if (!backdrops.has(name)) {
    const canvas = new OffscreenCanvas(width, height);
    paint(canvas.getContext("2d"));
    backdrops.set(name, canvas);
  }
  return backdrops.get(name);
}

function disc(ctx, x, y, radius, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

function slab(ctx, x, y, width, height, radius, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
  ctx.fill();
}

/* Bits that fly off, and words that rise and fade. A game steps them with itself; its art draws them. */
class Sparks {
  constructor() {
    this.clear();
  }

  clear() {
    this.bits = [];
    this.words = [];
    this.made = 0;
  }

  burst(x, y, colour, count = 12, speed = 160) {
    for (let bit = 0; bit < count; bit += 1) {
      this.made += 1;
      const angle = 2 * Math.PI * scatter(this.made);
      const fast = speed * (0.35 + 0.65 * scatter(this.made + 0.5));
      const [vx, vy] = [Math.cos(angle) * fast, Math.sin(angle) * fast];
      this.bits.push({ x, y, vx, vy, colour, left: 36, size: 2 + 3 * scatter(this.made + 0.25) });
    }
  }

  say(text, x, y, colour) {
    this.words.push({ text, x, y, colour, left: 54 });
  }

  step() {
    for (const bit of this.bits) {
      bit.x += bit.vx / 60;
      bit.y += bit.vy / 60;
      bit.vy += 6;
      bit.left -= 1;
    }
    for (const word of this.words) {
      word.y -= 0.8;
      word.left -= 1;
    }
    this.bits = this.bits.filter((bit) => bit.left > 0);
    this.words = this.words.filter((word) => word.left > 0);
  }

  draw(ctx) {
    for (const { x, y, colour, left, size } of this.bits) {
      ctx.globalAlpha = Math.min(1, left / 18);
      ctx.fillStyle = colour;
      ctx.fillRect(x - size / 2, y - size / 2, size, size);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `800 17px ${FONT}`;
    for (const { text, x, y, colour, left } of this.words) {
      ctx.globalAlpha = Math.min(1, left / 20);
      ctx.fillStyle = colour;
      ctx.fillText(text, x, y);
    }
    ctx.globalAlpha = 1;
  }
}
