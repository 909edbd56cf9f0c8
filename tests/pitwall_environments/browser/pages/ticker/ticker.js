// A game for tests: Space scores, Enter ends it; everything that moves is counted.
"use strict";
const query = new URLSearchParams(location.search);
const text = document.getElementById("text");
const game = { status: "loading", score: 0, frames: 0, beats: 0, config: null, draws: [], lastMs: 0, firstMs: 0 };

function begin(seed) {
  Object.assign(game, { score: 0, frames: 0, beats: 0, seed, draws: [Math.random(), Math.random(), Math.random()] });
  setTimeout(() => { game.status = "playing"; misbehave(); }, Number(query.get("late") ?? 0));
}

function frame(time) {
  game.frames += 1;
  game.lastMs = time;
  text.textContent = `${game.score} ${game.frames}`;
  requestAnimationFrame(frame);
}

addEventListener("keydown", (event) => {
  if (event.code === "Space") game.score += 1;
  if (event.code === "Enter") game.status = "terminal";
});
// What a page may do that it should not: `fault=alert,away` in the query, one after the other once it is ready.
const faults = {
  alert: () => { game.answer = [alert("look"), confirm("sure?"), prompt("name?")]; },
  leave: () => { addEventListener("beforeunload", (event) => event.preventDefault()); },
  away: () => { location.href = "other.html"; },
  hash: () => { location.hash = "#here"; },
  window: () => { window.open("other.html"); },
  link: () => {
    document.body.innerHTML = '<a href="other.html" target="_blank" style="position:fixed; inset:0">x</a>';
  },
  download: () => { document.body.innerHTML += '<a id="save" href="data:text/plain,x" download="x.txt">x</a>'; document.getElementById("save").click(); },
  throw: () => { setTimeout(() => { throw new Error("lost count"); }, 0); },
  wrong: () => { game.score = "many"; },
  reload: () => { location.reload(); },
};
function misbehave() {
  for (const name of (query.get("fault") ?? "").split(",")) faults[name]?.();
}

setInterval(() => { game.beats += 1; }, 10);
requestAnimationFrame(frame);

window.gameAPI = {
  init(config) { game.config = config; begin(config.seed); },
  reset(options) { game.status = "loading"; begin(options.seed); },
  getState() {
    const over = game.status === "terminal";
    return {
      gameId: "ticker", seed: game.seed, status: game.status, gameTimeMs: performance.now(), timestampMs: Date.now(),
      terminal: { isTerminal: over, outcome: over ? "loss" : null, reason: over ? "Enter" : null },
      game_state: { score: game.score },
      metrics: { frames: game.frames, beats: game.beats, lastMs: game.lastMs, draws: game.draws,
                 slid: document.getAnimations()[0]?.currentTime ?? 0 },
      raw: { config: game.config, query: location.search },
    };
  },
};
