"use strict";
// Mines as it is played: mouse, keys, the clock, and what it says of itself (window.gameAPI).

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MINES = Number(new URLSearchParams(location.search).get("mines")) || 14;

const session = { seed: null, games: 0, wins: 0, mostOpened: 0, game: null, cursor: -1, beganAt: 0 };
const canvas = document.getElementById("screen");
const pen = canvas.getContext("2d");
let drawing = false;

function begin() {
  session.game = new Mines(MINES);
  session.games += 1;
  session.cursor = -1;
  session.beganAt = performance.now();
  draw();
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    paint(pen, session.game, session.cursor);
  });
}

function act(cell, flag) {
  const { game } = session;
  const done = flag ? game.flag(cell) : game.uncover(cell);
  if (done && game.won) session.wins += 1;
  session.mostOpened = Math.max(session.mostOpened, game.opened);
  draw();
}

function step([dx, dy]) {
  const { cursor } = session;
  const column = cursor < 0 ? 0 : Math.max(0, Math.min(SIDE - 1, (cursor % SIDE) + dx));
  const row = cursor < 0 ? 0 : Math.max(0, Math.min(SIDE - 1, Math.floor(cursor / SIDE) + dy));
  session.cursor = row * SIDE + column;
  draw();
}

addEventListener("keydown", (event) => {
  if (STEPS[event.code]) step(STEPS[event.code]);
  else if (event.code === "Space" && session.cursor >= 0) act(session.cursor, false);
  else if (event.code === "KeyF" && session.cursor >= 0) act(session.cursor, true);
  else if (event.code === "Enter") begin();
  else return;
  event.preventDefault();
});

canvas.addEventListener("contextmenu", (event) => event.preventDefault());

canvas.addEventListener("mousedown", (event) => {
  event.preventDefault();
  const [x, y] = [event.offsetX, event.offsetY];
  const inFace = x >= FACE.x && x < FACE.x + FACE.width && y >= FACE.y && y < FACE.y + FACE.height;
  if (inFace && event.button === 0) return void begin();
  const column = Math.floor((x - BOARD.x) / BOARD.cell);
  const row = Math.floor((y - BOARD.y) / BOARD.cell);
  if (column < 0 || row < 0 || column >= SIDE || row >= SIDE || event.button === 1) return;
  session.cursor = -1;
  act(row * SIDE + column, event.button === 2);
});

function signOf(game, cell) {
  if (game.flagged[cell]) return "F";
  if (game.hit >= 0 && game.mined[cell]) return "*";
  return game.open[cell] ? String(game.near(cell)) : "#";
}

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
    const { game } = session;
    const now = performance.now();
    const signs = [...Array(CELLS).keys()].map((cell) => signOf(game, cell)).join("");
    return {
      gameId: "mines",
      seed: session.seed,
      timestampMs: performance.timeOrigin + now,
      gameTimeMs: now - session.beganAt,
      status: game.over ? "terminal" : game.clicks ? "playing" : "ready",
      terminal: {
        isTerminal: game.over,
        outcome: game.over ? (game.won ? "win" : "loss") : null,
        reason: game.over ? (game.won ? "every safe cell is open" : "a mine was opened") : null,
      },
      game_state: {
        score: game.opened,
        level: game.count,
        progress: game.opened / game.safe,
        player: { cursor: session.cursor },
        board: signs.match(/.{10}/g),
        entities: [],
      },
      metrics: {
        opened: game.opened, safe: game.safe, flags: game.flags, right_flags: game.rightFlags,
        mines_left: game.count - game.flags, clicks: game.clicks, won: game.won ? 1 : 0, wins: session.wins,
        games: session.games, most_opened: session.mostOpened,
      },
      raw: { mines: game.mined ? game.mined.flatMap((mine, cell) => (mine ? [cell] : [])) : [] },
    };
  },
};

begin();
