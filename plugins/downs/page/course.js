"use strict";

/* A course: hills that lead down to the right, with stones, ditches and bells on the way, and a goal at its end. */

const COURSES = 5;
const LEAD = 300; // flat ground at the start
const DITCH = { least: 80, more: 30, bank: 60 };

class Course {
  constructor(number) {
    this.number = number;
    this.hills = new Hills(-400, 300);
    this.hills.add(400 + LEAD, 0);
    this.stones = [];
    this.ditches = [];
    this.bells = [];
    const length = 6000 + 1800 * number;
    while (this.hills.end[0] < length) this.lay();
    this.goal = this.hills.end[0] + 60;
    this.hills.add(1500, 0);
  }

  /* A way down, a way up that takes less speed than was won, and sometimes a flat with something in the way. */
  lay() {
    const { hills, number } = this;
    const deep = 90 + 110 * Math.random();
    hills.add(deep * (2.3 + 0.8 * Math.random()), deep);
    if (Math.random() < 0.5 + 0.08 * number) this.flat();
    const high = deep * (0.5 + (0.24 + 0.03 * number) * Math.random());
    const [x] = hills.end;
    hills.add(high * (2.3 + 0.9 * Math.random()), -high);
    this.bell(x, hills.end[0]);
  }

  flat() {
    const { hills, number } = this;
    const [x, y] = hills.end;
    hills.add(420, 0);
    const middle = x + 200 + 60 * Math.random();
    if (number > 1 && Math.random() < 0.5) {
      const half = (DITCH.least + DITCH.more * Math.random()) / 2;
      this.ditches.push({ left: middle - half, right: middle + half, y });
    } else this.stones.push({ x: middle, y });
  }

  /* Three bells: over a crest, where it is flown over at speed, or along the way up. */
  bell(from, to) {
    if (Math.random() > 0.7) return;
    const crest = Math.random() < 0.5;
    for (const at of [0, 1, 2]) {
      const x = crest ? to + 40 + 46 * at : from + ((to - from) * (2 + at)) / 5;
      this.bells.push({ x, off: crest ? 64 - 10 * at : 26 });
    }
  }

  ditchAt(x) {
    return this.ditches.find(({ left, right }) => x > left && x < right) ?? null;
  }
}
