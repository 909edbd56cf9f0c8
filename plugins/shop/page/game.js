"use strict";
// Shop as it is played: mouse, keys, the clock that brings customers, and what it says of itself.

const QUERY = new URLSearchParams(location.search);
const BEGIN = {
  days: Number(QUERY.get("days")) || 10,
  rent: Number(QUERY.get("rent")) || 25,
  weather: WEATHERS.includes(QUERY.get("weather")) ? QUERY.get("weather") : "",
};
const KEYS = {
  Digit1: ["buy", 0], Digit2: ["buy", 1], Digit3: ["buy", 2], Digit4: ["buy", 3],
  KeyQ: ["raise", 0], KeyW: ["raise", 1], KeyE: ["raise", 2], KeyR: ["raise", 3],
  KeyA: ["lower", 0], KeyS: ["lower", 1], KeyD: ["lower", 2], KeyF: ["lower", 3],
  KeyV: ["advertise", 0], Space: ["doors", 0], Enter: ["again", 0],
};

const session = { seed: null, games: 0, best: 0, shop: null, time: 0, openMs: 0, beganAt: 0 };
const canvas = document.getElementById("screen");
const pen = canvas.getContext("2d");
let drawing = false;

const ACTS = {
  buy: (shop, good) => shop.buy(good),
  raise: (shop, good) => shop.reprice(good, 1),
  lower: (shop, good) => shop.reprice(good, -1),
  advertise: (shop) => shop.advertise(),
  doors: (shop) => (shop.phase === "evening" ? shop.nextDay() : shop.open()),
};

function begin() {
  session.shop = new Shop(BEGIN);
  session.games += 1;
  session.beganAt = performance.now();
  draw();
}

function act(name, good) {
  const { shop } = session;
  if (shop.over) {
    if (name === "again" || name === "click") begin();
    return;
  }
  if (ACTS[name]) {
    const was = shop.phase;
    ACTS[name](shop, good);
    if (shop.phase === "open" && was !== "open") {
      session.time = performance.now();
      session.openMs = 0;
    }
    draw();
  }
}

// Customers come while the shop is open; else the picture stands still.
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(function frame() {
    const { shop } = session;
    const now = performance.now();
    if (shop.phase === "open") {
      session.openMs += now - session.time;
      session.time = now;
      while (shop.phase === "open" && session.openMs >= (shop.served + 1) * CUSTOMER_MS) shop.serve();
      session.best = Math.max(session.best, shop.profit);
    }
    paint(pen, shop, session.openMs);
    drawing = shop.phase === "open";
    if (drawing) requestAnimationFrame(frame);
  });
}

addEventListener("keydown", (event) => {
  const known = KEYS[event.code];
  if (!known) return;
  event.preventDefault();
  if (!event.repeat) act(...known);
});

const inside = (box, x, y) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;

canvas.addEventListener("pointerdown", (event) => {
  const [x, y] = [event.offsetX, event.offsetY];
  if (session.shop.over) return void (inside(PANEL, x, y) && act("click"));
  if (inside(ADVERT, x, y)) return void act("advertise");
  if (inside(DOORS, x, y)) return void act("doors");
  const good = Math.floor((y - ROW.y) / ROW.pitch);
  if (good < 0 || good >= GOODS.length || y >= rowY(good) + ROW.height) return;
  for (const [name, place] of Object.entries(BUTTONS)) {
    if (x >= place.x && x < place.x + place.width) act(name, good);
  }
});

window.gameAPI = {
  // The game that began as the page was loaded stays: with the same chance a reset begins an equal one.
  init(config = {}) {
    session.seed = config.seed ?? session.seed;
    return this.getState();
  },

  reset(options = {}) {
    session.seed = options.seed ?? session.seed;
    begin();
    return this.getState();
  },

  getState() {
    const { shop } = session;
    const now = performance.now();
    const byName = (values) => Object.fromEntries(GOODS.map((good, i) => [good.name, values[i]]));
    const won = shop.outcome === "closed" && shop.profit > 0;
    return {
      gameId: "shop",
      seed: session.seed,
      timestampMs: performance.timeOrigin + now,
      gameTimeMs: now - session.beganAt,
      status: shop.over ? "terminal" : shop.acts ? "playing" : "ready",
      terminal: {
        isTerminal: shop.over,
        outcome: shop.over ? (won ? "win" : "loss") : null,
        reason: shop.over ? (shop.outcome === "bankrupt" ? "the rent could not be paid" : "the last day is over") : null,
      },
      game_state: {
        score: shop.settled,
        level: shop.day,
        progress: Math.min(1, shop.daysDone / shop.days),
        player: { cash: shop.cash, reputation: shop.reputation },
        board: { phase: shop.phase, weather: shop.weather, advertised: shop.advertised },
        entities: GOODS.map((good, i) => ({
          name: good.name, stock: shop.stock[i], price: shop.prices[i], cost: shop.costs[i], sold: shop.sold[i],
        })),
      },
      metrics: {
        profit: shop.profit, settled: shop.settled, cash: shop.cash, days: shop.daysDone, sold: shop.allSold, reputation: shop.reputation,
        sold_of: byName(shop.sold), spoiled: shop.spoiled, turned_away: shop.turnedAway, adverts: shop.adverts,
        refused: shop.refused, best: session.best, games: session.games,
      },
      raw: { begin: BEGIN, today: shop.today, waiting: shop.queue.length - shop.served },
    };
  },
};

begin();
