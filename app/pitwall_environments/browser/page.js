// Runs before any script of the page: chance from a seed, time under control, and what of the page leaves it.
// PITWALL is what page_script.py writes here: { seed, clock, watch, fields: { path: () => value } }.
((PITWALL) => {
  "use strict";
  const tell = (kind, value) => {
    const report = globalThis.__pitwallReport;
    if (report) report(JSON.stringify({ kind, value }));
  };

  const born = new Set(Object.getOwnPropertyNames(globalThis));

  // ---- chance: mulberry32
  let chance = 0;
  const reseed = (seed) => { chance = seed >>> 0; };
  Math.random = () => {
    chance = (chance + 0x6d2b79f5) >>> 0;
    let t = chance;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  reseed(PITWALL.seed);
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.random() * 256;
    return array;
  };

  // ---- time
  const LATE_FRAME_MS = 150;  // a window that is not shown gets no frames
  const real = {
    frame: requestAnimationFrame.bind(globalThis),
    now: performance.now.bind(performance),
    later: setTimeout.bind(globalThis),
    never: clearTimeout.bind(globalThis),
    every: setInterval.bind(globalThis),
    date: Date,
    epoch: Date.now.bind(Date),
  };
  const clock = PITWALL.clock ? controlledClock() : freeClock();

  function freeClock() {
    const refuse = () => "the page's clock is not under control (browser.clock is false)";
    return {
      afterFrame: null, now: real.now, status: () => ({ paused: false, speed: 1 }),
      pause: refuse, resume: () => "", speed: refuse,
    };
  }

  function controlledClock() {
    let base = real.now(), anchor = base, factor = 1, running = true, stopAt = Infinity;
    let frames = new Map(), due = frames, frameAsked = false, lastFrame = 0, number = 0, count = 0;
    const timers = new Map();
    let alarm = 0;
    const stopped = [];
    const sounds = new Set();
    const self = { afterFrame: null };

    const at = (realTime) => (running ? Math.min(base + Math.max(0, realTime - anchor) * factor, stopAt) : base);
    const now = () => at(real.now());

    // Frames come with the display, in the very frame the browser gives; while time stands still they wait.
    const askFrame = () => {
      if (frameAsked || !running || frames.size === 0) return;
      frameAsked = true;
      real.frame((realTime) => {
        frameAsked = false;
        if (!running) return;
        const time = Math.max(at(realTime), lastFrame);
        lastFrame = time;
        runTimers(time);
        due = frames;
        frames = new Map();
        count += 1;
        for (const [, callback] of due) call(callback, [time]);
        if (self.afterFrame) self.afterFrame();
        if (time >= stopAt) hold();
        else askFrame();
      });
    };
    const call = (callback, values) => {
      try { callback(...values); } catch (error) { globalThis.reportError(error); }
    };

    // Timers fire when the page's time has come to them.
    const setAlarm = () => {
      real.never(alarm);
      if (!running) return;
      let next = stopAt;
      for (const timer of timers.values()) next = Math.min(next, timer.due);
      if (next === Infinity) return;
      alarm = real.later(() => {
        const time = now();
        runTimers(time);
        const over = time >= stopAt && real.now() - anchor - (stopAt - base) / factor > LATE_FRAME_MS;
        if (time >= stopAt && (frames.size === 0 || over)) hold();  // else the frame that is due ends it
        else setAlarm();
      }, Math.max(now() >= stopAt ? 4 : 0, (next - now()) / factor));
    };
    const runTimers = (until) => {
      for (let turns = 0; turns < 1000; turns += 1) {
        let first = null;
        for (const timer of timers.values()) {
          if (timer.due <= until && (!first || timer.due < first.due)) first = timer;
        }
        if (!first) return;
        if (first.every === null) timers.delete(first.id);
        else first.due = Math.max(first.due + first.every, until - first.every);
        call(first.callback, first.values);
      }
    };
    const addTimer = (callback, delay, every, values) => {
      const wait = Math.max(every ? 1 : 0, Number(delay) || 0);
      const act = typeof callback === "function" ? callback : () => (0, eval)(String(callback));
      number += 1;
      timers.set(number, { id: number, due: now() + wait, every: every ? wait : null, callback: act, values });
      setAlarm();
      return number;
    };
    const dropTimer = (id) => { timers.delete(Number(id)); };

    globalThis.requestAnimationFrame = (callback) => {
      if (typeof callback !== "function") throw new TypeError("requestAnimationFrame needs a function");
      number += 1;
      frames.set(number, callback);
      askFrame();
      return number;
    };
    globalThis.cancelAnimationFrame = (id) => { frames.delete(id); due.delete(id); };
    globalThis.setTimeout = (callback, delay, ...values) => addTimer(callback, delay, false, values);
    globalThis.setInterval = (callback, delay, ...values) => addTimer(callback, delay, true, values);
    globalThis.clearTimeout = globalThis.clearInterval = dropTimer;
    globalThis.requestIdleCallback = (callback) =>
      addTimer(() => callback({ didTimeout: false, timeRemaining: () => 5 }), 1, false, []);
    globalThis.cancelIdleCallback = dropTimer;
    performance.now = now;
    // Its date is the same each time, and stands still while it loads: pages draw their chance from that too.
    let loadedAt = null, asked = 0;
    addEventListener("load", () => { loadedAt = now(); }, { once: true, capture: true });
    const bornAt = Date.UTC(2026, 0, 1);
    real.date.now = () => bornAt + Math.floor(loadedAt === null ? (asked += 1) / 1000 : now() - loadedAt);
    globalThis.Date = new Proxy(real.date, {
      construct: (target, values, made) =>
        Reflect.construct(target, values.length === 0 ? [target.now()] : values, made),
      apply: () => new Date().toString(),
    });
    const stamp = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
    if (stamp && stamp.get) {
      Object.defineProperty(Event.prototype, "timeStamp", {
        ...stamp, get() { return at(stamp.get.call(this)); },
      });
    }
    if (globalThis.AudioContext) {
      globalThis.AudioContext = class AudioContext extends globalThis.AudioContext {
        constructor(...values) {
          super(...values);
          sounds.add(new WeakRef(this));
        }
      };
    }

    // What the browser moves by itself: animations of styles, films, sounds.
    const holdMoving = () => {
      for (const animation of document.getAnimations()) {
        if (animation.playState === "running") { animation.pause(); stopped.push(() => animation.play()); }
      }
      for (const media of document.querySelectorAll("video, audio")) {
        if (!media.paused) { media.pause(); stopped.push(() => media.play().catch(() => {})); }
      }
      for (const drawing of document.querySelectorAll("svg")) {
        if (!drawing.animationsPaused()) {
          drawing.pauseAnimations();
          stopped.push(() => drawing.unpauseAnimations());
        }
      }
      for (const reference of sounds) {
        const sound = reference.deref();
        if (!sound) sounds.delete(reference);
        else if (sound.state === "running") { sound.suspend(); stopped.push(() => sound.resume()); }
      }
    };
    const paceMoving = () => {
      for (const animation of document.getAnimations()) {
        animation.playbackRate = factor;
      }
    };

    const hold = () => {
      if (running) {
        base = now();
        running = false;
        stopAt = Infinity;
        real.never(alarm);
        holdMoving();
      }
      return "";
    };
    const go = (ms) => {
      const from = now();
      if (!running) {
        anchor = real.now();
        running = true;
        for (const start of stopped.splice(0)) start();
        if (factor !== 1) paceMoving();
      }
      stopAt = ms === null ? Infinity : from + ms;
      askFrame();
      setAlarm();
      return "";
    };
    const pace = (times) => {
      base = now();
      anchor = real.now();
      factor = times;
      paceMoving();
      setAlarm();
      return "";
    };
    return Object.assign(self, {
      now, pause: hold, resume: go, speed: pace,
      status: () => ({ paused: !running, speed: factor, frames: count }),
    });
  }

  // ---- what would stop a page, or take it away
  globalThis.alert = (text) => { tell("dialog", `alert: ${text}`); };
  globalThis.confirm = (text) => { tell("dialog", `confirm: ${text}`); return false; };
  globalThis.prompt = (text) => { tell("dialog", `prompt: ${text}`); return null; };
  globalThis.print = () => { tell("dialog", "print"); };
  globalThis.open = (url) => { tell("window", String(url ?? "")); return null; };
  if (globalThis === globalThis.top && globalThis.navigation) {
    navigation.addEventListener("navigate", (event) => {
      const away = !event.hashChange && event.navigationType !== "reload" && !event.destination.sameDocument;
      if (event.downloadRequest != null) {
        event.preventDefault();
        tell("download", event.destination.url);
      } else if (away && event.cancelable && globalThis.__pitwallReport) {
        event.preventDefault();
        tell("navigation", event.destination.url);
      }
    });
  }
  if (globalThis !== globalThis.top) return;

  // ---- the game
  const game = () => globalThis.gameAPI;
  const errors = {};
  const put = (state, path, value) => {
    const keys = path.split(".");
    const last = keys.pop();
    let place = state;
    for (const key of keys) {
      if (typeof place[key] !== "object" || place[key] === null) place[key] = {};
      place = place[key];
    }
    place[last] = value;
  };
  const declared = (path) => {
    try {
      const value = PITWALL.fields[path]();
      delete errors[path];
      return value;
    } catch (error) {
      errors[path] = String(error);
      return undefined;
    }
  };
  const status = () => {
    if (PITWALL.fields.status) return declared("status");
    try {
      return game().getState().status;
    } catch {
      return undefined;  // there is none, or it has none to tell yet
    }
  };
  const read = () => {
    const own = game() && game().getState ? game().getState() : null;
    const state = own ? JSON.parse(JSON.stringify(own)) : {};
    for (const path of Object.keys(PITWALL.fields)) {
      const value = declared(path);
      if (value !== undefined) put(state, path, value);
    }
    state.timestampMs ??= real.epoch();
    state.gameTimeMs ??= clock.now();
    return { state, errors: { ...errors } };
  };

  // What an author may want of it: numbers that the page keeps, or shows, and functions that may begin it.
  const values = (lexical) => {
    const found = [];
    const seen = new Set();
    const take = (expression, value, depth) => {
      if (found.length >= 200) return;
      const type = typeof value;
      if (type === "number" || type === "boolean") {
        found.push({ kind: "value", expression, value: Number.isFinite(value) || type === "boolean" ? value : null });
      } else if (type === "function") {
        if (depth === 0 && value.length === 0 && /^(init|start|begin|play|new|restart|reset)/i.test(expression)) {
          found.push({ kind: "start", expression: `${expression}()`, value: null });
        }
      } else if (Array.isArray(value)) {
        found.push({ kind: "value", expression: `${expression}.length`, value: value.length });
      } else if (type === "object" && value !== null && depth < 2 && !seen.has(value) && !(value instanceof Node)) {
        seen.add(value);
        for (const key of Object.keys(value).slice(0, 60)) {
          if (/^[A-Za-z_$][\w$]*$/.test(key)) take(`${expression}.${key}`, value[key], depth + 1);
        }
      }
    };
    const own = Object.getOwnPropertyNames(globalThis).filter((name) => !born.has(name) && !name.startsWith("__pitwall"));
    for (const name of [...lexical, ...own]) {
      try { take(name, (0, eval)(name), 0); } catch { /* not begun yet, or it does not like to be asked */ }
    }
    for (const element of document.querySelectorAll("[id]")) {
      const text = element.childElementCount === 0 ? element.textContent : "";
      const number = text.length < 40 && text.match(/-?\d+(\.\d+)?/);
      if (number) {
        const expression = `Number(document.getElementById(${JSON.stringify(element.id)})`
          + ".textContent.match(/-?\\d+(\\.\\d+)?/)[0])";
        found.push({ kind: "value", expression, value: Number(number[0]) });
      }
    }
    return found;
  };

  // How large the page itself is: what it shows with a margin, where that leaves room; else all the room.
  const size = () => {
    const room = [innerWidth, innerHeight], margin = 16;
    const coloured = (one) => getComputedStyle(one).backgroundColor !== "rgba(0, 0, 0, 0)";
    const framed = (one) => {  // a field in which things move, wherever they are just now
      const style = getComputedStyle(one), at = one.getBoundingClientRect();
      const fits = at.width < 0.9 * room[0] && at.height < 0.9 * room[1];
      return fits && (style.position !== "static" || style.overflow !== "visible" || style.borderStyle !== "none");
    };
    const whole = (at) => at.width > 0.9 * room[0] && at.height > 0.9 * room[1];
    const shown = [...document.body.querySelectorAll("*")].filter((one) => one.getClientRects().length);
    const leaves = shown.filter((one) => one.childElementCount === 0).map((one) => one.getBoundingClientRect());
    const boxes = [...leaves, ...shown.filter((one) => coloured(one) || framed(one)).map((one) => one.getBoundingClientRect())]
      .filter((at) => at.width > 0 && at.height > 0 && !whole(at));
    if (!boxes.length || leaves.some(whole)) return room;
    const [left, top] = [Math.min(...boxes.map((at) => at.left)), Math.min(...boxes.map((at) => at.top))];
    const own = [Math.max(...boxes.map((at) => at.right)) - left, Math.max(...boxes.map((at) => at.bottom)) - top];
    const around = [left, top].map((before) => 2 * Math.min(Math.max(before, 0), margin));
    return own.map((length, side) => Math.ceil(length + around[side]));
  };

  // The state leaves as it changes: at most 30 times a second, at once where the status changes, and never
  // before the one before it was taken (a slow reader would fall behind for good).
  let watching = false, onItsWay = false, sent = "", sentStatus = "", sentAt = 0;
  const watch = () => {
    if (!watching || onItsWay) return;
    try {
      const now = read();
      const phase = `${now.state.status} ${now.state.terminal ? now.state.terminal.isTerminal : ""}`;
      const time = real.now();
      if (phase === sentStatus && time - sentAt < 30) return;
      const text = JSON.stringify({ ...now.state, timestampMs: 0, gameTimeMs: 0 }) + JSON.stringify(now.errors);
      if (text === sent && time - sentAt < 250) return;
      sent = text; sentStatus = phase; sentAt = time; onItsWay = true;
      tell("state", now);
    } catch (error) {
      tell("unreadable", String(error));
    }
  };
  if (PITWALL.watch) {
    clock.afterFrame = watch;
    real.every(watch, 33);
  }

  Object.defineProperty(globalThis, "__pitwall", {
    value: Object.freeze({
      reseed,
      pause: clock.pause, resume: clock.resume, speed: clock.speed,
      status: () => ({ ...clock.status(), game_ms: clock.now() }),
      game: () => ({
        init: Boolean(game() && game().init), reset: Boolean(game() && game().reset),
        loaded: document.readyState === "complete", status: status() ?? null,
      }),
      init: async (config) => { await game().init(config); },
      reset: async (seed) => { await game().reset({ seed }); },
      watch: () => { watching = true; sent = ""; watch(); },
      taken: () => { onItsWay = false; watch(); },
      look: () => { sent = ""; sentAt = 0; watch(); },
      values, size,
    }),
  });
})
