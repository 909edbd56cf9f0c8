"use strict";

/*
 * The stage a game of this project's pages is played on: time in fixed steps, keys, panels, window.gameAPI.
 *
 * Every such page loads this file; its game.js has the rules, art.js the drawing. A game offers
 *   begin()          lays out a new play; all its chance comes from Math.random
 *   step(keys)       plays 1/60 s on; keys.held(name), keys.tapped: what was pressed since the last step
 *   over             null, or {outcome: "win" | "loss", reason}
 *   state()          {score, level, progress, player, board, entities, metrics, raw}
 * Nothing but Math.random, requestAnimationFrame and performance.now is asked, so the same seed and the same
 * keys at the same times of the game give the same play.
 */

const STEP_MS = 1000 / 60;
const LONGEST_FRAME_MS = 250; // after a stall the game goes on where it stood
const AGAIN_AFTER_STEPS = 30; // a panel stands this long before Space begins anew
const PANELS = { menu: "#24406e", paused: "#5a4a8a", win: "#1f6e4a", loss: "#6e2438" };
const FONT = '"Inter", "DejaVu Sans", "Segoe UI", sans-serif';
// Each digit in seven rows of five.
const DIGITS = [
  "01110 10001 10011 10101 11001 10001 01110",
  "00100 01100 00100 00100 00100 00100 01110",
  "01110 10001 00001 00110 01000 10000 11111",
  "11111 00010 00100 00010 00001 10001 01110",
  "00010 00110 01010 10010 11111 00010 00010",
  "11111 10000 11110 00001 00001 10001 01110",
  "00110 01000 10000 11110 10001 10001 01110",
  "11111 00001 00010 00100 01000 01000 01000",
  "01110 10001 10001 01110 10001 10001 01110",
  "01110 10001 10001 01111 00001 00010 01100",
];

/* The key that was meant: what the layout types with it, or on other alphabets its place on a US keyboard. */
function meantKey(event) {
  const key = event.key.toLowerCase();
  const place = /^(?:Key|Digit)(.)$/.exec(event.code);
  return key.length > 1 || /[a-z0-9]/.test(key) || !place ? key : place[1].toLowerCase();
}

/* Keys that are down, and those pressed since the last step: a tap shorter than a step still counts. */
class Keys {
  constructor() {
    this.down = new Set();
    this.tapped = [];
  }

  press(name) {
    if (!this.down.has(name)) this.tapped.push(name);
    this.down.add(name);
  }

  release(name) {
    this.down.delete(name);
  }

  held(name) {
    return this.down.has(name) || this.tapped.includes(name);
  }

  letGo() {
    this.down.clear();
    this.tapped = [];
  }
}

