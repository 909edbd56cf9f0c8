"use strict";

/* How the sea looks. The board, rocks, reefs, logs, ramps and gifts have plain colours of their own. */

const COLOURS = {
  sea: "#1f8fb8", deep: "#1b84ad", wave: "#3aa7cc", foam: "#c9f1fb", board: "#ffd23f", boardDark: "#d98f12", suit: "#23304f",
  skin: "#f1c9a5", rock: "#5b5f73", rockLight: "#7d8299", reef: "#c2564f", reefLight: "#e08a72", log: "#8a5a2f", logLight: "#b5834c",
  ramp: "#f5f0e4", rampStripe: "#ff6b57", heart: "#ff3d6e", gust: "#52f2cf", shell: "#ffc9e0",
};
const SCARF = "#ff8a1f";

function drawSurf(ctx, game, steps) {
  const view = game.things ? game.y - VIEW.surferY : 0;
  drawSea(ctx, view, steps);
  if (!game.things) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(0, -view);
  drawTrack(ctx, game);
  for (const thing of game.things) drawThing(ctx, thing, steps);
  drawSurfer(ctx, game, steps);
  game.sparks.draw(ctx);
  ctx.restore();
  drawBar(ctx, [["Metres", game.metres, 12, 58], ["Shells", game.shells, 152, 52], ["Gusts", game.gusts, 272, 50]],
    { most: LIVES, left: game.lives });
}

/* Water in two tones that slides up as the surfer rides down, with crests that roll. */
function drawSea(ctx, view, steps) {
  const tile = backdrop("sea", VIEW.width, 240, (pen) => {
    pen.fillStyle = COLOURS.sea;
    pen.fillRect(0, 0, VIEW.width, 240);
    for (let at = 0; at < 34; at += 1) {
      const [x, y] = [scatter(at) * VIEW.width, 8 + scatter(at + 60) * 222];
      slab(pen, x - 60, y, 60 + 80 * scatter(at + 90), 7, 3, COLOURS.deep);
    }
    pen.strokeStyle = COLOURS.wave;
    pen.lineWidth = 3;
    for (let at = 0; at < 16; at += 1) {
      const [x, y] = [scatter(at + 200) * VIEW.width, 14 + scatter(at + 260) * 210];
      pen.beginPath();
      for (const bow of [0, 1, 2]) pen.arc(x + 16 * bow, y, 8, Math.PI, 2 * Math.PI);
      pen.stroke();
    }
  });
  const shift = (((view % 240) + 240) % 240) + 3 * Math.sin(steps / 40);
  for (let at = -1; at < 4; at += 1) ctx.drawImage(tile, 0, Math.round(at * 240 - shift + 40));
}

/* Foam behind the board. */
function drawTrack(ctx, game) {
  const { track } = game;
  const far = game.pace * SECONDS;
  ctx.fillStyle = COLOURS.foam;
  for (let at = 2; at < track.length && game.fly === 0; at += 2) {
    const x = track[track.length - 1 - at];
    ctx.globalAlpha = 0.5 * (1 - at / 40);
    for (const side of [-1, 1]) {
      ctx.beginPath();
      ctx.arc(x + side * (4 + at / 4), game.y - 12 - far * at, 3 + at / 16, 0, 7);
      ctx.fill();
    }
  }
  ctx.globalAlpha = 1;
}

