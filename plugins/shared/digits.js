"use strict";
// Numbers as flat dots, 5 × 7 to a sign: sharp at any size, and the same on every machine.

const SIGN_ROWS = {
  "0": "01110 10001 10001 10001 10001 10001 01110",
  "1": "00100 01100 00100 00100 00100 00100 01110",
  "2": "01110 10001 00001 00110 01000 10000 11111",
  "3": "11110 00001 00001 01110 00001 00001 11110",
  "4": "00010 00110 01010 10010 11111 00010 00010",
  "5": "11111 10000 11110 00001 00001 10001 01110",
  "6": "01110 10000 10000 11110 10001 10001 01110",
  "7": "11111 00001 00010 00100 01000 01000 01000",
  "8": "01110 10001 10001 01110 10001 10001 01110",
  "9": "01110 10001 10001 01111 00001 00001 01110",
  "-": "00000 00000 00000 01110 00000 00000 00000",
};

// Whole pixels only: left, top and dot (the side of one dot) are integers.
function drawSign(pen, sign, left, top, dot) {
  SIGN_ROWS[sign].split(" ").forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] === "1") pen.fillRect(left + x * dot, top + y * dot, dot, dot);
    }
  });
}

// A number whose last sign ends at `right`; signs stand six dots apart.
function drawNumber(pen, number, right, top, dot, colour) {
  const signs = String(number);
  pen.fillStyle = colour;
  for (let i = 0; i < signs.length; i += 1) {
    drawSign(pen, signs[signs.length - 1 - i], right - 5 * dot - i * 6 * dot, top, dot);
  }
}
