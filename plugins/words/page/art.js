"use strict";

/* How the word game looks. Each mark has a plain colour of its own; letters are dots. */

const MARKS = { placed: "#3fae6b", near: "#d99a26", absent: "#434a68", open: "#1a2038", typed: "#2c3560" };
const CELL = { left: 49, top: 62, side: 62, step: 70 };
const INK = "#f7f5ec";
const BOARD_ROWS = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];

function drawWords(ctx, game, steps) {
  ctx.drawImage(backdrop("water", VIEW.width, VIEW.height, paintWater), 0, 0);
  drawLights(ctx, steps);
  if (!game.rows) {
    drawBar(ctx, []);
    return;
  }
  for (let row = 0; row < GUESSES; row += 1) drawRow(ctx, game, row);
  drawBoard(ctx, game.known());
  if (game.short > 0) drawNote(ctx, "A guess has five letters");
  else if (game.shown) drawNote(ctx, "Solved! Type on for the next word");
  game.sparks.draw(ctx);
  drawBar(ctx, [["Points", game.points, 14, 58], ["Words", game.solved, 168, 54], ["Guesses left", GUESSES - game.rows.length, 290, 104]]);
}

function paintWater(pen) {
  const sky = pen.createLinearGradient(0, 0, 0, VIEW.height);
  sky.addColorStop(0, "#10162f");
  sky.addColorStop(0.7, "#1d2450");
  sky.addColorStop(1, "#2b2a5e");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, VIEW.width, VIEW.height);
}

/* Paper lanterns that rise behind the rows. */
function drawLights(ctx, steps) {
  for (let light = 0; light < 9; light += 1) {
    const y = 660 - ((scatter(light) * 700 + steps * (0.12 + 0.12 * scatter(light + 7))) % 700);
    const x = scatter(light + 20) * VIEW.width + 8 * Math.sin(steps / 90 + light);
    ctx.globalAlpha = 0.16;
    slab(ctx, x - 9, y - 12, 18, 24, 6, "#ff9d57");
    ctx.globalAlpha = 0.35;
    slab(ctx, x - 4, y - 5, 8, 12, 3, "#ffd9a0");
  }
  ctx.globalAlpha = 1;
}

function drawRow(ctx, game, row) {
  const done = game.rows[row];
  const now = row === game.rows.length && !game.shown;
  const text = done ? done.guess : now ? game.typed : "";
  const newest = row === game.rows.length - 1;
  for (let at = 0; at < LETTERS_A_WORD; at += 1) {
    const lit = done && (!newest || game.lit >= TURN_STEPS * (at + 1) || game.over || game.shown);
    const turning = done && !lit && game.lit >= TURN_STEPS * at;
    const share = turning ? Math.abs(1 - (2 * (game.lit - TURN_STEPS * at)) / TURN_STEPS) : 1;
    drawCell(ctx, row, at, text[at], lit ? MARKS[done.marks[at]] : text[at] ? MARKS.typed : MARKS.open, share, now && !text[at]);
  }
}

function drawCell(ctx, row, at, letter, colour, share, waits) {
  const [x, y] = [CELL.left + at * CELL.step, CELL.top + row * CELL.step];
  const high = CELL.side * share;
  slab(ctx, x, y + (CELL.side - high) / 2, CELL.side, high, 9, colour);
  if (waits) {
    ctx.strokeStyle = "#4c5a92";
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.roundRect(x + 1, y + 1, CELL.side - 2, CELL.side - 2, 8);
    ctx.stroke();
  }
  if (letter && share > 0.8) drawLetter(ctx, letter, x + 16, y + 10, 6, INK);
}

function drawLetter(ctx, letter, left, top, dot, colour) {
  ctx.fillStyle = colour;
  LETTERS[letter.toUpperCase()].split(" ").forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) if (row[x] === "1") ctx.fillRect(left + x * dot, top + y * dot, dot, dot);
  });
}

function drawBoard(ctx, known) {
  BOARD_ROWS.forEach((letters, row) => {
    const left = (VIEW.width - letters.length * 38 + 6) / 2;
    [...letters].forEach((letter, at) => {
      const [x, y] = [left + at * 38, 506 + row * 37];
      const mark = known[letter.toLowerCase()];
      slab(ctx, x, y, 32, 32, 6, mark ? MARKS[mark] : "#2c3560");
      drawLetter(ctx, letter, x + 11, y + 9, 2, mark === "absent" ? "#7c84a6" : INK);
    });
  });
}

function drawNote(ctx, text) {
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = `600 14px ${FONT}`;
  ctx.fillStyle = "#ffe9a8";
  ctx.fillText(text, VIEW.width / 2, 492);
}
