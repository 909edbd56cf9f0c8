"use strict";
// The token comes in the address after #, is kept for this tab alone, and is sent in a header of each request.
const at = id => document.getElementById(id), words = document.body.dataset, signs = {strategic: "▲", reactive: "●", reflex: "◆", person: "★"};
let token = location.hash.slice(1) || sessionStorage.getItem("token") || "", shown = null, address = "", timer = 0;
if (location.hash) history.replaceState(null, "", "/");

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

async function send(path, method) {
  const stopper = new AbortController(), wait = setTimeout(() => stopper.abort(), 8000);
  try {
    return await fetch(path, {method, headers: {Authorization: "Bearer " + token}, cache: "no-store", signal: stopper.signal});
  } finally { clearTimeout(wait); }
}

function askToken(sentence) {
  at("all").hidden = true; at("ask").hidden = false; at("refused").textContent = sentence; at("token").focus();
  sessionStorage.removeItem("token"); token = "";
}

async function turn() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await send("/state", "GET");
    if (answer.status === 401) return askToken(token ? words.wrong : "");
    if (!answer.ok) throw new Error(answer.status === 429 ? words.locked : words.lost);
    sessionStorage.setItem("token", token);
    at("ask").hidden = true; at("all").hidden = false; at("lost").hidden = true;
    const state = await answer.json();
    show(state);
    if (state.frame !== shown) await picture(state.frame);
  } catch (error) {
    at("lost").textContent = error.message === words.locked ? words.locked : words.lost;
    at("lost").hidden = false;
  }
  timer = setTimeout(turn, 700);
}

async function picture(frame) {
  const answer = await send("/picture", "GET"), blob = await answer.blob();
  at("picture").hidden = !blob.size; at("none").hidden = blob.size > 0;
  if (!answer.ok || !blob.size) return;
  const old = address;
  address = at("picture").src = URL.createObjectURL(blob);
  if (old) URL.revokeObjectURL(old);
  shown = frame;
}

function show(state) {
  at("game").textContent = state.game || "Pitwall";
  at("state").textContent = `${state.sign} ${state.state}`; at("state").hidden = !state.live;
  at("state").className = "chip " + state.tone;
  at("text").textContent = state.live ? state.text : state.state;
  at("fault").textContent = state.fault || ""; at("fault").hidden = !state.fault;
  if (!state.live) { at("picture").hidden = true; at("none").hidden = false; shown = null; }
  if (at("buttons")) at("buttons").hidden = !state.live;
  at("figures").replaceChildren(...(state.figures || []).map(figure => element("span", figure)));
  const decisions = state.decisions || [];
  at("undecided").hidden = decisions.length > 0;
  at("decisions").replaceChildren(...decisions.map(decision));
  at("trigger").hidden = !(state.signals && state.signals.some(signal => signal.points.length > 1));
  at("signals").replaceChildren(...(state.signals || []).map(signal));
  at("nights").hidden = !state.night;
  if (state.night) night(state.night);
}

function item(left, right, tone, text) {
  const made = element("li"), head = element("div", undefined, "head");
  head.append(element("b", left, tone), element("span", right, "dim"));
  made.append(head, element("div", text));
  return made;
}

function decision(step) {
  const made = item(`${signs[step.tone] || ""} ${step.route}`, step.at, step.tone, step.action);
  if (step.why) made.append(element("div", step.why, "dim"));
  return made;
}

function night(sums) {
  at("night").textContent = sums.title; at("sums").textContent = sums.sums;
  at("events").replaceChildren(...sums.events.map(event => item(event.kind, event.at, event.bad ? "bad" : "", event.text)));
}

function signal(course) {
  const made = element("div", undefined, "signal"), space = "http://www.w3.org/2000/svg";
  const chart = document.createElementNS(space, "svg"), line = document.createElementNS(space, "polyline"), limit = document.createElementNS(space, "line");
  chart.setAttribute("viewBox", "0 0 240 30"); chart.setAttribute("preserveAspectRatio", "none"); chart.setAttribute("aria-hidden", "true");
  const start = 240 - course.points.length;
  line.setAttribute("class", "course");
  line.setAttribute("points", course.points.map((value, i) => `${start + i},${(29 - 28 * Math.min(1, value)).toFixed(1)}`).join(" "));
  limit.setAttribute("class", "limit");
  for (const [key, value] of [["x1", 0], ["x2", 240], ["y1", 29 - 28 * course.limit], ["y2", 29 - 28 * course.limit]]) limit.setAttribute(key, value);
  chart.append(limit, line);
  made.append(element("span", course.title), chart, element("span", course.now));
  return made;
}

async function order(button, path) {
  const answer = await send(path, "POST").catch(() => null), before = button.textContent;
  button.textContent = answer && answer.ok ? words.sent : words.lost;
  setTimeout(() => { button.textContent = before; }, 1500);
}

if (at("buttons")) {
  const stop = at("stop"), name = stop.textContent;
  at("pause").addEventListener("click", () => order(at("pause"), "/pause"));
  stop.addEventListener("click", () => {
    if (stop.classList.contains("sure")) { stop.classList.remove("sure"); stop.textContent = name; return order(stop, "/stop"); }
    stop.classList.add("sure"); stop.textContent = stop.dataset.again;
    setTimeout(() => { if (stop.classList.contains("sure")) { stop.classList.remove("sure"); stop.textContent = name; } }, 4000);
  });
}
at("ask").addEventListener("submit", event => { event.preventDefault(); token = at("token").value.trim(); turn(); });
document.addEventListener("visibilitychange", () => turn());
turn();
