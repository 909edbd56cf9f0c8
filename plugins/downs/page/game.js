"use strict";

/* The rules of the downs. Pixels and seconds; the ball's place is the point where it touches the ground. */

const VIEW = { width: 640, height: 420, ballX: 190, ballY: 250 };
const BALL = { radius: 16, push: 480, pushedTo: 270, brake: 620, jump: 470, fastest: 1000 };
const GRAVITY = { plain: 1300, tucked: 2300 };
const DRAG = { plain: 0.16, tucked: 0.05, still: 12 };
const STONE = { reach: 22, keeps: 0.3 };
const CLOCK = { first: 50, goal: 30 };
const PAR_PX_S = 400; // a goal reached at this mean speed earns a medal
const PER_METRE = 10;
const SINK_PX = 80;
const SECONDS = 1 / 60;

class Downs {
  constructor(first) {
    this.first = Math.min(COURSES, Math.max(1, first));
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.clock = CLOCK.first;
    this.before = 0; // metres of the courses that are done
    this.goals = 0;
    this.medals = 0;
    this.bells = 0;
    this.bumps = 0;
    this.fastest = 0;
    this.enter(this.first);
  }

  enter(number) {
    this.course = new Course(number);
    this.courseSteps = 0;
    this.farthest = 0;
    this.ball = { x: 60, y: 300, vx: 0, vy: 0, grounded: true, tucked: false, turned: 0 };
    this.viewY = 300;
    this.sunk = 0;
  }

  /* Speed along the way, in pixels a second; below 0 it rolls back. */
  get speed() {
    return Math.sign(this.ball.vx) * Math.hypot(this.ball.vx, this.ball.vy);
  }

  get metres() {
    return this.before + Math.floor(this.farthest / PER_METRE);
  }

  step(keys) {
    this.sparks.step();
    this.courseSteps += 1;
    this.clock -= SECONDS;
    if (this.sunk > 0) this.climbOut();
    else {
      this.steer(keys);
      this.roll();
      this.meet();
    }
    const { ball } = this;
    this.farthest = Math.max(this.farthest, Math.min(ball.x, this.course.goal));
    this.viewY += (ball.y - this.viewY) * 0.12;
    if (ball.x >= this.course.goal) this.reachGoal();
    else if (this.clock <= 0) {
      this.over = { outcome: "loss", reason: `Time is up: ${this.metres} metres, ${this.medals} medals` };
    }
  }

  steer(keys) {
    const { ball } = this;
    ball.tucked = keys.held("arrowdown");
    if (!ball.grounded) return;
    const way = (keys.held("arrowright") ? 1 : 0) - (keys.held("arrowleft") ? 1 : 0);
    let { speed } = this;
    if (way && way * speed < 0) speed += way * BALL.brake * SECONDS;
    else if (way && !ball.tucked && way * speed < BALL.pushedTo) speed += way * BALL.push * SECONDS;
    speed *= 1 - (ball.tucked ? DRAG.tucked : DRAG.plain) * SECONDS;
    speed -= Math.sign(speed) * Math.min(Math.abs(speed), DRAG.still * SECONDS);
    this.setSpeed(Math.min(BALL.fastest, speed));
    if (!keys.tapped.includes("arrowup")) return;
    ball.vy -= BALL.jump;
    ball.grounded = false;
    ball.y -= 1;
  }

  setSpeed(speed) {
    const slope = this.course.hills.slope(this.ball.x);
    const long = Math.hypot(1, slope);
    Object.assign(this.ball, { vx: speed / long, vy: (speed * slope) / long });
  }

