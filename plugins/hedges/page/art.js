"use strict";

/*
 * How the garden looks. A cell's middle has the plain colour of what is there; hedges, ways, the hedgehog, its face
 * and each wisp have plain colours of their own. The face is on the side to which the hedgehog walks.
 */

const SIDE = 24;
const TOP = 42;
const COLOURS = {
  hedge: "#1f6b46", hedgeTop: "#2f8f5c", way: "#131a2e", berry: "#ff7a8c", moon: "#fff3b0", spines: "#a8703c",
  face: "#ffd9a8", afraid: "#2f55ff", fading: "#8fa6ff", eye: "#ffffff",
};
const WISP_COLOURS = { ember: "#ff4a3a", rose: "#ff8fd8", frost: "#4fe0ff", dusk: "#b07cff" };

function pixelOf({ x, y }) {
  return [(x + 0.5) * SIDE, TOP + (y + 0.5) * SIDE];
}

function drawHedges(ctx, game, steps) {
  ctx.fillStyle = COLOURS.way;
  ctx.fillRect(0, 0, VIEW.width, VIEW.height);
  if (!game.garden) {
    drawBar(ctx, []);
    return;
  }
  const { garden } = game;
  garden.picture ??= paintGarden(garden.open);
  ctx.drawImage(garden.picture, 0, TOP);
  for (const key of garden.berries) drawBerry(ctx, ...pixelOf(placeOf(key)));
  for (const key of garden.moons) drawMoon(ctx, ...pixelOf(placeOf(key)), steps);
  drawHedgehog(ctx, game, steps);
  for (const wisp of game.wisps) drawWisp(ctx, wisp, game.afraid, steps);
  game.sparks.draw(ctx);
  if (game.ready) drawLabel(ctx, `Garden ${game.level}`, 196, TOP + 12.5 * SIDE, "#ffffff");
  const figures = [["Points", game.points, 14, 56], ["Left", garden.berries.size, 178, 38], ["Wisps", game.caught, 280, 52]];
  drawBar(ctx, figures, { most: LIVES, left: game.lives });
}

function placeOf(key) {
  return { x: key % COLUMNS, y: Math.floor(key / COLUMNS) };
}

/* Hedges grow together with their neighbours; leaves are scattered over them. */
function paintGarden(open) {
  const canvas = new OffscreenCanvas(COLUMNS * SIDE, ROWS * SIDE);
  const pen = canvas.getContext("2d");
  const hedge = (x, y) => open[y]?.[x] === false;
  const cells = open.flatMap((row, y) => row.map((_, x) => [x, y])).filter(([x, y]) => hedge(x, y));
  for (const [inset, drop, colour] of [[2, 2, "#0c3324"], [3, 0, COLOURS.hedge], [7, -2, COLOURS.hedgeTop]]) {
    for (const [x, y] of cells) {
      const [left, top] = [x * SIDE + inset, y * SIDE + inset + drop];
      const size = SIDE - 2 * inset;
      slab(pen, left, top, size, size, 6, colour);
      if (hedge(x + 1, y)) slab(pen, left + size / 2, top, SIDE, size, 0, colour);
      if (hedge(x, y + 1)) slab(pen, left, top + size / 2, size, SIDE, 0, colour);
    }
  }
  for (const [x, y] of cells) {
    for (let leaf = 0; leaf < 5; leaf += 1) {
      const at = x * 37 + y * 61 + leaf;
      const [left, top] = [x * SIDE + 5 + 14 * scatter(at), y * SIDE + 3 + 12 * scatter(at + 0.5)];
      disc(pen, left, top, 1.6, leaf % 2 ? "#57b87a" : "#1a5a3c");
    }
  }
  return canvas;
}

function drawBerry(ctx, x, y) {
  disc(ctx, x, y, 3.2, COLOURS.berry);
}

function drawMoon(ctx, x, y, steps) {
  ctx.globalAlpha = 0.25 + 0.12 * Math.sin(steps / 10);
  disc(ctx, x, y, 11, COLOURS.moon);
  ctx.globalAlpha = 1;
  disc(ctx, x, y, 7, COLOURS.moon);
}

function drawHedgehog(ctx, { hero }, steps) {
  for (const shift of [-COLUMNS, 0, COLUMNS]) {
    const place = hero.place;
    if (Math.abs(place.x + shift - COLUMNS / 2) > COLUMNS / 2 + 1) continue;
    const [x, y] = pixelOf({ x: place.x + shift, y: place.y });
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate({ right: 0, down: Math.PI / 2, left: Math.PI, up: -Math.PI / 2 }[hero.way]);
    const sway = hero.walks ? Math.sin(steps / 3) : 0;
    ctx.fillStyle = "#6f4622";
    ctx.beginPath();
    for (let spine = 0; spine < 26; spine += 1) {
      const angle = (spine * Math.PI) / 13 + 0.04 * sway;
      const reach = spine % 2 ? 9 : 12.5;
      ctx.lineTo(reach * Math.cos(angle), reach * Math.sin(angle));
    }
    ctx.fill();
    disc(ctx, -1, 0, 8.5, COLOURS.spines);
    disc(ctx, 7, 0, 5.5, COLOURS.face);
    for (const side of [-1, 1]) disc(ctx, 7, side * 3.4, 1.3, "#2a1a10");
    disc(ctx, 12, 0, 2, "#2a1a10");
    ctx.restore();
  }
}

function drawWisp(ctx, wisp, afraid, steps) {
  const [x, y] = pixelOf(wisp.place);
  const fades = afraid < 2 && Math.floor(steps / 8) % 2 === 0;
  const colour = wisp.state === "afraid" ? (fades ? COLOURS.fading : COLOURS.afraid) : WISP_COLOURS[wisp.name];
  if (wisp.state !== "caught") {
    ctx.globalAlpha = 0.2;
    disc(ctx, x, y, 15, colour);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour;
    ctx.beginPath();
    const sway = 2.5 * Math.sin(steps / 7 + wisp.corner.x + wisp.corner.y);
    ctx.moveTo(x - 9, y + 2);
    ctx.quadraticCurveTo(x - 8, y - 5, x + sway, y - 12);
    ctx.quadraticCurveTo(x + 8, y - 5, x + 9, y + 2);
    ctx.arc(x, y + 2, 9, 0, Math.PI);
    ctx.closePath();
    ctx.fill();
  }
  const [dx, dy] = WAYS[wisp.way];
  for (const side of [-1, 1]) {
    disc(ctx, x + side * 4, y + 1, 2.8, COLOURS.eye);
    disc(ctx, x + side * 4 + dx * 1.2, y + 1 + dy * 1.2, 1.5, "#15183a");
  }
}