function drawThing(ctx, thing, steps) {
  const { kind, x, y } = thing;
  if (HARMFUL.has(kind)) {
    ctx.globalAlpha = 0.5;
    ctx.fillStyle = COLOURS.foam;
    ctx.beginPath();
    ctx.ellipse(x, y + 6, KINDS[kind] + 6 + Math.sin(steps / 16 + x), 17, 0, 0, 7);
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  DRAWN[kind](ctx, x, y, steps, thing);
}

const DRAWN = {
  rock(ctx, x, y) {
    slab(ctx, x - 24, y - 14, 48, 28, 12, COLOURS.rock);
    slab(ctx, x - 15, y - 11, 22, 8, 4, COLOURS.rockLight);
  },
  reef(ctx, x, y) {
    slab(ctx, x - 20, y - 6, 40, 19, 7, COLOURS.reef);
    for (const side of [-13, 0, 13]) slab(ctx, x + side - 4, y - 15 + Math.abs(side) / 3, 8, 16, 4, COLOURS.reef);
    for (const side of [-13, 0, 13]) disc(ctx, x + side, y - 11 + Math.abs(side) / 3, 2.5, COLOURS.reefLight);
  },
  log(ctx, x, y) {
    slab(ctx, x - 34, y - 10, 68, 20, 10, COLOURS.log);
    slab(ctx, x - 26, y - 6, 40, 4, 2, COLOURS.logLight);
    disc(ctx, x + 26, y, 6, COLOURS.logLight);
  },
  ramp(ctx, x, y) {
    slab(ctx, x - 26, y - 18, 52, 36, 5, COLOURS.ramp);
    for (const row of [-12, 0, 12]) slab(ctx, x - 20, y + row - 3, 40, 6, 2, COLOURS.rampStripe);
  },
  heart(ctx, x, y, steps) {
    disc(ctx, x, y, 17 + Math.sin(steps / 10), "#ffffff");
    drawHeartSign(ctx, x, y, COLOURS.heart);
  },
  gust(ctx, x, y, steps) {
    disc(ctx, x, y, 15 + Math.sin(steps / 10), "#0d5f7c");
    ctx.fillStyle = COLOURS.gust;
    for (const row of [-7, 3]) {
      ctx.beginPath();
      ctx.moveTo(x - 9, y + row);
      ctx.lineTo(x, y + row + 7);
      ctx.lineTo(x + 9, y + row);
      ctx.lineTo(x, y + row + 3);
      ctx.fill();
    }
  },
  shell(ctx, x, y, steps) {
    const size = 11 + Math.sin(steps / 12 + y);
    ctx.fillStyle = COLOURS.shell;
    ctx.beginPath();
    ctx.moveTo(x, y + size);
    ctx.arc(x, y, size, Math.PI * 0.95, Math.PI * 2.05);
    ctx.fill();
  },
};

function drawSurfer(ctx, game, steps) {
  if (game.safe % 12 > 7) return;
  const share = game.fly / FLY_STEPS;
  const high = 4 * share * (1 - share); // 0 on the water, 1 at the top of a leap
  if (game.fly > 0) {
    ctx.globalAlpha = 0.3;
    ctx.fillStyle = "#06303f";
    ctx.beginPath();
    ctx.ellipse(game.x, game.y + 6 + 26 * high, 12, 20, 0, 0, 7);
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  ctx.save();
  ctx.translate(game.x, game.y);
  ctx.scale(1 + 0.35 * high, 1 + 0.35 * high);
  ctx.rotate(-game.vx / 700 + (game.fly > 0 ? 2 * Math.PI * share : 0));
  if (game.gust > 0) for (const side of [-9, 9]) slab(ctx, side - 2, -52 - 6 * Math.sin(steps / 3 + side), 4, 30, 2, COLOURS.gust);
  ctx.fillStyle = COLOURS.boardDark;
  ctx.beginPath();
  ctx.ellipse(0, 2, 11, 27, 0, 0, 7);
  ctx.fill();
  ctx.fillStyle = COLOURS.board;
  ctx.beginPath();
  ctx.ellipse(0, 0, 10, 25, 0, 0, 7);
  ctx.fill();
  slab(ctx, -7, -9, 14, 17, 6, COLOURS.suit);
  slab(ctx, -15, -4, 30, 5, 3, COLOURS.skin);
  slab(ctx, -2, -22 - 2 * Math.sin(steps / 6), 4, 16, 2, SCARF);
  disc(ctx, 0, 0, 6.5, COLOURS.skin);
  ctx.restore();
}
