"use strict";

/* How the tower looks. A hook that holds a floor, and the line on the tower's top, have plain colours of their own. */

const HOOK = "#ffb000";
const TOP_LINE = "#2dffc4";
const TOP_Y = 420; // where the tower's top stands once the camera has come to rest
const CITY = ["#25315e", "#1c2750", "#141d40"];
const PAINTS = [
  ["#e9736a", "#c95a55"], ["#f0a35e", "#d08545"], ["#e6c86e", "#c6a651"], ["#7fc58a", "#61a56d"],
  ["#62b6cb", "#4896ab"], ["#6d8fe0", "#5473c2"], ["#a582dd", "#8766be"], ["#dd7fb4", "#bd6396"],
];

function drawTower(ctx, game, steps) {
  drawNight(ctx, game.floors ? game.camera : 0, steps);
  if (!game.floors) {
    drawBar(ctx, []);
    return;
  }
  ctx.save();
  ctx.translate(0, TOP_Y + game.camera);
  drawGround(ctx);
  const lowest = Math.max(0, Math.floor((game.camera - 240) / FLOOR.height));
  for (let at = lowest; at < game.floors.length; at += 1) drawStanding(ctx, game.floors[at], at);
  drawTop(ctx, game);
  for (const { x, y, width, turn, floor } of game.pieces) {
    ctx.save();
    ctx.translate(x, -y + FLOOR.height / 2);
    ctx.rotate(turn);
    drawFloor(ctx, -width / 2, -FLOOR.height / 2, width, floor);
    ctx.restore();
  }
  drawHanging(ctx, game);
  game.sparks.draw(ctx);
  ctx.restore();
  drawRail(ctx);
  drawBar(ctx, [["Floors", game.built, 14, 62], ["Streak", game.streak, 150, 62]]);
  drawWidth(ctx, game);
}

/* How wide the tower still is, as a bar at the right. */
function drawWidth(ctx, game) {
  drawLabel(ctx, "Width", 270, 21, BAR.label);
  slab(ctx, 320, 14, 106, 14, 7, "#212b49");
  slab(ctx, 320, 14, Math.max(14, (106 * game.top.width) / FLOOR.width), 14, 7, "#5fbf9a");
}

function drawNight(ctx, camera, steps) {
  const { width, height } = VIEW;
  ctx.drawImage(backdrop("sky", width, height, paintSky), 0, 0);
  const dawn = Math.min(1, camera / (ALL * FLOOR.height));
  ctx.globalAlpha = dawn;
  ctx.drawImage(backdrop("dawn", width, height, paintDawn), 0, 0);
  ctx.globalAlpha = 1;
  for (let star = 0; star < 46; star += 1) {
    const y = ((scatter(star + 200) * 700 + camera * (0.04 + 0.05 * scatter(star))) % 700) - 40;
    ctx.globalAlpha = (0.35 + 0.3 * Math.sin(steps / 40 + star * 2)) * (1 - dawn) + 0.1;
    ctx.fillStyle = "#dfe6ff";
    const side = star % 5 === 0 ? 3 : 2;
    ctx.fillRect(Math.round(scatter(star) * width), Math.round(y), side, side);
  }
  ctx.globalAlpha = 1;
  CITY.forEach((colour, depth) => {
    const picture = backdrop(`city${depth}`, width, 360, (pen) => paintCity(pen, colour, depth));
    ctx.drawImage(picture, 0, 250 + 40 * depth + camera * (0.10 + 0.12 * depth));
  });
}

function paintSky(pen) {
  const sky = pen.createLinearGradient(0, 0, 0, VIEW.height);
  sky.addColorStop(0, "#0b1030");
  sky.addColorStop(0.6, "#27305f");
  sky.addColorStop(1, "#5a4674");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
  disc(pen, 350, 120, 34, "#cfd6ee");
  disc(pen, 362, 112, 30, "#141a3f");
}

function paintDawn(pen) {
  const sky = pen.createLinearGradient(0, 0, 0, VIEW.height);
  sky.addColorStop(0, "#3a6fae");
  sky.addColorStop(0.6, "#d98f93");
  sky.addColorStop(1, "#f0b98a");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
}

