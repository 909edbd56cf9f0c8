"use strict";

/*
 * How the flight looks. The courier, rods, coins and rockets have plain colours of their own. The streak beside the
 * courier is as long as its way up or down in a sixteenth of a second; the bar at the right shows how fast it flies.
 */

const COLOURS = { coin: "#ffd84a", rod: "#ff4fd8", ball: "#c9b6ff", rocket: "#ff5a2a", suit: "#3fe0c5", streak: "#a8fff0" };
const STREAK_S = 1 / 16;
const TOWERS = [[0.18, "#1a1c46", 150, 210, 84], [0.42, "#232660", 96, 150, 66]];

function drawCourier(ctx, game, steps) {
  const flown = game.rods ? game.flown : 0;
  ctx.drawImage(backdrop("dusk", VIEW.width, VIEW.height, paintDusk), 0, 0);
  for (const layer of TOWERS) drawTowers(ctx, flown, layer);
  drawStreet(ctx, flown);
  if (!game.rods) {
    drawBar(ctx, []);
    return;
  }
  for (const letter of game.letters) drawCoin(ctx, letter.x - flown, letter.y, steps);
  for (const rod of game.rods) drawRod(ctx, rod, flown, steps);
  drawRocket(ctx, game, steps);
  drawHero(ctx, game, steps);
  game.sparks.draw(ctx);
  drawBar(ctx, [["Metres", game.metres, 14, 60], ["Coins", game.coins, 168, 52]], { most: LIVES, left: game.lives });
  drawLabel(ctx, "Speed", 310, 21, BAR.label);
  slab(ctx, 360, 16, 100, 10, 0, "#212b49");
  slab(ctx, 360, 16, Math.round((100 * game.speed) / SPEED.most), 10, 0, "#ffb14a");
}

function paintDusk(pen) {
  const sky = pen.createLinearGradient(0, 40, 0, VIEW.height);
  sky.addColorStop(0, "#0c1033");
  sky.addColorStop(0.6, "#43236b");
  sky.addColorStop(1, "#a34a6f");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
  disc(pen, 430, 130, 38, "#f6d9b8");
  for (const [x, y, reach] of [[418, 120, 8], [442, 140, 6], [436, 112, 4]]) disc(pen, x, y, reach, "#e3bf9c");
  for (let star = 0; star < 50; star += 1) {
    pen.fillStyle = `rgba(255, 255, 255, ${0.2 + 0.5 * scatter(star)})`;
    pen.fillRect(scatter(star + 60) * VIEW.width, 44 + scatter(star + 120) * 170, 2, 2);
  }
}

/* A row of houses that moves by a share of the way; windows are lit by chance. */
function drawTowers(ctx, flown, [share, colour, least, most, wide]) {
  const way = flown * share;
  const first = Math.floor(way / wide);
  for (let at = first; at < first + VIEW.width / wide + 2; at += 1) {
    const key = at % 24;
    const high = least + (most - least) * scatter(key + wide);
    const house = backdrop(`house${wide}.${key}`, wide, most, (pen) => {
      slab(pen, 0, most - high, wide - 8, high, 4, colour);
      for (let window = 0; window < 36; window += 1) {
        if (scatter(window + 40 * key + wide) < 0.62) continue;
        pen.fillStyle = "rgba(255, 214, 130, 0.5)";
        pen.fillRect(8 + 14 * (window % 4), most - high + 12 + 20 * Math.floor(window / 4), 6, 9);
      }
    });
    ctx.drawImage(house, Math.round(at * wide - way), STREET - most);
  }
}

function drawStreet(ctx, flown) {
  slab(ctx, 0, STREET, VIEW.width, VIEW.height - STREET, 0, "#15132b");
  slab(ctx, 0, STREET, VIEW.width, 4, 0, "#5b4a86");
  slab(ctx, 0, ROOF - 18, VIEW.width, 14, 0, "#15132b");
  slab(ctx, 0, ROOF - 4, VIEW.width, 4, 0, "#5b4a86");
  for (let at = 0; at < 9; at += 1) {
    const x = ((at * 80 - flown) % 720 + 720) % 720 - 80;
    slab(ctx, x, STREET + 14, 40, 4, 2, "#3a3463");
    slab(ctx, x + 20, ROOF - 14, 6, 10, 0, "#3a3463");
  }
}

