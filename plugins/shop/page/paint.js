"use strict";
// How Shop looks: numbers as dots and buttons at fixed places, so that a picture tells all there is to know.

const WIDTH = 640;
const HEIGHT = 480;
const ROW = { x: 16, y: 72, width: 428, height: 72, pitch: 79 };
const SCENE = { x: 456, y: 72, width: 168, height: 316 };
const BUTTONS = {
  lower: { x: 258, width: 26 }, raise: { x: 330, width: 26 }, buy: { x: 366, width: 68 },
};
const ADVERT = { x: 16, y: 408, width: 190, height: 56 };
const DOORS = { x: 218, y: 408, width: 226, height: 56 };
const PHASE = { x: 456, y: 408, width: 168, height: 56 };
const PANEL = { x: 70, y: 130, width: 320, height: 210 };

const COLOURS = {
  ground: "#22252e", bar: "#2d313d", row: "#333846", ink: "#f4f1e8", dim: "#9aa3b5", button: "#4a5268",
  buttonInk: "#f4f1e8", go: "#3f9d6b", off: "#383d4b", offInk: "#6f788c", lit: "#e8b23a", panel: "#f2e8d5",
  panelInk: "#2b2530", street: "#5a5f6e", kerb: "#7d8394",
};
const SKIES = { sun: "#7cc8f5", cloud: "#a9b6c6", rain: "#5f7289" };
const PHASES = { morning: "#ffd166", open: "#6fcf97", evening: "#8f7ae0" };
const PHASE_WORDS = { morning: "morning", open: "open", evening: "evening" };
const COATS = ["#d1495b", "#3d7ea6", "#edae49", "#66a182", "#7b5ea7", "#c8553d"];

const rowY = (good) => ROW.y + good * ROW.pitch;

function button(pen, x, y, width, height, label, colour, ink = COLOURS.buttonInk, size = 18) {
  round(pen, x, y, width, height, 7, colour);
  words(pen, label, x + width / 2, y + height / 2 + 1, size, ink, "center");
}

function paintTop(pen, shop) {
  round(pen, 16, 12, 608, 48, 9, COLOURS.bar);
  words(pen, "DAY", 30, 37, 13, COLOURS.dim);
  drawNumber(pen, shop.day, 101, 26, 3, COLOURS.ink);
  words(pen, "of", 108, 37, 13, COLOURS.dim);
  drawNumber(pen, shop.days, 149, 30, 2, COLOURS.dim);
  words(pen, "CASH", 190, 37, 13, COLOURS.dim);
  drawNumber(pen, shop.cash, 317, 26, 3, COLOURS.ink);
  words(pen, "REPUTATION", 354, 37, 13, COLOURS.dim);
  drawNumber(pen, shop.reputation, 509, 26, 3, COLOURS.ink);
  rect(pen, 524, 32, 86, 10, COLOURS.ground);
  rect(pen, 524, 32, Math.round(0.86 * shop.reputation), 10, "#e0607e");
}

function paintGood(pen, shop, good) {
  const [y, middle] = [rowY(good), rowY(good) + ROW.height / 2];
  round(pen, ROW.x, y, ROW.width, ROW.height, 9, COLOURS.row);
  GOOD_ART[GOODS[good].name](pen, 44, middle);
  words(pen, GOODS[good].name, 72, y + 22, 15, COLOURS.ink);
  words(pen, "cost", 72, y + 48, 12, COLOURS.dim);
  drawNumber(pen, shop.costs[good], 131, y + 40, 2, COLOURS.dim);
  words(pen, "STOCK", 235, y + 14, 11, COLOURS.dim, "right");
  drawNumber(pen, shop.stock[good], 235, y + 28, 3, COLOURS.ink);
  rect(pen, 155, y + 57, 80, 4, COLOURS.ground);
  rect(pen, 155, y + 57, 2 * shop.stock[good], 4, "#6fcf97");
  words(pen, "PRICE", 307, y + 14, 11, COLOURS.dim, "center");
  button(pen, BUTTONS.lower.x, y + 25, BUTTONS.lower.width, 28, "−", COLOURS.button);
  drawNumber(pen, shop.prices[good], 323, y + 28, 3, COLOURS.ink);
  button(pen, BUTTONS.raise.x, y + 25, BUTTONS.raise.width, 28, "+", COLOURS.button);
  const may = shop.phase === "morning" && !shop.over;
  const ink = may ? COLOURS.buttonInk : COLOURS.offInk;
  button(pen, BUTTONS.buy.x, y + 14, BUTTONS.buy.width, 40, `buy ${LOT}`, may ? COLOURS.button : COLOURS.off, ink, 16);
}

