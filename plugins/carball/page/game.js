"use strict";

/*
 * Carball's rules. Two cars push one ball over a pitch seen from above; blue attacks to the right, red to the
 * left. Places are pixels of the picture, times are steps of 1/60 s, speeds are pixels a second.
 */

const PITCH = { left: 40, right: 600, top: 62, bottom: 438, corner: 48, mouth: [188, 312], pocket: 30 };
const MIDDLE = { x: 320, y: 250 };
const CAR = { radius: 16, speed: 205, rush: 330, pull: 620, tank: 90, refill: 0.3, coast: 0.95 };
const BALL = { radius: 12, drag: 0.988, bounce: 0.84, kick: 1.12, most: 540, post: 4 };
const MATCH = { goals: 5, steps: 120 * 60, extra: 60 * 60, kickoff: 40, cheer: 80 };
const SIDES = {
  blue: { way: 1, start: { x: 150, y: 250 }, keys: { w: [0, -1], s: [0, 1], a: [-1, 0], d: [1, 0] }, boost: "e" },
  red: {
    way: -1,
    start: { x: 490, y: 250 },
    keys: { arrowup: [0, -1], arrowdown: [0, 1], arrowleft: [-1, 0], arrowright: [1, 0] },
    boost: "l",
  },
};

class Carball {
  /* rival: the side that the page plays; empty: both are played by keys. pace: of the rival, 1 is a player's. */
  constructor({ rival, pace, goals }) {
    this.rival = SIDES[rival] ? rival : "";
    this.pace = pace;
    this.most = goals;
  }

  begin() {
    this.over = null;
    this.time = 0;
    this.goals = { blue: 0, red: 0 };
    this.touches = { blue: 0, red: 0 };
    this.scorer = "";
    this.cheer = 0;
    this.sparks = new Sparks();
    this.kickOff();
  }

  /* Both cars stand at home; the ball lies on the middle line, each time a little elsewhere. */
  kickOff() {
    this.wait = MATCH.kickoff;
    this.scorer = "";
    this.ball = { x: MIDDLE.x, y: MIDDLE.y + 120 * (Math.random() - 0.5), vx: 0, vy: 0, roll: 0 };
    this.cars = Object.entries(SIDES).map(([side, { start, way }]) => ({
      side, ...start, vx: 0, vy: 0, heading: way > 0 ? 0 : Math.PI, tank: CAR.tank, rushes: false, touching: false,
      wish: { x: 0, y: 0, rush: false }, trail: [],
    }));
  }

  step(keys) {
    this.sparks.step();
    if (this.cheer > 0) {
      this.cheer -= 1;
      if (this.cheer === 0) this.kickOff();
      return;
    }
    this.wait = Math.max(0, this.wait - 1);
    if (this.wait > 0) return;
    this.time += 1;
    for (const car of this.cars) this.drive(car, keys);
    push(this.cars[0], this.cars[1]);
    for (const car of this.cars) keepCarInside(car);
    this.roll();
    for (const car of this.cars) this.kick(car);
    this.look();
  }

  drive(car, keys) {
    const plays = car.side === this.rival;
    if (!plays) car.wish = wishOf(car, keys);
    else if (this.time % 8 === 0) car.wish = rivalsWish(this, car);
    const { x, y, rush } = car.wish;
    car.rushes = rush && car.tank >= 1;
    car.tank = car.rushes ? car.tank - 1 : Math.min(CAR.tank, car.tank + CAR.refill);
    const length = Math.hypot(x, y);
    const pace = (car.rushes ? CAR.rush : CAR.speed) * (plays ? this.pace : 1);
    if (length > 0) pull(car, (x / length) * pace, (y / length) * pace);
    else if (car.rushes) pull(car, Math.cos(car.heading) * pace, Math.sin(car.heading) * pace);
    else [car.vx, car.vy] = [car.vx * CAR.coast, car.vy * CAR.coast];
    if (Math.hypot(car.vx, car.vy) > 25) car.heading = turned(car.heading, Math.atan2(car.vy, car.vx), 0.22);
    car.x += car.vx / 60;
    car.y += car.vy / 60;
    if (this.time % 3 === 0) car.trail = [...car.trail.slice(-14), { x: car.x, y: car.y }];
  }

