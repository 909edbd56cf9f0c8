"use strict";

/* Lays out a maze: corridors with one way between any two places, doors on the way out, keys before them. */

const SIDE = 15; // cells a side: walls have cells of their own
const STEPS = [[0, -1], [0, 1], [-1, 0], [1, 0]];
const COLOUR_NAMES = ["red", "blue", "yellow"];

/*
 * A maze with `doors` doors: {walls: rows of booleans, start, exit, doors, keys, needed}. Doors and keys are
 * {x, y, colour}; `needed` is how many moves the shortest way out takes, keys and all.
 */
function layOutMaze(doors) {
  const walls = carve();
  const start = { x: 1, y: 1 };
  const fromStart = distances(walls, start);
  const exit = farthest(fromStart);
  const way = wayBack(fromStart, exit);
  const placed = [];
  const keys = [];
  let needed = 0;
  let here = start;
  for (let number = 0; number < doors; number += 1) {
    const door = { ...way[Math.floor((way.length * (number + 1)) / (doors + 1))], colour: COLOUR_NAMES[number] };
    const reach = distances(walls, start, [door]);
    const key = { ...keyPlace(reach, [start, here, ...keys, ...placed], way), colour: door.colour };
    placed.push(door);
    keys.push(key);
    needed += distances(walls, here)[key.y][key.x];
    here = key;
  }
  needed += distances(walls, here)[exit.y][exit.x];
  return { walls, start, exit, doors: placed, keys, needed };
}

/* Depth first through the rooms, which lie at odd places. */
function carve() {
  const walls = Array.from({ length: SIDE }, () => Array(SIDE).fill(true));
  const trail = [{ x: 1, y: 1 }];
  walls[1][1] = false;
  while (trail.length) {
    const { x, y } = trail.at(-1);
    const open = STEPS.filter(([dx, dy]) => walls[y + 2 * dy]?.[x + 2 * dx]);
    if (!open.length) {
      trail.pop();
      continue;
    }
    const [dx, dy] = open[Math.floor(Math.random() * open.length)];
    walls[y + dy][x + dx] = false;
    walls[y + 2 * dy][x + 2 * dx] = false;
    trail.push({ x: x + 2 * dx, y: y + 2 * dy });
  }
  return walls;
}

/* Moves from a place to every other that can be reached; null for the rest. */
function distances(walls, from, closed = []) {
  const far = walls.map((row) => row.map(() => null));
  far[from.y][from.x] = 0;
  const queue = [from];
  for (const { x, y } of queue) {
    for (const [dx, dy] of STEPS) {
      const [nx, ny] = [x + dx, y + dy];
      const shut = walls[ny][nx] || closed.some((cell) => cell.x === nx && cell.y === ny);
      if (shut || far[ny][nx] !== null) continue;
      far[ny][nx] = far[y][x] + 1;
      queue.push({ x: nx, y: ny });
    }
  }
  return far;
}

function places(far) {
  return far.flatMap((row, y) => row.map((moves, x) => ({ x, y, moves }))).filter(({ moves }) => moves !== null);
}

function farthest(far) {
  const { x, y } = places(far).reduce((best, one) => (one.moves > best.moves ? one : best));
  return { x, y };
}

/* From where the distances were counted to a place, both left out. */
function wayBack(far, to) {
  const way = [];
  for (let here = to; far[here.y][here.x] > 0; ) {
    const moves = far[here.y][here.x] - 1;
    const [dx, dy] = STEPS.find(([sx, sy]) => far[here.y + sy]?.[here.x + sx] === moves);
    here = { x: here.x + dx, y: here.y + dy };
    if (moves > 0) way.unshift(here);
  }
  return way;
}

/* One of the reachable rooms where no key lies, better a dead end off the way. */
function keyPlace(reach, used, way) {
  const taken = (place, cells) => cells.some((cell) => cell.x === place.x && cell.y === place.y);
  const rooms = places(reach).filter(({ x, y }) => x % 2 && y % 2);
  const free = rooms.filter((room) => !taken(room, used));
  const off = free.filter((room) => !taken(room, way));
  const choice = off.length ? off : free;
  const { x, y } = choice[Math.floor(Math.random() * choice.length)];
  return { x, y };
}
