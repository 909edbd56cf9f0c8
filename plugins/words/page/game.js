"use strict";

/* The word game's rules: hidden words of five letters, a row of lanterns for each guess. */

const VIEW = { width: 440, height: 620 };
const LETTERS_A_WORD = 5;
const GUESSES = 6;
const GOAL = 8;
const EVERYDAY_ROUNDS = 3; // the words of later rounds are rarer
const TURN_STEPS = 10; // a letter's lantern lights up in this many steps, one after the other

class Words {
  constructor(first) {
    this.first = first;
    this.sparks = new Sparks();
  }

  begin() {
    this.over = null;
    this.sparks.clear();
    this.solved = 0;
    this.quick = 0;
    this.guessed = 0;
    this.placed = 0;
    this.points = 0;
    this.used = [];
    this.nextWord();
  }

  nextWord() {
    const rare = this.first === "rare" || this.solved >= EVERYDAY_ROUNDS;
    const words = (rare ? RARE_WORDS : WORDS).filter((word) => !this.used.includes(word));
    this.word = words[Math.floor(words.length * Math.random())];
    this.used.push(this.word);
    this.rows = [];
    this.typed = "";
    this.shown = false;
    this.lit = 0;
    this.short = 0;
  }

  /* Keys count in the order in which they were pressed. */
  step(keys) {
    this.sparks.step();
    this.lit += 1;
    this.short = Math.max(0, this.short - 1);
    for (const key of keys.tapped) if (!this.over) this.press(key);
  }

  press(key) {
    const letter = /^[a-z]$/.test(key);
    if (this.shown && (letter || key === "enter")) this.nextWord();
    if (letter && this.typed.length < LETTERS_A_WORD) this.typed += key;
    else if (key === "backspace") this.typed = this.typed.slice(0, -1);
    else if (key === "delete") this.typed = "";
    else if (key === "enter") this.enter();
  }

  enter() {
    if (this.typed.length < LETTERS_A_WORD) {
      if (this.typed) this.short = 40;
      return;
    }
    const guess = this.typed;
    const marks = judge(guess, this.word);
    this.rows.push({ guess, marks });
    this.typed = "";
    this.lit = 0;
    this.guessed += 1;
    this.placed = Math.max(this.placed, marks.filter((mark) => mark === "placed").length);
    if (guess === this.word) this.solve();
    else if (this.rows.length === GUESSES) {
      this.over = { outcome: "loss", reason: `It was ${this.word.toUpperCase()}; you solved ${this.solved}` };
    }
  }

  solve() {
    this.solved += 1;
    this.points += GUESSES + 1 - this.rows.length;
    if (this.rows.length <= 4) this.quick += 1;
    this.shown = true;
    this.sparks.say(`+${GUESSES + 1 - this.rows.length}`, VIEW.width / 2, 66 + 70 * this.rows.length, "#fff3c4");
    for (let bit = 0; bit < LETTERS_A_WORD; bit += 1) {
      this.sparks.burst(80 + 70 * bit, 95 + 70 * (this.rows.length - 1), "#ffe9a8", 8, 170);
    }
    if (this.solved === GOAL) this.over = { outcome: "win", reason: `All ${GOAL} words, ${this.points} points` };
  }

  /* What is known of each letter: the best mark that it had. */
  known() {
    const known = {};
    const worth = { absent: 1, near: 2, placed: 3 };
    for (const { guess, marks } of this.rows) {
      marks.forEach((mark, at) => {
        if (worth[mark] > (worth[known[guess[at]]] || 0)) known[guess[at]] = mark;
      });
    }
    return known;
  }

  state() {
    return {
      score: this.points,
      level: this.solved + 1,
      progress: this.solved / GOAL,
      player: { typed: this.typed, left: GUESSES - this.rows.length, answer: this.word },
      board: this.rows.map(({ guess, marks }) => ({ guess, marks })),
      entities: [],
      metrics: { solved: this.solved, quick: this.quick, guesses: this.guessed, placed: this.placed },
      raw: { shown: this.shown },
    };
  }
}

/* A letter that stands in the word once is marked once, in its right place first. */
function judge(guess, word) {
  const left = [...word];
  const marks = [...guess].map((letter, at) => {
    if (word[at] !== letter) return "absent";
    left.splice(left.indexOf(letter), 1);
    return "placed";
  });
  return marks.map((mark, at) => {
    if (mark === "placed" || !left.includes(guess[at])) return mark;
    left.splice(left.indexOf(guess[at]), 1);
    return "near";
  });
}
