"use strict";
// Tiles as it is played: keys, mouse, the clock, and what it says of itself (window.gameAPI).

const KEYS = {
  ArrowLeft: "left", ArrowUp: "up", ArrowDown: "down", ArrowRight: "right",
  KeyA: "left", KeyW: "up", KeyS: "down", KeyD: "right",
};
const SWIPE_PX = 30;

const session = {
  seed: null, begin: new URLSearchParams(location.search).get("begin") || "", games: 0, best: 0,
  game: null, ways: null, movedAt: 0, beganAt: 0, downAt: null,
};
const canvas = document.getElementById("screen");
const pen = canvas.getContext("2d");
let drawing = false;

function begin() {
  session.game = new Tiles(session.begin);
  session.games += 1;
  session.ways = null;
  session.beganAt = session.movedAt = performance.now();
  draw();
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(function frame() {
    const moving = paint(pen, session.game, session.ways, performance.now() - session.movedAt);
    drawing = moving;
    if (moving) requestAnimationFrame(frame);
  });
}

function push(direction) {
  if (session.game.over) return;
  const ways = session.game.move(direction);
  session.best = Math.max(session.best, session.game.score);
  if (ways) {
    session.ways = ways;
    session.movedAt = performance.now();
  }
  draw();
}

addEventListener("keydown", (event) => {
  const direction = KEYS[event.code];
  if (direction) push(direction);
  else if (event.code === "Enter" && session.game.over) begin();
  else return;
  event.preventDefault();
});

canvas.addEventListener("pointerdown", (event) => {
  session.downAt = { x: event.offsetX, y: event.offsetY };
});

canvas.addEventListener("pointerup", (event) => {
  const down = session.downAt;
  session.downAt = null;
  if (session.game.over) return void begin();
  if (!down) return;
  const dx = event.offsetX - down.x;
  const dy = event.offsetY - down.y;
  if (Math.max(Math.abs(dx), Math.abs(dy)) >= SWIPE_PX) {
    push(Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "right" : "left") : dy > 0 ? "down" : "up");
  } else if (down.y >= PADS.y && down.y < PADS.y + PADS.height) {
    const index = DIRECTIONS.findIndex((_, i) => down.x >= padX(i) && down.x < padX(i) + BOARD.cell);
    if (index >= 0) push(DIRECTIONS[index]);
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
    const { game } = session;
    const now = performance.now();
    const rows = [0, 1, 2, 3].map((row) => game.cells.slice(row * SIDE, row * SIDE + SIDE));
    const won = game.largest >= 2048;
    return {
      gameId: "tiles",
      seed: session.seed,
      timestampMs: performance.timeOrigin + now,
      gameTimeMs: now - session.beganAt,
      status: game.over ? "terminal" : game.moves ? "playing" : "ready",
      terminal: game.over
        ? { isTerminal: true, outcome: won ? "win" : "loss", reason: "no move left" }
        : { isTerminal: false, outcome: null, reason: null },
      game_state: {
        score: game.score,
        level: Math.log2(game.largest),
        progress: Math.min(1, Math.log2(game.largest) / 11),
        player: { last: game.last, refused: game.refused },
        board: rows,
        entities: [],
      },
      metrics: {
        largest: game.largest, power: Math.log2(game.largest), moves: game.moves, merges: game.merges,
        blocked: game.blocked, empty: game.cells.filter((value) => !value).length, best: session.best,
        games: session.games,
      },
      raw: { begin: session.begin },
    };
  },
};

begin();