function paintCity(pen, colour, depth) {
  for (let house = 0; house < 12; house += 1) {
    const x = house * 40 - 14 + 10 * depth;
    const y = 40 + 120 * scatter(house * 3 + depth * 17);
    pen.fillStyle = colour;
    pen.fillRect(x, y, 42, 360);
    pen.fillStyle = "rgba(232, 205, 140, 0.32)";
    for (let light = 0; light < 30; light += 1) {
      if (scatter(house * 71 + light + depth * 9) < 0.66) continue;
      pen.fillRect(x + 6 + 11 * (light % 3), y + 10 + 15 * Math.floor(light / 3), 5, 7);
    }
  }
}

function drawGround(ctx) {
  slab(ctx, -20, 0, VIEW.width + 40, 400, 0, "#0d1329");
  slab(ctx, 0, 0, VIEW.width, 5, 0, "#33406e");
}

/* The lowest is the foundation. */
function drawStanding(ctx, { x, width }, at) {
  const top = -(at + 1) * FLOOR.height + FLOOR.height;
  if (at > 0) drawFloor(ctx, x - width / 2, top, width, at);
  else slab(ctx, x - width / 2, top, width, 60, 4, "#586182");
}

function drawFloor(ctx, x, y, width, floor) {
  const [wall, shade] = PAINTS[floor % PAINTS.length];
  ctx.fillStyle = wall;
  ctx.fillRect(x, y, width, FLOOR.height);
  ctx.fillStyle = shade;
  ctx.fillRect(x, y + FLOOR.height - 5, width, 5);
  ctx.fillStyle = "rgba(255, 255, 255, 0.25)";
  ctx.fillRect(x, y, width, 2);
  for (let left = 8, pane = 0; left + 12 < width; left += 20, pane += 1) {
    ctx.fillStyle = scatter(floor * 13 + pane) > 0.45 ? "#ffe9b0" : "#3a3f63";
    ctx.fillRect(x + left, y + 8, 12, 13);
    ctx.fillStyle = "rgba(0, 0, 0, 0.18)";
    ctx.fillRect(x + left + 5, y + 8, 2, 13);
  }
}

function drawTop(ctx, game) {
  const { x, width } = game.top;
  const y = -game.built * FLOOR.height;
  if (game.flash > 0) {
    ctx.globalAlpha = game.flash / 24;
    ctx.fillStyle = "#fff8d8";
    ctx.fillRect(x - width / 2 - 6, y - 4, width + 12, FLOOR.height + 8);
    ctx.globalAlpha = 1;
  }
  ctx.fillStyle = TOP_LINE;
  ctx.fillRect(Math.round(x - width / 2), Math.round(y) - 4, Math.round(width), 4);
}

function drawHanging(ctx, game) {
  const { width } = game.top;
  const x = game.falling ? game.falling.x : game.hangingX;
  const base = -game.built * FLOOR.height;
  if (game.over && game.over.outcome === "loss") return;
  const hookX = game.falling ? game.falling.x : x;
  const hookY = -game.camera - HANG - FLOOR.height;
  ctx.strokeStyle = "#9aa6c8";
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(hookX, -game.camera - TOP_Y + 66);
  ctx.lineTo(hookX, hookY - 22);
  if (!game.falling) {
    ctx.moveTo(x, hookY - 18);
    ctx.lineTo(x - width / 2 + 4, hookY);
    ctx.moveTo(x, hookY - 18);
    ctx.lineTo(x + width / 2 - 4, hookY);
  }
  ctx.stroke();
  slab(ctx, hookX - 22, -game.camera - TOP_Y + 52, 44, 16, 5, "#9aa6c8");
  const y = game.falling ? base - Math.max(0, game.falling.above) - FLOOR.height : hookY;
  if (!game.falling || game.falling.above > 0) drawFloor(ctx, x - width / 2, y, width, game.built + 1);
  slab(ctx, hookX - 9, hookY - 26, 18, 12, 3, game.falling ? "#9aa6c8" : HOOK);
}

function drawRail(ctx) {
  ctx.fillStyle = "#525d86";
  ctx.fillRect(0, 46, VIEW.width, 7);
  ctx.fillStyle = "#39436a";
  for (let x = 0; x < VIEW.width; x += 22) ctx.fillRect(x, 48, 11, 3);
}
