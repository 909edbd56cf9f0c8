"use strict";

/* The partner that the page plays: it takes the shortest way and waits where a sweeper is about to pass. */

const PARTNER = { every: 24, clear: 1.3 }; // steps between its moves; cells a sweeper must stay away

function partnersWish(game, figure) {
  if (figure.home || figure.glide > 0 || game.time % PARTNER.every !== 0) return null;
  const goals = game.left.filter((gem) => gem.role === figure.role);
  const way = firstStep(game, figure, goals.length ? goals : [ROLES[figure.role].home]);
  if (way && safe(game, figure.x + way[0], figure.y + way[1])) return way;
  return safe(game, figure.x, figure.y) ? null : escape(game, figure);
}

/* Whether no sweeper comes near a cell until the next move. */
function safe(game, x, y) {
  return game.sweepers.every((one) => {
    if (one.y !== y) return true;
    const soon = [0, 0.25, 0.5, 0.75, 1].map((part) => one.x + one.way * game.speed * (PARTNER.every + 8) * part);
    return soon.every((place) => Math.abs(wrapped(place) - x) > PARTNER.clear - 0.3);
  });
}

function escape(game, figure) {
  const ways = Object.values(ROLES[figure.role].keys);
  return ways.find(([dx, dy]) => {
    const [x, y] = [figure.x + dx, figure.y + dy];
    return game.free(x, y) && safe(game, x, y);
  }) ?? null;
}

/* The first step of a shortest way to one of the goals; null where there is none. */
function firstStep(game, from, goals) {
  const ways = Object.values(ROLES[from.role].keys);
  const seen = new Set([`${from.x},${from.y}`]);
  const queue = [{ x: from.x, y: from.y, first: null }];
  for (const here of queue) {
    if (here.first && goals.some((goal) => goal.x === here.x && goal.y === here.y)) return here.first;
    for (const way of ways) {
      const [x, y] = [here.x + way[0], here.y + way[1]];
      if (!game.free(x, y) || seen.has(`${x},${y}`)) continue;
      seen.add(`${x},${y}`);
      queue.push({ x, y, first: here.first ?? way });
    }
  }
  return null;
}
