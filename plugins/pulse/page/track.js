"use strict";

/*
 * The track comes in bars of four beats, three cells to a beat. A jump that begins on a beat is over on the next,
 * so that what is jumped over stands on a beat's second cell.
 *
 * . ground   ^ spike   w two small spikes   _ pit   B block   T two blocks   o jump pad   = beam   * note
 */

const CELL = 40;
const BAR_CELLS = 12;
const BEAT_CELLS = 3;
const FIRST_BARS = 2; // nothing but ground and a note at the start
const BARS = {
  calm: ["....^.......", ".^.....^....", "....^.....*.", ".*.....^..*.", "....__......", ".^.......^..", ".*..^.......",],
  steps: [".^..^..^..*.", ".*..w.....^.", ".^..__....*.", "..==...^..*.", "....BBBB....", ".^....==....", ".*..BBBBBB^."],
  leaps: ["....BBBTTT..", ".*..o^^^....", ".w..w..__.*.", "..==...w..^.", ".o^^^..^..*.", ".*..BBB^..w.", ".^..__..==.."],
  storm: [".^..w..w..^.", ".w..BBBTTT..", ".__.__.w..*.", "..==...o^^^.", ".^..^..^..w.", ".*..BBB^..^.", ".w..__.w..^."],
};
const KINDS = ["calm", "steps", "leaps", "storm"];
const BARS_PER_KIND = 6;
const SPIKES = { "^": { half: 7, high: 22 }, w: { half: 15, high: 18 } };
const TOPS = { B: CELL, T: 2 * CELL };

/* The cells of a bar, by its number: harder kinds come in turn; `kind` keeps to one. */
function barOf(number, kind) {
  if (number < FIRST_BARS) return "....*.......";
  const hardest = Math.min(KINDS.length - 1, Math.floor(number / BARS_PER_KIND));
  const eased = hardest > 0 && Math.random() < 0.25 ? hardest - 1 : hardest;
  const bars = BARS[kind] ?? BARS[KINDS[eased]];
  return bars[Math.floor(bars.length * Math.random())];
}
