"use strict";
// The rules of Shop, without a screen. Chance comes from Math.random alone, and what a day brings is drawn
// as it begins or as the shop opens: it does not depend on how fast anybody acts.

// worth: what a customer pays on average; cost: of one, in the middle; spoils: share gone overnight.
const GOODS = [
  { name: "bread", worth: 6, cost: 3, swing: 1, price: 4, spoils: 1 },
  { name: "milk", worth: 5, cost: 2, swing: 1, price: 3, spoils: 0.5 },
  { name: "ice", worth: 8, cost: 4, swing: 1, price: 6, spoils: 0.25 },
  { name: "umbrella", worth: 15, cost: 8, swing: 2, price: 11, spoils: 0 },
];
const WEATHERS = ["sun", "cloud", "rain"];
// How often each good is wanted, by weather.
const WANTED = { sun: [3, 2, 4, 0.5], cloud: [4, 3, 1.5, 1], rain: [3, 2.5, 0.3, 4] };
const LOT = 5;
const MOST_STOCK = 40;
const MOST_PRICE = 30;
const START_CASH = 100;
const ADVERT_COST = 20;
const ADVERT_SHARE = 0.5;
const LEAST_LIMIT = 0.7; // a customer's limit: from 0.7 to 1.4 of a good's worth
const LIMIT_RANGE = 0.7;
const CUSTOMER_MS = 90;

class Shop {
  constructor({ days = 10, rent = 25, weather = "" } = {}) {
    Object.assign(this, { days, rent, always: weather });
    this.cash = START_CASH;
    this.settled = 0; // profit as of the last evening, its rent paid
    this.day = 0;
    this.reputation = 50;
    this.stock = GOODS.map(() => 0);
    this.prices = GOODS.map((good) => good.price);
    this.sold = GOODS.map(() => 0); // of the whole game
    this.spoiled = 0;
    this.turnedAway = 0;
    this.acts = 0;
    this.refused = 0;
    this.adverts = 0;
    this.message = "";
    this.outcome = "";
    this.begin();
  }

  get over() { return this.outcome !== ""; }
  get allSold() { return this.sold.reduce((sum, count) => sum + count, 0); }
  get profit() { return this.cash - START_CASH; }
  
  // Evenings whose rent was paid.
  get daysDone() { return this.day - (this.phase === "evening" && this.outcome !== "bankrupt" ? 0 : 1); }

  // A morning: weather and wholesale costs of the day.
  begin() {
    this.day += 1;
    this.phase = "morning";
    const drawn = WEATHERS[Math.floor(Math.random() * WEATHERS.length)];
    this.weather = this.always || drawn;
    this.costs = GOODS.map((good) => good.cost + Math.floor(Math.random() * (2 * good.swing + 1)) - good.swing);
    this.advertised = false;
    this.today = { sold: 0, revenue: 0, dear: 0, empty: 0, spoiled: 0 };
    this.queue = [];
    this.served = 0;
    this.last = null;
  }

  refuse(message) {
    this.message = message;
    this.refused += 1;
    return false;
  }

  did(message) {
    this.message = message;
    this.acts += 1;
    return true;
  }

  buy(good) {
    const price = LOT * this.costs[good];
    if (this.phase !== "morning") return this.refuse("The market is closed until morning.");
    if (this.stock[good] + LOT > MOST_STOCK) return this.refuse("That shelf is full.");
    if (price > this.cash) return this.refuse(`${LOT} cost ${price}: not enough money.`);
    this.cash -= price;
    this.stock[good] += LOT;
    return this.did(`Bought ${LOT} ${GOODS[good].name} for ${price}.`);
  }

  reprice(good, by) {
    const price = this.prices[good] + by;
    if (this.over || price < 1 || price > MOST_PRICE) return this.refuse("That price is not possible.");
    this.prices[good] = price;
    return this.did(`${GOODS[good].name} now costs ${price}.`);
  }

  advertise() {
    if (this.phase !== "morning") return this.refuse("Leaflets go out in the morning.");
    if (this.advertised) return this.refuse("The leaflets are out already.");
    if (this.cash < ADVERT_COST) return this.refuse("Not enough money for leaflets.");
    this.cash -= ADVERT_COST;
    this.advertised = true;
    this.adverts += 1;
    return this.did("Leaflets bring half as many customers again.");
  }

  // Open the doors: who will come is drawn now.
  open() {
    if (this.phase !== "morning") return this.refuse("The shop opens in the morning.");
    this.phase = "open";
    const share = this.advertised ? 1 + ADVERT_SHARE : 1;
    const customers = Math.round((18 + 0.24 * this.reputation) * share);
    const wanted = WANTED[this.weather];
    const total = wanted.reduce((sum, weight) => sum + weight, 0);
    this.queue = Array.from({ length: customers }, () => {
      let at = Math.random() * total;
      const good = wanted.findIndex((weight) => (at -= weight) < 0);
      return { good, limit: GOODS[good].worth * (LEAST_LIMIT + LIMIT_RANGE * Math.random()) };
    });
    return this.did("Open.");
  }

  // The next customer buys, finds it too dear, or finds the shelf empty. After the last it is evening.
  serve() {
    const { good, limit } = this.queue[this.served];
    this.served += 1;
    let result = "sold";
    if (!this.stock[good]) result = "empty";
    else if (this.prices[good] > limit) result = "dear";
    this.today[result] += 1;
    if (result === "sold") {
      this.stock[good] -= 1;
      this.sold[good] += 1;
      this.cash += this.prices[good];
      this.today.revenue += this.prices[good];
    } else {
      this.turnedAway += 1;
    }
    const change = { sold: 1, dear: -1, empty: -2 }[result];
    this.reputation = Math.max(0, Math.min(100, this.reputation + change));
    this.last = { good, result };
    if (this.served === this.queue.length) this.close();
  }

  close() {
    this.phase = "evening";
    this.stock = this.stock.map((count, good) => {
      const kept = Math.floor(count * (1 - GOODS[good].spoils));
      this.today.spoiled += count - kept;
      return kept;
    });
    this.spoiled += this.today.spoiled;
    this.cash -= this.rent;
    this.message = "";
    if (this.cash < 0) {
      this.cash = 0;
      this.outcome = "bankrupt";
    } else if (this.day >= this.days) {
      this.outcome = "closed";
    }
    this.settled = this.profit;
  }

  nextDay() {
    if (this.phase !== "evening" || this.over) return this.refuse("The day is not over.");
    this.begin();
    return this.did("");
  }
}
