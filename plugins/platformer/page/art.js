"use strict";

/* How the platformer looks. Ground, runner, walkers, coins and flag have plain colours of their own. */

const COLOURS = {
  sky: "#8fd0ee", haze: "#a9dcf2", far: "#7fb9d6", near: "#6aa5c4", cloud: "#f3fbff",
  earth: "#7d5a3c", earthDark: "#6b4b31", grass: "#4fae5b", block: "#b07a45", blockEdge: "#8f6136",
  coin: "#ffd23f", coinEdge: "#d99a12", runner: "#e4344b", band: "#ffffff", eye: "#1d2233",
  walker: "#5b2e83", feet: "#3f1f5c", pole: "#dfe6ee", flag: "#ff7a1a", hud: "#22394d", number: "#ffffff",
};

function drawPlatformer(ctx, game, steps) {
  drawSky(ctx, game.course ? game.camera : 0);
  if (!game.course) return;
  ctx.save();
  ctx.translate(-game.camera, 0);
  drawCourse(ctx, game);
  game.coins.forEach((coin) => drawCoin(ctx, coin, steps));
  game.walkers.forEach((walker) => drawWalker(ctx, walker, steps));
  drawRunner(ctx, game.runner, steps);
  ctx.restore();
  drawHud(ctx, game);
}

function drawSky(ctx, camera) {
  ctx.fillStyle = COLOURS.sky;
  ctx.fillRect(0, 0, VIEW.width, VIEW.height);
  ctx.fillStyle = COLOURS.haze;
  ctx.fillRect(0, 260, VIEW.width, VIEW.height - 260);
  for (let cloud = 0; cloud < 4; cloud += 1) {
    const x = ((((cloud * 230 - camera * 0.15) % 920) + 920) % 920) - 140;
    drawCloud(ctx, x, 90 + 34 * (cloud % 3));
  }
  drawHills(ctx, COLOURS.far, camera * 0.25, 330, 190);
  drawHills(ctx, COLOURS.near, camera * 0.5, 360, 130);
}

function drawCloud(ctx, x, y) {
  ctx.fillStyle = COLOURS.cloud;
  ctx.beginPath();
  for (const [dx, dy, reach] of [[0, 0, 18], [22, -8, 22], [48, 0, 17]]) ctx.arc(x + dx, y + dy, reach, 0, 7);
  ctx.fill();
}

function drawHills(ctx, colour, shift, top, width) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (let x = -(shift % width) - width; x < VIEW.width + width; x += width) {
    ctx.moveTo(x, VIEW.height);
    ctx.quadraticCurveTo(x + width / 2, top - width / 2, x + width, VIEW.height);
  }
  ctx.fill();
}

function drawCourse(ctx, game) {
  const first = Math.floor(game.camera / TILE);
  const last = Math.min(game.course.columns.length - 1, first + VIEW.width / TILE + 1);
  for (let column = first; column <= last; column += 1) drawColumn(ctx, column, game.course.columns[column]);
  for (const { x, y } of game.course.blocks) {
    ctx.fillStyle = COLOURS.blockEdge;
    ctx.fillRect(x * TILE, y * TILE, TILE, TILE);
    ctx.fillStyle = COLOURS.block;
    ctx.fillRect(x * TILE + 1, y * TILE + 1, TILE - 2, TILE - 2);
  }
  drawFlag(ctx, (game.course.flag + 0.5) * TILE);
}

function drawColumn(ctx, column, row) {
  if (row === NO_GROUND) return;
  const [x, y] = [column * TILE, row * TILE];
  ctx.fillStyle = COLOURS.earth;
  ctx.fillRect(x, y, TILE, VIEW.height - y);
  ctx.fillStyle = COLOURS.earthDark;
  for (let at = 0; y + 34 + 24 * at < VIEW.height; at += 1) {
    ctx.fillRect(x + (column * 11 + at * 17) % 24, y + 26 + 24 * at, 6, 4);
  }
  ctx.fillStyle = COLOURS.grass;
  ctx.fillRect(x, y, TILE, 9);
}

function drawFlag(ctx, x) {
  const foot = GROUND_ROW * TILE;
  ctx.fillStyle = COLOURS.pole;
  ctx.fillRect(x - 2, foot - 160, 4, 160);
  ctx.fillStyle = COLOURS.flag;
  ctx.beginPath();
  ctx.moveTo(x + 2, foot - 158);
  ctx.lineTo(x + 46, foot - 140);
  ctx.lineTo(x + 2, foot - 122);
  ctx.fill();
}

function drawCoin(ctx, { x, y }, steps) {
  const wide = 4 + 6 * Math.abs(Math.cos(steps / 18 + x));
  ctx.fillStyle = COLOURS.coin;
  ctx.beginPath();
  ctx.ellipse((x + 0.5) * TILE, (y + 0.5) * TILE, wide, 10, 0, 0, 2 * Math.PI);
  ctx.fill();
  ctx.strokeStyle = COLOURS.coinEdge;
  ctx.lineWidth = 1.5;
  ctx.stroke();
}

function drawWalker(ctx, { x, y, way }, steps) {
  const lift = Math.floor(steps / 10) % 2 ? 2 : 0;
  ctx.fillStyle = COLOURS.feet;
  ctx.fillRect(x + 3, y + 18 - lift, 8, 6 + lift);
  ctx.fillRect(x + 17, y + 16 + lift, 8, 8 - lift);
  ctx.fillStyle = COLOURS.walker;
  ctx.beginPath();
  ctx.roundRect(x, y, WALKER.width, 20, [12, 12, 4, 4]);
  ctx.fill();
  ctx.fillStyle = COLOURS.band;
  ctx.fillRect(x + 12 + 6 * way - 4, y + 7, 4, 5);
  ctx.fillRect(x + 12 + 6 * way + 4, y + 7, 4, 5);
}

function drawRunner(ctx, { x, y, vx, standing, facing }, steps) {
  const stride = standing && vx ? (Math.floor(steps / 5) % 2 ? 3 : -3) : 0;
  ctx.fillStyle = COLOURS.eye;
  ctx.fillRect(x + 3 + stride, y + 24, 6, 6);
  ctx.fillRect(x + 13 - stride, y + 24, 6, 6);
  ctx.fillStyle = COLOURS.runner;
  ctx.beginPath();
  ctx.roundRect(x, y, RUNNER.width, 25, 6);
  ctx.fill();
  ctx.fillStyle = COLOURS.band;
  ctx.fillRect(x + (facing > 0 ? 11 : 3), y + 6, 8, 6);
  ctx.fillStyle = COLOURS.eye;
  ctx.fillRect(x + (facing > 0 ? 15 : 3), y + 7, 4, 5);
}

function drawHud(ctx, game) {
  ctx.fillStyle = COLOURS.hud;
  ctx.fillRect(0, 0, VIEW.width, 40);
  drawLabel(ctx, "Score", 14, 20, "#a9c6da");
  drawNumber(ctx, game.score, 66, 10, 3, COLOURS.number);
  drawLabel(ctx, "Coins", 220, 20, "#a9c6da");
  drawNumber(ctx, game.got.coins, 272, 10, 3, COLOURS.number);
  drawLabel(ctx, "Course", 380, 20, "#a9c6da");
  drawNumber(ctx, game.level, 442, 10, 3, COLOURS.number);
  for (let life = 0; life < game.lives; life += 1) {
    ctx.fillStyle = COLOURS.runner;
    ctx.beginPath();
    ctx.roundRect(600 - 28 * life, 10, 18, 20, 6);
    ctx.fill();
  }
}