  roll() {
    const { ball } = this;
    ball.x += ball.vx / 60;
    ball.y += ball.vy / 60;
    ball.roll += ball.vx / 900;
    ball.vx *= BALL.drag;
    ball.vy *= BALL.drag;
    keepBallInside(ball);
  }

  /* A car is much heavier than the ball: the ball leaves it along the line between both. */
  kick(car) {
    const { ball } = this;
    const [dx, dy] = [ball.x - car.x, ball.y - car.y];
    const apart = Math.hypot(dx, dy) || 1;
    const near = CAR.radius + BALL.radius;
    if (apart >= near) {
      car.touching = apart < near + 4 && car.touching;
      return;
    }
    const [nx, ny] = [dx / apart, dy / apart];
    [ball.x, ball.y] = [car.x + nx * near, car.y + ny * near];
    const closing = (car.vx - ball.vx) * nx + (car.vy - ball.vy) * ny;
    if (closing > 0) {
      const gain = closing * (1 + BALL.kick * 0.6);
      [ball.vx, ball.vy] = slowed(ball.vx + nx * gain, ball.vy + ny * gain, BALL.most);
    }
    if (!car.touching) {
      this.touches[car.side] += 1;
      this.sparks.burst((ball.x + car.x) / 2, (ball.y + car.y) / 2, "#fff6d8", 5, 90);
    }
    car.touching = true;
    keepBallInside(ball);
  }

  /* A goal, the end of the match. */
  look() {
    const { ball } = this;
    if (ball.x < PITCH.left - BALL.radius) this.goal("red");
    else if (ball.x > PITCH.right + BALL.radius) this.goal("blue");
    if (this.over) return;
    const { blue, red } = this.goals;
    if (this.time >= MATCH.steps && blue !== red) this.end(blue > red ? "blue" : "red");
    else if (this.time >= MATCH.steps + MATCH.extra) this.over = { outcome: "loss", reason: "Nobody wins" };
  }

  goal(side) {
    this.goals[side] += 1;
    this.scorer = side;
    this.cheer = MATCH.cheer;
    this.sparks.burst(this.ball.x, this.ball.y, "#ffe9a6", 46, 300);
    if (this.goals[side] >= this.most) this.end(side);
  }

  end(winner) {
    const { blue, red } = this.goals;
    const reason = `${winner === "blue" ? "Blue" : "Red"} wins ${Math.max(blue, red)} : ${Math.min(blue, red)}`;
    this.over = { outcome: winner === this.rival ? "loss" : "win", reason };
  }

  get secondsLeft() {
    return Math.max(0, Math.ceil((MATCH.steps - this.time) / 60));
  }

  state() {
    const { goals, touches, ball } = this;
    const own = this.rival === "blue" ? "red" : "blue";
    return {
      score: goals[own],
      level: 1,
      progress: Math.max(goals.blue, goals.red) / this.most,
      player: Object.fromEntries(this.cars.map(({ side, x, y, vx, vy, tank }) => [side, { x, y, vx, vy, tank }])),
      board: { ...PITCH },
      entities: [{ kind: "ball", x: ball.x, y: ball.y, vx: ball.vx, vy: ball.vy }],
      metrics: {
        blue_goals: goals.blue, red_goals: goals.red, blue_touches: touches.blue, red_touches: touches.red,
        blue_lead: goals.blue - goals.red, red_lead: goals.red - goals.blue, seconds: this.time / 60,
      },
      raw: { rival: this.rival, wait: this.wait, cheer: this.cheer },
    };
  }
}

function wishOf(car, keys) {
  const side = SIDES[car.side];
  const wish = { x: 0, y: 0, rush: keys.held(side.boost) };
  for (const [name, [x, y]] of Object.entries(side.keys)) {
    if (!keys.held(name)) continue;
    wish.x += x;
    wish.y += y;
  }
  return wish;
}

