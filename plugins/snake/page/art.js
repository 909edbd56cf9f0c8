"use strict";

/* How Snake looks. The middle of each cell has the plain colour of what is there. */

const CELL = 30;
const TOP = 40;
const COLOURS = {
  night: "#0d1518", even: "#15232a", odd: "#192931", label: "#86a3a3", number: "#f1f5e8",
  body: "#35b779", belly: "#2c9c67", tail: "#1f7a5c", head: "#d9ed5b", eye: "#14202a",
  fruit: "#ff5a5f", leaf: "#7bc950", wall: "#8a93b8", wallShade: "#6a7299",
};

function drawSnake(ctx, game) {
  ctx.fillStyle = COLOURS.night;
  ctx.fillRect(0, 0, 480, 520);
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      ctx.fillStyle = (x + y) % 2 ? COLOURS.odd : COLOURS.even;
      ctx.fillRect(x * CELL, TOP + y * CELL, CELL, CELL);
    }
  }
  if (!game.body) return;
  drawLabel(ctx, "Fruit", 14, 20, COLOURS.label);
  drawNumber(ctx, game.eaten, 62, 10, 3, COLOURS.number);
  drawLabel(ctx, "Length", 372, 20, COLOURS.label);
  drawNumber(ctx, game.body.length, 432, 10, 3, COLOURS.number);
  game.walls.forEach((cell) => drawWall(ctx, cell));
  if (game.food) drawFruit(ctx, game.food);
  drawBody(ctx, game.body);
  drawHead(ctx, game.body[0], game.way);
}

function middle(cell) {
  return { x: (cell.x + 0.5) * CELL, y: TOP + (cell.y + 0.5) * CELL };
}

function disc(ctx, x, y, radius, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

function drawWall(ctx, cell) {
  const { x, y } = middle(cell);
  ctx.fillStyle = COLOURS.wallShade;
  ctx.fillRect(x - 14, y - 14, 28, 28);
  ctx.fillStyle = COLOURS.wall;
  ctx.fillRect(x - 14, y - 14, 28, 23);
}

function drawFruit(ctx, cell) {
  const { x, y } = middle(cell);
  disc(ctx, x, y + 1, 10, COLOURS.fruit);
  ctx.fillStyle = COLOURS.leaf;
  ctx.beginPath();
  ctx.ellipse(x + 4, y - 11, 6, 3, -0.5, 0, 2 * Math.PI);
  ctx.fill();
}

/* One cell after the other, joined to the one before it. */
function drawBody(ctx, body) {
  ctx.lineCap = "round";
  for (let at = body.length - 1; at > 0; at -= 1) {
    const [from, to] = [middle(body[at]), middle(body[at - 1])];
    ctx.strokeStyle = at === body.length - 1 ? COLOURS.tail : at % 2 ? COLOURS.body : COLOURS.belly;
    ctx.lineWidth = at === body.length - 1 ? 18 : 24;
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo((from.x + to.x) / 2, (from.y + to.y) / 2);
    ctx.stroke();
  }
  const [neck, head] = [middle(body[1]), middle(body[0])];
  ctx.strokeStyle = COLOURS.body;
  ctx.beginPath();
  ctx.moveTo(neck.x, neck.y);
  ctx.lineTo((neck.x + head.x) / 2, (neck.y + head.y) / 2);
  ctx.stroke();
}

function drawHead(ctx, cell, way) {
  const { x, y } = middle(cell);
  disc(ctx, x, y, 14, COLOURS.head);
  for (const side of [-1, 1]) {
    disc(ctx, x + 7 * way.x + 6 * side * way.y, y + 7 * way.y + 6 * side * way.x, 3, COLOURS.eye);
  }
}
