"use strict";
// Blocks as it is played: keys, the clock that makes blocks fall, and what it says of itself (window.gameAPI).

const QUERY = new URLSearchParams(location.search);
const BEGIN = { level: Number(QUERY.get("level")) || 1, garbage: Number(QUERY.get("garbage")) || 0 };
const MOST_ROWS_A_FRAME = 4;

const MOVES = {
  ArrowLeft: (game) => game.shift(-1),
  ArrowRight: (game) => game.shift(1),
  ArrowDown: (game) => game.soft(),
};
const PRESSES = {
  ArrowUp: (game) => game.turn(1),
  KeyX: (game) => game.turn(1),
  KeyZ: (game) => game.turn(-1),
  Space: (game) => game.drop(),
};

const session = {
  seed: null, games: 0, mostLines: 0, game: null, status: "ready",
  time: 0, played: 0, nextFall: 0, linesAt: -Infinity, picture: "",
};
const canvas = document.getElementById("screen");
const pen = canvas.getContext("2d");

// A fresh well, standing still until it is begun.
function ready() {
  Object.assign(session, {
    game: new Blocks(BEGIN), status: "ready", time: performance.now(), played: 0, linesAt: -Infinity,
  });
  session.games += 1;
  session.nextFall = session.game.fallMs;
}

function begin() {
  if (session.status === "terminal") ready();
  if (session.status === "ready") session.status = "playing";
}

function pause() {
  if (session.status === "playing") session.status = "paused";
  else if (session.status === "paused") session.status = "playing";
}

// After anything that changed the block: what came of it.
function follow(blocksBefore) {
  const { game } = session;
  if (game.landed !== blocksBefore) {
    session.nextFall = session.played + game.fallMs;
    session.mostLines = Math.max(session.mostLines, game.lines);
    if (game.cleared) session.linesAt = session.played;
  }
  if (game.over) session.status = "terminal";
}

function frame() {
  const now = performance.now();
  if (session.status === "playing") {
    session.played += now - session.time;
    for (let rows = 0; rows < MOST_ROWS_A_FRAME && session.played >= session.nextFall; rows += 1) {
      const before = session.game.landed;
      session.nextFall += session.game.fallMs;
      session.game.fall();
      follow(before);
    }
    session.nextFall = Math.max(session.nextFall, session.played);
  }
  session.time = now;
  show();
  requestAnimationFrame(frame);
}

// Paints where the picture is another than the one shown.
function show() {
  const { game, status } = session;
  const flash = session.played - session.linesAt < FLASH_MS;
  const { x, y, rotation } = game.block;
  const picture = [session.games, status, x, y, rotation, game.landed, game.score, flash].join(" ");
  if (picture === session.picture) return;
  session.picture = picture;
  paint(pen, game, status, flash);
}

addEventListener("keydown", (event) => {
  const act = MOVES[event.code] || (event.repeat ? null : PRESSES[event.code]);
  if (event.code === "Enter") begin();
  else if (event.code === "KeyP" && !event.repeat) pause();
  else if (act && session.status === "playing") {
    const before = session.game.landed;
    act(session.game);
    follow(before);
  }
  if (act || PRESSES[event.code] || event.code === "Enter") event.preventDefault();
});

canvas.addEventListener("pointerdown", () => begin());

window.gameAPI = {
  // The game that began as the page was loaded stays: with the same chance a reset begins an equal one.
  init(config = {}) {
    session.seed = config.seed ?? session.seed;
    return this.getState();
  },

  reset(options = {}) {
    session.seed = options.seed ?? session.seed;
    ready();
    return this.getState();
  },

  getState() {
    const { game, status } = session;
    const over = status === "terminal";
    return {
      gameId: "blocks",
      seed: session.seed,
      timestampMs: performance.timeOrigin + performance.now(),
      gameTimeMs: session.played,
      status,
      terminal: { isTerminal: over, outcome: over ? "loss" : null, reason: over ? "no room for a block" : null },
      game_state: {
        score: game.score,
        level: game.level,
        progress: Math.min(1, game.lines / 40),
        player: { ...game.block, cells: game.cells(game.block) },
        board: game.rows.map((row) => row.map((kind) => kind || ".").join("")),
        entities: [{ kind: "next", block: game.next }],
      },
      metrics: {
        lines: game.lines, blocks: game.landed, quads: game.quads, height: game.height, holes: game.holes,
        dug: game.garbage - game.garbageLeft, games: session.games, most_lines: session.mostLines,
      },
      raw: { fallMs: game.fallMs, begin: BEGIN },
    };
  },
};

ready();
requestAnimationFrame(frame);
