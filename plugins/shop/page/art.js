"use strict";
// The drawings of Shop: goods, weather, the street and its people.

const FONT = "system-ui, 'DejaVu Sans', sans-serif";

function rect(pen, x, y, width, height, colour) {
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, height);
}

function round(pen, x, y, width, height, radius, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
  pen.fill();
}

function disc(pen, x, y, radius, colour, from = 0, to = 2 * Math.PI) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, from, to);
  pen.fill();
}

function line(pen, points, width, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineCap = "round";
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function words(pen, text, x, y, size, colour, align = "left", weight = 700) {
  pen.fillStyle = colour;
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(text, x, y);
}

// Each good in a square of 40 around (x, y).
const GOOD_ART = {
  bread(pen, x, y) {
    round(pen, x - 18, y - 9, 36, 20, 10, "#c98a4b");
    round(pen, x - 16, y - 8, 32, 11, 8, "#e0a868");
    for (const dx of [-9, 0, 9]) line(pen, [[x + dx - 3, y - 4], [x + dx + 3, y + 3]], 2.5, "#a66a31");
  },
  milk(pen, x, y) {
    pen.fillStyle = "#eef4fa";
    pen.beginPath();
    pen.moveTo(x - 11, y - 6);
    pen.lineTo(x - 5, y - 17);
    pen.lineTo(x + 5, y - 17);
    pen.lineTo(x + 11, y - 6);
    pen.fill();
    rect(pen, x - 11, y - 6, 22, 24, "#eef4fa");
    rect(pen, x - 11, y + 1, 22, 10, "#4a90d9");
    rect(pen, x - 5, y - 20, 10, 4, "#4a90d9");
  },
  ice(pen, x, y) {
    pen.fillStyle = "#d9a05b";
    pen.beginPath();
    pen.moveTo(x - 10, y);
    pen.lineTo(x + 10, y);
    pen.lineTo(x, y + 20);
    pen.fill();
    disc(pen, x - 5, y - 4, 8, "#f7a8c4");
    disc(pen, x + 6, y - 4, 8, "#fff1d6");
    disc(pen, x, y - 12, 8, "#8fd6b4");
  },
  umbrella(pen, x, y) {
    disc(pen, x, y, 18, "#b655c9", Math.PI, 2 * Math.PI);
    disc(pen, x, y, 7, "#d58be3", Math.PI, 2 * Math.PI);
    line(pen, [[x, y], [x, y + 14], [x + 5, y + 17], [x + 8, y + 13]], 3, "#e8dfce");
  },
};

const WEATHER_ART = {
  sun(pen, x, y) {
    for (let i = 0; i < 8; i += 1) {
      const [dx, dy] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)];
      line(pen, [[x + 21 * dx, y + 21 * dy], [x + 27 * dx, y + 27 * dy]], 4, "#ffd23f");
    }
    disc(pen, x, y, 16, "#ffd23f");
  },
  cloud(pen, x, y) {
    disc(pen, x - 14, y + 4, 12, "#eef2f6");
    disc(pen, x + 2, y - 4, 16, "#eef2f6");
    disc(pen, x + 18, y + 5, 11, "#eef2f6");
    rect(pen, x - 14, y + 4, 32, 12, "#eef2f6");
  },
  rain(pen, x, y) {
    for (const [dx, dy] of [[-14, 22], [-3, 28], [8, 22], [19, 28]]) {
      line(pen, [[x + dx, y + dy], [x + dx - 4, y + dy + 10]], 3, "#bfe0ff");
    }
    WEATHER_ART.cloud(pen, x, y);
  },
};

// A passer-by, feet at (x, y); stride −1 … 1.
function person(pen, x, y, coat, stride) {
  line(pen, [[x, y - 14], [x - 5 * stride, y]], 4, "#2a2d3a");
  line(pen, [[x, y - 14], [x + 5 * stride, y]], 4, "#2a2d3a");
  round(pen, x - 8, y - 36, 16, 25, 7, coat);
  disc(pen, x, y - 43, 8, "#f0c8a0");
  disc(pen, x, y - 46, 8, "#4a3426", Math.PI, 2 * Math.PI);
}

function house(pen, x, y, width, height, open) {
  rect(pen, x, y, width, height, "#e9d8b8");
  rect(pen, x, y, width, 26, "#5b3f36");
  words(pen, "CORNER SHOP", x + width / 2, y + 14, 13, "#f7ead2", "center");
  rect(pen, x + 10, y + 56, width - 76, 46, open ? "#ffe9a8" : "#58708a");
  rect(pen, x + width - 54, y + 50, 40, height - 50, open ? "#7a4a2f" : "#4a3428");
  rect(pen, x + width - 49, y + 56, 30, 34, open ? "#ffe9a8" : "#58708a");
  const stripe = (width + 8) / 8;
  for (let i = 0; i < 8; i += 1) {
    rect(pen, x - 4 + i * stripe, y + 26, stripe + 0.5, 18, i % 2 ? "#f7f2e6" : "#d8434e");
    disc(pen, x - 4 + (i + 0.5) * stripe, y + 44, stripe / 2, i % 2 ? "#f7f2e6" : "#d8434e", 0, Math.PI);
  }
}