class Stage {
  /*
   * canvas: its width and height are the game's own pixels. game: see above. art: (ctx, game, steps) draws.
   * title, hint: of the menu's panel. id: the game's. pointer: the key that a press of the mouse stands for.
   * pauseKey: where the game needs the letter P for itself.
   */
  constructor({ canvas, game, art, id, title, hint, pointer = null, pauseKey = "p" }) {
    Object.assign(this, { canvas, game, art, id, title, hint, pointer, pauseKey });
    this.ctx = canvas.getContext("2d");
    this.keys = new Keys();
    this.seed = null;
    this.begun = false;
    this.status = "menu";
    this.plays = 0;
    this.steps = 0;
    this.panelSteps = 0;
    this.owedMs = 0;
    this.lastMs = null;
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  /* Back to the menu, with a new play laid out. */
  reset(options = {}) {
    if (Number.isFinite(options.seed)) this.seed = options.seed;
    this.keys.letGo();
    this.layOut();
    this.status = "menu";
  }

  layOut() {
    this.game.begin();
    this.begun = true;
    this.steps = 0;
    this.owedMs = 0;
  }

  play() {
    if (!this.begun || this.status === "terminal") this.layOut();
    this.plays += 1;
    this.status = "playing";
    this.keys.letGo();
  }

  // ---- keys

  listen() {
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (!event.repeat) this.pressed(meantKey(event));
    });
    window.addEventListener("keyup", (event) => this.keys.release(meantKey(event)));
    window.addEventListener("blur", () => this.keys.letGo());
    if (!this.pointer) return;
    this.canvas.addEventListener("pointerdown", () => this.pressed(this.pointer));
    window.addEventListener("pointerup", () => this.keys.release(this.pointer));
  }

  pressed(key) {
    const begins = key === " " || key === "enter";
    if (this.status === "playing") {
      if (key === this.pauseKey) this.status = "paused";
      else this.keys.press(key);
    } else if (this.status === "paused") {
      if (key === this.pauseKey || begins) this.status = "playing";
    } else if (begins && (this.status === "menu" || this.panelSteps >= AGAIN_AFTER_STEPS)) {
      this.play();
    }
  }

  // ---- time

  frame(now) {
    this.owedMs += Math.min(now - (this.lastMs ?? now), LONGEST_FRAME_MS);
    this.lastMs = now;
    for (; this.owedMs >= STEP_MS; this.owedMs -= STEP_MS) this.step();
    this.draw();
    requestAnimationFrame((next) => this.frame(next));
  }

  step() {
    if (this.status === "terminal") this.panelSteps += 1;
    if (this.status !== "playing") return;
    this.steps += 1;
    this.game.step(this.keys);
    this.keys.tapped = [];
    if (this.game.over) {
      this.status = "terminal";
      this.panelSteps = 0;
    }
  }

  // ---- the picture

  draw() {
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.art(this.ctx, this.game, this.steps);
    if (this.status === "menu") this.panel(PANELS.menu, this.title, this.hint, "Space begins");
    if (this.status === "paused") {
      this.panel(PANELS.paused, "Paused", "Time stands still", `${this.pauseKey === "p" ? "P" : "Space"} goes on`);
    }
    if (this.status === "terminal") {
      const { outcome, reason } = this.game.over;
      this.panel(PANELS[outcome], outcome === "win" ? "Well done" : "Game over", reason, "Space plays again");
    }
  }

  panel(colour, title, line, foot) {
    const { ctx, canvas } = this;
    const [width, height] = [390, 150];
    const [x, y] = [(canvas.width - width) / 2, (canvas.height - height) / 2];
    ctx.fillStyle = "rgba(6, 8, 16, 0.55)";
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.roundRect(x, y, width, height, 14);
    ctx.fill();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = "#ffffff";
    ctx.font = `700 30px ${FONT}`;
    ctx.fillText(title, canvas.width / 2, y + 42);
    ctx.font = `400 14px ${FONT}`;
    ctx.fillText(line, canvas.width / 2, y + 80);
    ctx.font = `600 15px ${FONT}`;
    ctx.fillText(foot, canvas.width / 2, y + 116);
  }

  // ---- what an evaluator may ask

  getState() {
    const over = this.begun ? this.game.over : null;
    const { metrics, raw, ...state } = this.begun ? this.game.state() : { metrics: {}, raw: {}, score: 0 };
    return {
      gameId: this.id,
      seed: this.seed,
      timestampMs: performance.now(),
      gameTimeMs: this.steps * STEP_MS,
      status: this.status,
      terminal: {
        isTerminal: this.status === "terminal",
        outcome: over ? over.outcome : null,
        reason: over ? over.reason : null,
      },
      game_state: state,
      metrics: { plays: this.plays, ...metrics },
      raw: { steps: this.steps, ...raw },
    };
  }

  /* Offers the state contract to whoever instruments the page. */
  open() {
    window.gameAPI = {
      init: (config) => this.reset(config),
      reset: (options) => this.reset(options),
      getState: () => this.getState(),
    };
  }
}

/* A number in blocks of `cell` pixels, five by seven a digit: the same on every machine. */
function drawNumber(ctx, value, x, y, cell, colour) {
  ctx.fillStyle = colour;
  [...String(value)].forEach((digit, place) => {
    DIGITS[Number(digit)].split(" ").forEach((bits, row) => {
      [...bits].forEach((bit, column) => {
        if (bit === "1") ctx.fillRect(x + (6 * place + column) * cell, y + row * cell, cell, cell);
      });
    });
  });
}

/* A label in small capitals, left-aligned, its middle at y. */
function drawLabel(ctx, text, x, y, colour) {
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.font = `600 12px ${FONT}`;
  ctx.fillStyle = colour;
  ctx.fillText(text.toUpperCase(), x, y);
}

/* A word of the page's query, like level=2. */
function queryWord(name, otherwise) {
  return new URLSearchParams(window.location.search).get(name) ?? otherwise;
}
