"use strict";

/*
 * How Block Hill looks: a look is cast through the blocks for every fourth pixel across and down, without a
 * graphics card. Faces have sixteen by sixteen grains each, and fade into the haze.
 */

const TONES = ["#000000", "#58a83c", "#8a5f3c", "#8d939c", "#8c3a62", "#2f7d46", "#f08030"];
const SKY = { high: [96, 156, 222], low: [206, 226, 240] };
const VIEW = { width: 160, height: 94, grain: 4, top: 42, zoom: 104, far: 26 };
const LIGHT = [0.8, 1, 0.64]; // of faces across x, y, z
const GRAINS = Float32Array.from({ length: 256 }, (_, number) => 0.86 + 0.22 * scatter(number));
const picture = new ImageData(VIEW.width, VIEW.height);
const pixels = new Uint32Array(picture.data.buffer);
const small = new OffscreenCanvas(VIEW.width, VIEW.height);
const SKIES = Uint32Array.from({ length: 64 }, (_, rise) => {
  const part = rise / 63;
  return packed(...SKY.low.map((low, at) => low + (SKY.high[at] - low) * part));
});
const COLOURS = TONES.map((tone) => [1, 3, 5].map((at) => parseInt(tone.slice(at, at + 2), 16)));

function packed(red, green, blue) {
  return (255 << 24) | (Math.min(255, blue) << 16) | (Math.min(255, green) << 8) | Math.min(255, red);
}

function drawBlockHill(ctx, game) {
  if (!game.world) return;
  castView(game);
  small.getContext("2d").putImageData(picture, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.fillStyle = "#10131c";
  ctx.fillRect(0, 0, 640, 420);
  ctx.drawImage(small, 0, VIEW.top, VIEW.width * VIEW.grain, VIEW.height * VIEW.grain);
  drawCross(ctx, game);
  game.sparks.draw(ctx);
  const { bag } = game;
  drawBar(ctx, [["Wood", bag.wood, 14, 50], ["Stone", bag.stone, 130, 56], ["Copper", bag.copper, 260, 66], ["Earth", bag.dirt, 390, 56]]);
  drawLabel(ctx, `Set ${game.score} of 11`, 530, 21, BAR.number);
}

/* Cast a look for each grain of the view. The walk through the blocks is written out, for it runs 15,000 times. */
function castView(game) {
  const { blocks } = game.world;
  const { ahead, right, up } = game.ways;
  const [fromX, fromY, fromZ] = game.eye;
  const { wide, high } = WORLD;
  let place = 0;
  for (let row = 0; row < VIEW.height; row += 1) {
    const rise = (VIEW.height / 2 - row - 0.5) / VIEW.zoom;
    for (let column = 0; column < VIEW.width; column += 1) {
      const aside = (column + 0.5 - VIEW.width / 2) / VIEW.zoom;
      const dx = ahead[0] + right[0] * aside + up[0] * rise;
      const dy = ahead[1] + up[1] * rise;
      const dz = ahead[2] + right[2] * aside + up[2] * rise;
      const stepX = dx > 0 ? 1 : -1;
      const stepY = dy > 0 ? 1 : -1;
      const stepZ = dz > 0 ? 1 : -1;
      const partX = Math.abs(1 / dx);
      const partY = Math.abs(1 / dy);
      const partZ = Math.abs(1 / dz);
      let x = Math.floor(fromX);
      let y = Math.floor(fromY);
      let z = Math.floor(fromZ);
      let nextX = (dx > 0 ? x + 1 - fromX : fromX - x) * partX;
      let nextY = (dy > 0 ? y + 1 - fromY : fromY - y) * partY;
      let nextZ = (dz > 0 ? z + 1 - fromZ : fromZ - z) * partZ;
      let far = 0;
      let axis = 1;
      let kind = 0;
      while (far < VIEW.far && kind === 0) {
        if (nextX < nextY && nextX < nextZ) { x += stepX; far = nextX; nextX += partX; axis = 0; }
        else if (nextY < nextZ) { y += stepY; far = nextY; nextY += partY; axis = 1; }
        else { z += stepZ; far = nextZ; nextZ += partZ; axis = 2; }
        if (x < 0 || x >= wide || z < 0 || z >= wide || y < 0 || (y >= high && stepY > 0)) break;
        if (y < high) kind = blocks[(y * wide + z) * wide + x];
      }
      pixels[place] = kind && far < VIEW.far
        ? lit(kind, axis, far, fromX + dx * far, fromY + dy * far, fromZ + dz * far)
        : SKIES[Math.min(63, Math.max(0, Math.floor(dy * 100)))];
      place += 1;
    }
  }
}

/* A face's colour: its block, its light, its grain, the haze. */
function lit(kind, axis, far, x, y, z) {
  const u = axis === 0 ? z : x;
  const v = axis === 1 ? z : y;
  const grain = GRAINS[(Math.floor(u * 8) * 37 + Math.floor(v * 8) * 101) & 255];
  const colour = COLOURS[kind === BLOCK.grass && axis !== 1 && y - Math.floor(y) < 0.75 ? BLOCK.dirt : kind];
  const haze = Math.max(0, far - 9) / (VIEW.far - 9);
  const light = LIGHT[axis] * grain * (1 - haze);
  return packed(
    colour[0] * light + SKY.low[0] * haze,
    colour[1] * light + SKY.low[1] * haze,
    colour[2] * light + SKY.low[2] * haze,
  );
}

/* The cross is white; violet once a block is in reach, with what is left of it below. */
function drawCross(ctx, game) {
  const y = VIEW.top + (VIEW.height * VIEW.grain) / 2;
  ctx.fillStyle = game.target ? "#c040ff" : "#ffffff";
  ctx.fillRect(310, y - 1, 20, 2);
  ctx.fillRect(319, y - 10, 2, 20);
  if (!game.mining) return;
  const part = game.mining.steps / TAKES[NAMES[game.mining.kind]];
  slab(ctx, 290, y + 26, 60, 8, 4, "rgba(0, 0, 0, 0.5)");
  slab(ctx, 291, y + 27, Math.max(6, 58 * part), 6, 3, "#ffffff");
}
