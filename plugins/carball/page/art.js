"use strict";

/* How carball looks: a pitch under floodlights. Cars and ball have plain colours of their own. */

const INK = {
  night: "#0b1119", grass: "#17382f", stripe: "#1b4036", line: "#4f8a79", wall: "#2c3b4d", edge: "#58708a",
  ball: "#ffd23d", patch: "#6b4a10", glass: "#0f1b2c", tyre: "#10151d", label: "#93a5bd", number: "#f1f4f8",
  none: "#2a3648", flame: "#fff0b8",
};
const TEAM = {
  blue: { body: "#2f8cff", roof: "#8cc2ff", net: "#1d4b86", word: "Blue" },
  red: { body: "#ff4d5e", roof: "#ffa3ab", net: "#84283a", word: "Red" },
};

function drawCarball(ctx, game) {
  ctx.drawImage(backdrop("pitch", 640, 460, paintPitch), 0, 0);
  if (!game.cars) return;
  drawHead(ctx, game);
  game.cars.forEach((car) => drawTrail(ctx, car));
  drawBall(ctx, game.ball);
  game.cars.forEach((car) => drawCar(ctx, car));
  game.sparks.draw(ctx);
  if (game.cheer > 0 && game.scorer) drawCheer(ctx, game);
}

function outline(ctx, grow) {
  const { left, right, top, bottom, corner } = PITCH;
  const cut = corner + grow * 0.4;
  const [l, r, t, b] = [left - grow, right + grow, top - grow, bottom + grow];
  ctx.beginPath();
  ctx.moveTo(l + cut, t);
  for (const [x, y] of [[r - cut, t], [r, t + cut], [r, b - cut], [r - cut, b], [l + cut, b], [l, b - cut], [l, t + cut]]) {
    ctx.lineTo(x, y);
  }
  ctx.closePath();
}

function paintPitch(ctx) {
  ctx.fillStyle = INK.night;
  ctx.fillRect(0, 0, 640, 460);
  outline(ctx, 10);
  ctx.fillStyle = INK.wall;
  ctx.fill();
  outline(ctx, 3);
  ctx.fillStyle = INK.edge;
  ctx.fill();
  outline(ctx, 0);
  ctx.save();
  ctx.clip();
  for (let stripe = 0; stripe < 8; stripe += 1) {
    ctx.fillStyle = stripe % 2 ? INK.stripe : INK.grass;
    ctx.fillRect(PITCH.left + 70 * stripe, PITCH.top, 70, 376);
  }
  paintLines(ctx);
  const light = ctx.createRadialGradient(320, 250, 40, 320, 250, 340);
  light.addColorStop(0, "rgba(255, 255, 255, 0.06)");
  light.addColorStop(1, "rgba(0, 0, 0, 0.22)");
  ctx.fillStyle = light;
  ctx.fillRect(0, 0, 640, 460);
  ctx.restore();
  paintGoal(ctx, PITCH.left - PITCH.pocket, TEAM.blue.net, PITCH.left);
  paintGoal(ctx, PITCH.right, TEAM.red.net, PITCH.right);
}

function paintLines(ctx) {
  ctx.strokeStyle = INK.line;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(320, PITCH.top);
  ctx.lineTo(320, PITCH.bottom);
  ctx.moveTo(320 + 56, 250);
  ctx.arc(320, 250, 56, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.strokeRect(PITCH.left - 2, 158, 74, 184);
  ctx.strokeRect(PITCH.right - 72, 158, 74, 184);
  disc(ctx, 320, 250, 4, INK.line);
}

function paintGoal(ctx, left, colour, post) {
  const [upper, lower] = PITCH.mouth;
  ctx.fillStyle = colour;
  ctx.fillRect(left, upper, PITCH.pocket, lower - upper);
  ctx.strokeStyle = "rgba(255, 255, 255, 0.16)";
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let x = left + 5; x < left + PITCH.pocket; x += 8) ctx.rect(x, upper, 0, lower - upper);
  for (let y = upper + 6; y < lower; y += 8) ctx.rect(left, y, PITCH.pocket, 0);
  ctx.stroke();
  for (const y of [upper, lower]) disc(ctx, post, y, 5, "#e6edf5");
}

