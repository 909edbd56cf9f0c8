"use strict";

/* Lays out a garden: hedges alike on both sides, no dead ends, a way round through the middle row's ends. */

const COLUMNS = 19; // cells; odd places are rooms, even places are hedges or ways between rooms
const ROWS = 21;
const TUNNEL_ROW = 9;
const CENTRE = { x: 9, y: 9 };
const START = { x: 9, y: 15 };
const WAYS = { up: [0, -1], left: [-1, 0], down: [0, 1], right: [1, 0] };
const BACK = { up: "down", down: "up", left: "right", right: "left" };
const MORE_WAYS = 7;

/* A garden: {open: rows of booleans, berries: a set of cells, moons: a set of cells}. */
function layOutGarden() {
  const open = Array.from({ length: ROWS }, () => Array(COLUMNS).fill(false));
  const clear = (x, y) => {
    open[y][x] = true;
    open[y][COLUMNS - 1 - x] = true;
  };
  carve(open, clear);
  const rooms = [];
  for (let y = 1; y < ROWS; y += 2) for (let x = 1; x <= 9; x += 2) rooms.push({ x, y });
  for (const room of rooms) if (openWays(open, room).length < 2) join(open, clear, room);
  for (let more = 0; more < MORE_WAYS; more += 1) join(open, clear, rooms[Math.floor(rooms.length * Math.random())]);
  open[TUNNEL_ROW][0] = true;
  open[TUNNEL_ROW][COLUMNS - 1] = true;
  const moons = new Set([[1, 1], [17, 1], [1, 19], [17, 19]].map(([x, y]) => cellKey(x, y)));
  const bare = new Set([cellKey(CENTRE.x, CENTRE.y), cellKey(START.x, START.y)]);
  const berries = new Set();
  open.forEach((row, y) => row.forEach((free, x) => {
    const key = cellKey(x, y);
    if (free && !moons.has(key) && !bare.has(key)) berries.add(key);
  }));
  return { open, berries, moons };
}

/* Depth first through the left half's rooms; the right half is its mirror. */
function carve(open, clear) {
  const trail = [{ ...CENTRE }];
  clear(CENTRE.x, CENTRE.y);
  while (trail.length) {
    const { x, y } = trail.at(-1);
    const ways = Object.values(WAYS).filter(([dx, dy]) => x + 2 * dx <= 9 && open[y + 2 * dy]?.[x + 2 * dx] === false);
    if (!ways.length) {
      trail.pop();
      continue;
    }
    const [dx, dy] = ways[Math.floor(ways.length * Math.random())];
    clear(x + dx, y + dy);
    clear(x + 2 * dx, y + 2 * dy);
    trail.push({ x: x + 2 * dx, y: y + 2 * dy });
  }
}

/* Open a hedge between a room and any room beside it. */
function join(open, clear, { x, y }) {
  const ways = Object.values(WAYS).filter(([dx, dy]) => !open[y + dy][x + dx] && open[y + 2 * dy]?.[x + 2 * dx]);
  if (!ways.length) return;
  const [dx, dy] = ways[Math.floor(ways.length * Math.random())];
  clear(x + dx, y + dy);
}

function cellKey(x, y) {
  return y * COLUMNS + x;
}

/* The place beside another; the tunnel joins the garden's sides. */
function beside({ x, y }, way) {
  const [dx, dy] = WAYS[way];
  return { x: (x + dx + COLUMNS) % COLUMNS, y: y + dy };
}

/* The ways that are open from a cell. */
function openWays(open, cell) {
  return Object.keys(WAYS).filter((way) => {
    const { x, y } = beside(cell, way);
    return open[y]?.[x] === true;
  });
}

/* How many steps each cell is away from another: a map by `cellKey`. */
function stepsTo(open, goal) {
  const steps = new Map([[cellKey(goal.x, goal.y), 0]]);
  const queue = [goal];
  for (const cell of queue) {
    for (const near of openWays(open, cell).map((way) => beside(cell, way))) {
      if (steps.has(cellKey(near.x, near.y))) continue;
      steps.set(cellKey(near.x, near.y), steps.get(cellKey(cell.x, cell.y)) + 1);
      queue.push(near);
    }
  }
  return steps;
}