/* Bring a car's speed nearer to the wished one, as far as its tyres hold. */
function pull(car, vx, vy) {
  const [dx, dy] = slowed(vx - car.vx, vy - car.vy, CAR.pull / 60);
  car.vx += dx;
  car.vy += dy;
}

function slowed(x, y, most) {
  const length = Math.hypot(x, y);
  return length > most ? [(x * most) / length, (y * most) / length] : [x, y];
}

function turned(from, to, share) {
  const way = Math.atan2(Math.sin(to - from), Math.cos(to - from));
  return from + way * share;
}

/* Two cars that meet share their speed along the line between them. */
function push(first, second) {
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  const apart = Math.hypot(dx, dy) || 1;
  const over = 2 * CAR.radius - apart;
  if (over <= 0) return;
  const [nx, ny] = [dx / apart, dy / apart];
  first.x -= (nx * over) / 2;
  first.y -= (ny * over) / 2;
  second.x += (nx * over) / 2;
  second.y += (ny * over) / 2;
  const closing = (first.vx - second.vx) * nx + (first.vy - second.vy) * ny;
  if (closing <= 0) return;
  const given = closing * 0.8;
  first.vx -= nx * given;
  first.vy -= ny * given;
  second.vx += nx * given;
  second.vy += ny * given;
}

/* What a wall with the normal (nx, ny) leaves of a thing that is `deep` pixels inside it. */
function thrownBack(thing, nx, ny, deep, bounce) {
  if (deep <= 0) return;
  thing.x += nx * deep;
  thing.y += ny * deep;
  const into = thing.vx * nx + thing.vy * ny;
  if (into >= 0) return;
  thing.vx -= (1 + bounce) * into * nx;
  thing.vy -= (1 + bounce) * into * ny;
}

function cutCorners(thing, radius, bounce) {
  const half = Math.SQRT1_2;
  for (const nx of [1, -1]) {
    for (const ny of [1, -1]) {
      const across = nx > 0 ? thing.x - PITCH.left : PITCH.right - thing.x;
      const down = ny > 0 ? thing.y - PITCH.top : PITCH.bottom - thing.y;
      thrownBack(thing, nx * half, ny * half, radius - (across + down - PITCH.corner) * half, bounce);
    }
  }
}

function keepCarInside(car) {
  cutCorners(car, CAR.radius, 0);
  thrownBack(car, 1, 0, PITCH.left + CAR.radius - car.x, 0);
  thrownBack(car, -1, 0, car.x + CAR.radius - PITCH.right, 0);
  thrownBack(car, 0, 1, PITCH.top + CAR.radius - car.y, 0);
  thrownBack(car, 0, -1, car.y + CAR.radius - PITCH.bottom, 0);
}

function keepBallInside(ball) {
  const { radius, bounce } = BALL;
  const [upper, lower] = PITCH.mouth;
  if (ball.x < PITCH.left || ball.x > PITCH.right) {
    thrownBack(ball, 0, 1, upper + radius - ball.y, bounce);
    thrownBack(ball, 0, -1, ball.y + radius - lower, bounce);
    return;
  }
  for (const x of [PITCH.left, PITCH.right]) for (const y of [upper, lower]) hitPost(ball, x, y);
  if (ball.y < upper || ball.y > lower) {
    cutCorners(ball, radius, bounce);
    thrownBack(ball, 1, 0, PITCH.left + radius - ball.x, bounce);
    thrownBack(ball, -1, 0, ball.x + radius - PITCH.right, bounce);
  }
  thrownBack(ball, 0, 1, PITCH.top + radius - ball.y, bounce);
  thrownBack(ball, 0, -1, ball.y + radius - PITCH.bottom, bounce);
}

function hitPost(ball, x, y) {
  const [dx, dy] = [ball.x - x, ball.y - y];
  const apart = Math.hypot(dx, dy) || 1;
  thrownBack(ball, dx / apart, dy / apart, BALL.radius + BALL.post - apart, BALL.bounce);
}