/* Goals as lamps from the middle outwards, the time between them, and each tank at its edge. */
function drawHead(ctx, game) {
  ctx.fillStyle = INK.night;
  ctx.fillRect(0, 0, 640, 42);
  drawLabel(ctx, "Blue", 14, 20, TEAM.blue.roof);
  drawLabel(ctx, "Red", 598, 20, TEAM.red.roof);
  drawTank(ctx, game.cars[0], 58, TEAM.blue.body);
  drawTank(ctx, game.cars[1], 502, TEAM.red.body);
  for (let lamp = 0; lamp < MATCH.goals; lamp += 1) {
    disc(ctx, 268 - 22 * lamp, 20, 7, lamp < game.goals.blue ? TEAM.blue.body : INK.none);
    disc(ctx, 372 + 22 * lamp, 20, 7, lamp < game.goals.red ? TEAM.red.body : INK.none);
  }
  const left = game.secondsLeft;
  const signs = `${Math.floor(left / 60)}${String(left % 60).padStart(2, "0")}`;
  drawNumber(ctx, signs[0], 290, 10, 3, INK.number);
  drawNumber(ctx, signs.slice(1), 318, 10, 3, INK.number);
  for (const y of [14, 23]) {
    ctx.fillStyle = INK.number;
    ctx.fillRect(309, y, 3, 3);
  }
}

function drawTank(ctx, car, x, colour) {
  ctx.fillStyle = INK.none;
  ctx.fillRect(x, 16, 80, 8);
  ctx.fillStyle = colour;
  ctx.fillRect(x, 16, Math.round((80 * car.tank) / CAR.tank), 8);
}

function drawTrail(ctx, { trail }) {
  ctx.fillStyle = "rgba(8, 16, 14, 0.35)";
  for (const { x, y } of trail) ctx.fillRect(Math.round(x) - 2, Math.round(y) - 2, 4, 4);
}

function drawCar(ctx, car) {
  const { body, roof } = TEAM[car.side];
  ctx.save();
  ctx.translate(car.x, car.y);
  ctx.rotate(car.heading);
  if (car.rushes) {
    ctx.fillStyle = INK.flame;
    ctx.beginPath();
    ctx.moveTo(-18, -5);
    ctx.lineTo(-30 - 5 * (Math.round(car.tank) % 3), 0);
    ctx.lineTo(-18, 5);
    ctx.fill();
  }
  ctx.fillStyle = "rgba(0, 0, 0, 0.3)";
  ctx.fillRect(-17, -10, 36, 24);
  ctx.fillStyle = INK.tyre;
  for (const x of [-13, 6]) for (const y of [-13, 9]) ctx.fillRect(x, y, 8, 4);
  slab(ctx, -19, -11, 38, 22, 6, body);
  slab(ctx, 3, -8, 7, 16, 2, INK.glass);
  slab(ctx, -10, -8, 11, 16, 3, roof);
  slab(ctx, -16, -7, 4, 14, 1, INK.glass);
  ctx.fillStyle = "#fff8dc";
  for (const y of [-8, 5]) ctx.fillRect(16, y, 3, 3);
  ctx.restore();
}

function drawBall(ctx, { x, y, roll }) {
  disc(ctx, x + 2, y + 4, 12, "rgba(0, 0, 0, 0.3)");
  disc(ctx, x, y, 12, INK.ball);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(roll * 12);
  disc(ctx, 0, 0, 3, INK.patch);
  for (let patch = 0; patch < 5; patch += 1) {
    const angle = (2 * Math.PI * patch) / 5;
    disc(ctx, 8.5 * Math.cos(angle), 8.5 * Math.sin(angle), 2.2, INK.patch);
  }
  ctx.restore();
}

function drawCheer(ctx, game) {
  const { word, roof } = TEAM[game.scorer];
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = `800 44px ${FONT}`;
  ctx.lineWidth = 6;
  ctx.lineJoin = "round";
  ctx.strokeStyle = "rgba(6, 10, 16, 0.8)";
  ctx.strokeText(`${word} scores!`, 320, 112);
  ctx.fillStyle = roof;
  ctx.fillText(`${word} scores!`, 320, 112);
}