  roll() {
    const { ball, course } = this;
    const gravity = ball.tucked ? GRAVITY.tucked : GRAVITY.plain;
    if (course.ditchAt(ball.x)) this.fallIn(gravity);
    else {
      const lost = moveOver(course.hills, ball, ball.grounded ? GRAVITY.plain : gravity, SECONDS);
      if (lost !== null && lost > 60) this.sparks.burst(ball.x, ball.y, "#cfe8a9", 6, 90);
      else if (lost !== null && lost < 12 && ball.vx > 380) this.sparks.say("smooth!", ball.x, ball.y - 50, "#fff3b0");
    }
    if (ball.x < 20) Object.assign(ball, { x: 20, vx: Math.max(0, ball.vx) });
    ball.turned += (this.speed * SECONDS) / BALL.radius;
    this.fastest = Math.max(this.fastest, ball.vx);
  }

  /* Over a ditch nothing holds the ball. */
  fallIn(gravity) {
    const { ball } = this;
    const ditch = this.course.ditchAt(ball.x);
    ball.grounded = false;
    ball.vy += gravity * SECONDS;
    ball.y += ball.vy * SECONDS;
    const x = ball.x + ball.vx * SECONDS;
    const bank = ball.y > ditch.y + 10;
    ball.x = bank ? Math.min(ditch.right - 12, Math.max(ditch.left + 12, x)) : x;
    if (ball.y < ditch.y + SINK_PX) return;
    this.sparks.burst(ball.x, ditch.y + 30, "#8fd8ff", 20, 220);
    this.bumps += 1;
    this.sunk = 60;
  }

  climbOut() {
    this.sunk -= 1;
    if (this.sunk > 0) return;
    const x = this.course.ditchAt(this.ball.x).left - 150;
    Object.assign(this.ball, { x, y: this.course.hills.height(x), vx: 0, vy: 0, grounded: true });
  }

  meet() {
    const { ball, course } = this;
    for (const stone of course.stones) {
      if (stone.broken || Math.abs(stone.x - ball.x) > STONE.reach || ball.y < stone.y - STONE.reach) continue;
      stone.broken = true;
      this.bumps += 1;
      this.setSpeed(this.speed * STONE.keeps);
      this.sparks.burst(stone.x, stone.y - 12, "#9aa0ad", 18, 200);
    }
    for (const bell of course.bells) {
      const y = course.hills.height(bell.x) - bell.off;
      if (bell.rung || Math.hypot(bell.x - ball.x, y - ball.y + BALL.radius) > 34) continue;
      bell.rung = true;
      this.bells += 1;
      this.sparks.burst(bell.x, y, "#ffe27a", 8, 120);
    }
  }

  reachGoal() {
    const { course } = this;
    this.goals += 1;
    this.before += Math.floor(course.goal / PER_METRE);
    const medal = course.goal / (this.courseSteps * SECONDS) >= PAR_PX_S;
    if (medal) this.medals += 1;
    this.clock += CLOCK.goal;
    this.farthest = 0;
    if (course.number === COURSES) {
      this.over = { outcome: "win", reason: `All the way down: ${this.medals} medals, ${this.bells} bells` };
      return;
    }
    this.enter(course.number + 1);
    this.sparks.say(medal ? "goal, with a medal!" : "goal!", 200, 200, medal ? "#ffe27a" : "#ffffff");
  }

  state() {
    const { ball, course } = this;
    const [near, far] = [ball.x - 200, ball.x + 700];
    const things = (kind, all) => all.filter(({ x }) => x > near && x < far).map((thing) => ({ kind, ...thing }));
    return {
      score: this.metres,
      level: course.number,
      progress: Math.min(1, (course.number - 1 + this.farthest / course.goal) / COURSES),
      player: { ...ball, speed: this.speed, ground: course.hills.height(ball.x), slope: course.hills.slope(ball.x) },
      board: { ditches: course.ditches, goal: course.goal },
      entities: [...things("stone", course.stones), ...things("bell", course.bells)],
      metrics: {
        metres: this.metres, goals: this.goals, medals: this.medals, bells: this.bells, bumps: this.bumps,
        fastest: Math.round(this.fastest),
      },
      raw: { clock: this.clock },
    };
  }
}