function drawCoin(ctx, x, y, steps) {
  const wide = Math.abs(Math.cos(steps / 16 + x / 90)) * 5 + 4;
  ctx.fillStyle = COLOURS.coin;
  ctx.beginPath();
  ctx.ellipse(x, y, wide, 9, 0, 0, 2 * Math.PI);
  ctx.fill();
  slab(ctx, x - 1, y - 5, 2, 10, 1, "#c98f14");
}

function drawRod(ctx, { x, y, half, angle }, flown, steps) {
  ctx.save();
  ctx.translate(x - flown, y);
  ctx.rotate(angle);
  ctx.globalAlpha = 0.22;
  slab(ctx, -half, -15, 2 * half, 30, 15, COLOURS.rod);
  ctx.globalAlpha = 1;
  slab(ctx, -half, -ROD.half, 2 * half, 2 * ROD.half, ROD.half, COLOURS.rod);
  ctx.strokeStyle = "#ffffff";
  ctx.lineWidth = 2;
  ctx.beginPath();
  for (let at = 0; at <= 8; at += 1) {
    ctx.lineTo(-half + (2 * half * at) / 8, at % 8 ? 5 * (scatter(at + 9 * Math.floor(steps / 3)) - 0.5) * 2 : 0);
  }
  ctx.stroke();
  for (const side of [-1, 1]) {
    disc(ctx, side * half, 0, ROD.ball, COLOURS.ball);
    disc(ctx, side * half, 0, 5, "#5b3fb0");
  }
  ctx.restore();
}

function drawRocket(ctx, { rocket, flown }, steps) {
  if (!rocket) return;
  if (rocket.left) {
    if (steps % 10 < 3) return;
    slab(ctx, VIEW.width - 34, rocket.y - 14, 26, 28, 6, COLOURS.rocket);
    slab(ctx, VIEW.width - 23, rocket.y - 9, 4, 11, 1, "#ffffff");
    slab(ctx, VIEW.width - 23, rocket.y + 5, 4, 4, 1, "#ffffff");
    return;
  }
  const x = rocket.x - flown;
  slab(ctx, x + 12, rocket.y - 4, 16 + 8 * scatter(steps), 8, 4, "#ffe08a");
  slab(ctx, x - ROCKET.half, rocket.y - ROCKET.high, 2 * ROCKET.half, 2 * ROCKET.high, 8, COLOURS.rocket);
  slab(ctx, x + 6, rocket.y - 12, 8, 24, 2, "#b5340f");
}

function drawHero(ctx, game, steps) {
  const { y, vy } = game;
  const length = Math.abs(vy) * STREAK_S;
  slab(ctx, HERO.x - 34, vy < 0 ? y : y - length, 6, length, 2, COLOURS.streak);
  if (game.safe % 8 > 4) return;
  ctx.save();
  ctx.translate(HERO.x, y);
  ctx.rotate(Math.max(-0.25, Math.min(0.25, vy / 1600)));
  if (game.burning) {
    const long = 16 + 10 * scatter(steps);
    slab(ctx, -19, 6, 9, long, 4, "#ff9b3d");
    slab(ctx, -17, 6, 5, long * 0.6, 3, "#fff0b0");
  }
  slab(ctx, -20, -10, 11, 19, 4, "#8f95b8");
  const stride = !game.burning && y > STREET - HERO.half - 1 ? 5 * Math.sin(steps / 4) : 2;
  slab(ctx, -6 + stride, 6, 6, 10, 3, "#1f2c54");
  slab(ctx, 1 - stride, 6, 6, 10, 3, "#1f2c54");
  slab(ctx, -10, -6, 20, 17, 6, COLOURS.suit);
  disc(ctx, 2, -10, 9, "#f3c9a5");
  slab(ctx, -8, -20, 20, 9, 5, "#e9573f");
  slab(ctx, 8, -14, 9, 3, 1, "#e9573f");
  disc(ctx, 6, -9, 1.8, "#1d1430");
  slab(ctx, 4, -1, 12, 9, 2, "#fff4dc");
  slab(ctx, 9, 2, 3, 3, 0, "#e9573f");
  ctx.restore();
}