function paintBottom(pen, shop) {
  const may = shop.phase === "morning" && !shop.over;
  const [label, colour, ink] = shop.advertised
    ? ["leaflets are out", COLOURS.lit, COLOURS.panelInk]
    : [`leaflets: ${ADVERT_COST}`, may ? COLOURS.button : COLOURS.off, may ? COLOURS.ink : COLOURS.offInk];
  button(pen, ADVERT.x, ADVERT.y, ADVERT.width, ADVERT.height, label, colour, ink, 16);
  const doors = { morning: "open the shop", open: "customers come", evening: "next day" }[shop.phase];
  const go = shop.phase !== "open" && !shop.over;
  button(pen, DOORS.x, DOORS.y, DOORS.width, DOORS.height, doors, go ? COLOURS.go : COLOURS.off,
    go ? COLOURS.ink : COLOURS.offInk);
  round(pen, PHASE.x, PHASE.y, PHASE.width, PHASE.height, 7, PHASES[shop.phase]);
  words(pen, PHASE_WORDS[shop.phase], PHASE.x + PHASE.width / 2, PHASE.y + 21, 18, COLOURS.panelInk, "center");
  words(pen, `rent ${shop.rent} in the evening`, PHASE.x + PHASE.width / 2, PHASE.y + 42, 12, COLOURS.panelInk, "center", 600);
  words(pen, shop.message, 18, 395, 13, COLOURS.dim, "left", 600);
}

// Passers-by walk to the door; `time`: milliseconds since the doors opened.
function paintPeople(pen, shop, time) {
  const door = SCENE.x + SCENE.width - 38;
  for (let i = shop.served; i < Math.min(shop.queue.length, shop.served + 5); i += 1) {
    const x = door - ((i + 1) * CUSTOMER_MS - time) * 0.26;
    if (x > SCENE.x + 10) person(pen, x, SCENE.y + 296, COATS[i % COATS.length], Math.sin(time / 60 + i));
  }
  if (!shop.last) return;
  const { good, result } = shop.last;
  const sign = { sold: [`+${shop.prices[good]}`, "#2f8f5b"], dear: ["too dear", "#c0392b"], empty: ["sold out", "#c0392b"] };
  round(pen, SCENE.x + 62, SCENE.y + 84, 96, 44, 9, "#ffffff");
  pen.save();
  pen.translate(SCENE.x + 82, SCENE.y + 106);
  pen.scale(0.7, 0.7);
  GOOD_ART[GOODS[good].name](pen, 0, 0);
  pen.restore();
  words(pen, sign[result][0], SCENE.x + 126, SCENE.y + 107, result === "sold" ? 17 : 11, sign[result][1], "center");
}

function paintNews(pen, shop) {
  const { today } = shop;
  const lines = [["sold", today.sold], ["taken", today.revenue], ["too dear", today.dear],
    ["sold out", today.empty], ["spoiled", today.spoiled], ["rent", shop.rent]];
  round(pen, SCENE.x + 12, SCENE.y + 70, SCENE.width - 24, 176, 9, COLOURS.panel);
  lines.forEach(([label, number], i) => {
    words(pen, label, SCENE.x + 26, SCENE.y + 94 + i * 26, 14, COLOURS.panelInk, "left", 600);
    words(pen, String(number), SCENE.x + SCENE.width - 26, SCENE.y + 94 + i * 26, 14, COLOURS.panelInk, "right");
  });
}

function paintScene(pen, shop, time) {
  pen.save();
  pen.beginPath();
  pen.roundRect(SCENE.x, SCENE.y, SCENE.width, SCENE.height, 9);
  pen.clip();
  rect(pen, SCENE.x, SCENE.y, SCENE.width, SCENE.height, SKIES[shop.weather]);
  WEATHER_ART[shop.weather](pen, SCENE.x + 118, SCENE.y + 36);
  house(pen, SCENE.x + 14, SCENE.y + 132, 140, 144, shop.phase === "open");
  rect(pen, SCENE.x, SCENE.y + 276, SCENE.width, 8, COLOURS.kerb);
  rect(pen, SCENE.x, SCENE.y + 284, SCENE.width, 32, COLOURS.street);
  if (shop.phase === "open") paintPeople(pen, shop, time);
  if (shop.phase === "evening") paintNews(pen, shop);
  pen.restore();
}

function paintPanel(pen, shop) {
  round(pen, PANEL.x, PANEL.y, PANEL.width, PANEL.height, 14, COLOURS.panel);
  const middle = PANEL.x + PANEL.width / 2;
  const title = shop.outcome === "bankrupt" ? "Bankrupt" : shop.profit > 0 ? "Good business" : "Hard times";
  words(pen, title, middle, PANEL.y + 50, 32, COLOURS.panelInk, "center", 800);
  const result = `${shop.profit >= 0 ? "profit" : "loss"} ${Math.abs(shop.profit)} in ${shop.day} days`;
  words(pen, result, middle, PANEL.y + 98, 18, COLOURS.panelInk, "center", 600);
  words(pen, `${shop.allSold} sold, reputation ${shop.reputation}`, middle, PANEL.y + 128, 16, COLOURS.panelInk, "center", 600);
  words(pen, "Enter or a click begins anew", middle, PANEL.y + 172, 15, "#7a6f80", "center", 600);
}

function paint(pen, shop, time) {
  rect(pen, 0, 0, WIDTH, HEIGHT, COLOURS.ground);
  paintTop(pen, shop);
  GOODS.forEach((_, good) => paintGood(pen, shop, good));
  paintScene(pen, shop, time);
  paintBottom(pen, shop);
  if (shop.over) paintPanel(pen, shop);
}
