// The script of `bench miniwob`: what a person would do on each page, told by its elements, as strokes of mouse and keys.
// `script(page, turn)` returns the next ones: ["click"|"move", x, y], ["drag", x, y, x2, y2], ["type", text],
// ["key", name] or ["wait", ms]; null: it knows no more.
globalThis.script = (() => {
  const shown = (one) => one.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const first = (selector) => all(selector)[0];
  const spot = (one) => {
    one.scrollIntoView({ block: "nearest" });
    const box = one.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const click = (one) => (one ? [["click", ...spot(one)]] : []);
  const query = () => document.getElementById("query").textContent.trim();
  const quoted = () => [...query().matchAll(/"([^"]*)"/g)].map((found) => found[1]);
  const text = (one) => one.textContent.trim().toLowerCase();
  const named = (words, within = "#area *, .ui-dialog *") =>
    all(within).filter((one) => text(one) === words.toLowerCase()).pop();
  const submit = () => click(["submit", "ok", "login", "search"].map((word) => named(word, "button")).find((one) => one));
  const fill = (selector, words) => [...click(first(selector)), ["type", String(words)]];
  const answer = (words) => [...fill("#area input", words), ...submit()];
  const labels = () => query().replace(/^Select /, "").replace(/ and click Submit\.$/, "").split(", ");
  const ticked = () => [
    ...labels().flatMap((words) => click(all("label").find((one) => one.textContent.trim() === words))), ...submit(),
  ];
  const origin = () => { const box = first("#area svg").getBoundingClientRect(); return [box.x, box.y]; };
  const onSvg = (x, y) => { const [left, top] = origin(); return ["click", left + x, top + y]; };
  const circles = (selector) => all(`#area svg ${selector}`).map((one) => [+one.getAttribute("cx"), +one.getAttribute("cy")]);
  const inside = ([x, y]) => x > 5 && y > 5 && x < 145 && y < 120;
  const shapes = () => all("#area_svg > *").map((one) => ({
    one, colour: one.getAttribute("fill"), name: one.textContent, kind: { rect: "rectangle", circle: "circle", polygon: "triangle" }[one.tagName]
      || (/\d/.test(one.textContent) ? "digit" : "letter"), large: one.getBoundingClientRect().height > 14,
  }));
  const wanted = (words) => {  // "large red digit", "x", "blue item"
    const told = words.split(" ");
    return shapes().filter((shape) => told.every((word) => word === "item" || word === shape.colour || word === shape.kind
      || word === shape.name || (word === "large" && shape.large) || (word === "small" && !shape.large)));
  };
  const ways = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

  const pages = {
    "click-test": () => click(first("#subbtn")),
    "click-test-2": () => click(named("ONE")),
    "click-button": () => click(all("#area button").find((one) => one.textContent === quoted()[0])),
    "click-button-sequence": (turn) => click(named(turn ? "TWO" : "ONE")),
    "button-delay": (turn) => (turn ? [["wait", 1000 * query().match(/\d+/)[0] + 150], ...click(named("TWO"))] : click(named("ONE"))),
    "click-color": () => {
      const told = query().match(/on the (\w+) colored/);
      return click(first(`.color[data-color="${told ? told[1] : first("#query-color").style.backgroundColor}"]`));
    },
    "click-dialog": () => click(first(".ui-dialog-titlebar-close")),
    "click-dialog-2": () => click(quoted()[0] === "x" ? first(".ui-dialog-titlebar-close") : named(quoted()[0], ".ui-dialog button")),
    "click-link": () => click(all("#area .alink").find((one) => one.textContent === quoted()[0])),
    "click-option": ticked,
    "click-checkboxes": ticked,
    "click-shades": () => [...all(`#area [data-color="${query().match(/shades of (\w+)/)[1]}"]`).flatMap(click), ...submit()],
    "click-shape": () => click(wanted(query().replace(/^Click on an? /, ""))[0]?.one),
    "count-shape": () => click(named(String(wanted(query().match(/many (.*)s are/)[1]).length), "#count-buttons button")),
    "identify-shape": () => click(first(`button[data-type="${shapes()[0].kind}"]`)),
    "click-tab": () => click(named(query().match(/Tab #\d+/)[0], "#area a")),
    "click-tab-2-easy": (turn) => click(all("#area .alink").find((one) => one.textContent === quoted()[0]) || all("#area li a")[turn]),
    "click-widget": () => click(first(`[data-type="${quoted()[0]}"]`)),
    "click-collapsible-nodelay": (turn) => (turn ? submit() : click(first("#area h3"))),
    "click-pie-nodelay": (turn) => {
      if (!turn) return [onSvg(78, 78), ["wait", 300]];
      return click(all("#area svg text, #area svg tspan").find((one) => text(one) === quoted()[0].toLowerCase()));
    },
    "click-menu": (turn) => {
      const told = query().replace("Select ", "").split(">");
      const item = named(told[Math.min(turn, told.length - 1)], "#menu .ui-menu-item-wrapper");
      if (!item) return [["wait", 200]];
      return turn >= told.length - 1 ? click(item) : [["move", ...spot(item)], ["wait", 500]];
    },
    "circle-center": () => [onSvg(...circles("circle")[0]), ...submit()],
    "find-midpoint": () => {
      const [[x, y], [x2, y2]] = circles("circle");
      return [onSvg((x + x2) / 2, (y + y2) / 2), ...submit()];
    },
    "bisect-angle": () => {
      const [x, y] = circles(".init-blue")[0];
      const units = circles(".init-black").map(([a, b]) => [(a - x) / Math.hypot(a - x, b - y), (b - y) / Math.hypot(a - x, b - y)]);
      const way = [units[0][0] + units[1][0], units[0][1] + units[1][1]], long = Math.hypot(...way);
      const places = [50, 40, 30, 20, 12].map((far) => [x + way[0] / long * far, y + way[1] / long * far]);
      return [onSvg(...(places.find(inside) || places[4])), ...submit()];
    },
    "right-angle": () => {
      const [x, y] = circles("#init-blue")[0], [a, b] = circles("#init-black")[0], long = Math.hypot(a - x, b - y);
      const places = [50, -50, 35, -35, 20, -20].map((far) => [x - (b - y) / long * far, y + (a - x) / long * far]);
      return [onSvg(...(places.find(inside) || places[4])), ...submit()];
    },
    "grid-coordinate": () => click(document.getElementById(query().match(/\(.*\)/)[0])),
    "visual-addition": () => answer(all(".addition-block").length),
    "odd-or-even": () => [
      ...all("#numbers .row").flatMap((row) => click(row.querySelector(+row.querySelector(".display-number").textContent % 2 ? ".odd" : ".even"))),
      ...submit(),
    ],
    "focus-text": () => click(first("#tt")),
    "focus-text-2": () => click(first(`#tt${query().match(/\d/)[0]}`)),
    "hot-cold": (turn) => {
      if (first("#signal.hot")) return [["click", ...pages.at]];
      const box = first("#touch-area").getBoundingClientRect(), across = Math.floor(box.width / 6);
      pages.at = [box.x + 3 + 6 * (turn % across), box.y + 3 + 6 * Math.floor(turn / across)];
      return [["move", ...pages.at]];
    },
    "chase-circle": () => [["move", ...spot(first("#circ"))], ["wait", 30]],
    "tic-tac-toe": () => {
      const mark = (at) => document.getElementById(`ttt-${at}`).className.replace("mark-", "");
      const third = (who) => ways.map((way) => [way.filter((at) => mark(at) === who).length, way.find((at) => !mark(at))])
        .find(([count, free]) => count === 2 && free !== undefined)?.[1];
      const free = [4, 0, 2, 6, 8, 1, 3, 5, 7].find((at) => !mark(at));
      const at = third("x") ?? third("o") ?? free;
      return [...click(document.getElementById(`ttt-${at}`)), ["wait", 300]];
    },
    "ascending-numbers": (turn) => click(turn ? first("#area_svg rect") : all("#area_svg text").find((one) => one.textContent === "1")),
    "find-greatest": () => {
      const cards = [...document.querySelectorAll(".card")], worth = (one) => +one.textContent;
      return [...click(cards.sort((a, b) => worth(b) - worth(a))[0]), ...submit()];
    },
    "enter-text": () => answer(quoted()[0]),
    "enter-text-dynamic": () => answer(quoted()[0]),
    "enter-text-2": () => answer(query().includes("upper") ? quoted()[0].toUpperCase() : quoted()[0].toLowerCase()),
    "enter-password": () => [...fill("#password", quoted()[0]), ...fill("#verify", quoted()[0]), ...submit()],
    "enter-date": () => [["click", spot(first("#tt"))[0] - 40, spot(first("#tt"))[1]], ["type", query().match(/[\d/]{8,}/)[0].replaceAll("/", "")], ...submit()],
    "enter-time": () => {
      const [, hours, minutes, half] = query().match(/(\d+):(\d+) ?([AP]M)/);
      return [["click", spot(first("#tt"))[0] - 30, spot(first("#tt"))[1]], ["type", hours.padStart(2, "0") + minutes + half], ...submit()];
    },
    "login-user": () => [...fill("#username", quoted()[0]), ...fill("#password", quoted()[1]), ...submit()],
    "login-user-popup": () => {
      if (first("#popup-cancel")) return click(first("#popup-cancel"));
      const empty = ["username", "password"].find((id) => document.getElementById(id).value !== quoted()[id === "password" ? 1 : 0]);
      if (!empty) return click(first("#subbtn"));
      return document.activeElement.id === empty ? [["type", quoted()[empty === "password" ? 1 : 0]]] : click(first(`#${empty}`));
    },
    "simple-arithmetic": () => {
      const [, a, sign, b] = first("#math-problem").textContent.match(/(-?\d+) *([-+x*]) *(-?\d+)/);
      return answer(sign === "+" ? +a + +b : sign === "-" ? a - b : a * b);
    },
    "simple-algebra": () => {
      const [left, right] = first("#math-problem").textContent.split("=").map((side) => side.trim().split(" "));
      const value = (words, x) => words.reduce((sum, word, at) => (/[-+]$/.test(word) && word.length === 1 ? sum
        : sum + (words[at - 1] === "-" ? -1 : 1) * (word === "x" ? x : +word)), 0);
      for (let x = -400; x <= 400; x += 1) if (value(left, x) === value(right, x)) return answer(x);
      return null;
    },
    "guess-number": (turn) => {
      if (!turn) pages.span = [0, 9];
      const higher = first("#higher span"), lower = first("#lower span");
      if (higher) pages.span[0] = +higher.textContent + 1;
      if (lower) pages.span[1] = +lower.textContent - 1;
      const input = document.getElementById("tt");
      return [...click(input), ["key", "Backspace"], ["type", String(Math.floor((pages.span[0] + pages.span[1]) / 2))], ...submit()];
    },
    "copy-paste": () => [...fill("#answer-input", document.getElementById("to-copy").value), ...submit()],
    "read-table": () => {
      const key = query().match(/value of (.*) into/)[1];
      const row = all("#tab tr").find((one) => one.children[0].textContent === key);
      return [...fill("#tt", row.children[1].textContent), ...submit()];
    },
    "search-engine": (turn) => {
      const at = +query().match(/the (\d+)(st|nd|rd|th) search/)[1] - 1;
      if (!turn) return [...fill("#search-text", quoted()[0]), ...click(first("#search"))];
      if (turn === 1) return at < 3 ? [] : click(named(String(Math.floor(at / 3) + 1), "#pagination a"));
      return click(first(`[data-result="${at}"]`));
    },
    "use-autocomplete-nodelay": (turn) => {
      const [begins, ends = ""] = quoted();
      if (!turn) return [...fill("#tags", begins), ["wait", 500]];
      const item = all(".ui-autocomplete li").find((one) => text(one).endsWith(ends.toLowerCase()));
      return turn === 1 && item ? click(item) : submit();
    },
    "use-spinner": () => {
      const wanted = +query().match(/-?\d+/)[0], now = +document.getElementById("spinner").value;
      return wanted === now ? submit() : click(first(wanted > now ? ".ui-spinner-up" : ".ui-spinner-down"));
    },
    "use-slider": (turn) => {
      const wanted = +query().match(/-?\d+/)[0], now = +first("#val").textContent;
      if (!turn) return click(first(".ui-slider-handle"));
      return wanted === now ? submit() : [["key", wanted > now ? "ArrowRight" : "ArrowLeft"]];
    },
    "drag-box": (turn) => (turn ? submit() : [["drag", ...spot(first("#draggableSmall")), ...spot(first("#draggableLarge"))]]),
    "drag-shapes": (turn) => {
      const kind = query().match(/all (\w+?)s into/)[1], box = first("#shape-container").getBoundingClientRect();
      const left = shapes().filter((one) => one.one.id !== "shape-container" && one.kind === kind);
      if (turn >= left.length) return submit();
      return [["drag", ...spot(left[turn].one), box.x + 12 + 14 * (turn % 5), box.y + box.height / 2]];
    },
    "draw-line": (turn) => {
      if (turn) return submit();
      const [x, y] = spot(first("#circ")), flat = query().includes("horizontal");
      return [flat ? ["drag", x - 30, y, x + 30, y] : ["drag", x, y - 30, x, y + 30]];
    },
    "social-media": (turn) => {
      const user = query().match(/user (\S+),/)[1], action = quoted()[0];
      const post = all(".media").find((one) => one.querySelector(".username").textContent === user);
      const plain = post.querySelector(`.${action.toLowerCase().split(" ")[0]}`);
      if (plain && shown(plain) && ["Reply", "Like", "Retweet"].includes(action)) return click(plain);
      return turn ? click([...post.querySelectorAll("li")].find((one) => one.textContent.startsWith(action))) : click(post.querySelector(".more"));
    },
    "email-inbox-important": () => {
      const sender = query().match(/email by (\S+) and/)[1];
      return click(all(".email-thread").find((one) => one.querySelector(".email-sender").textContent === sender).querySelector(".star"));
    },
  };
  return (page, turn) => (pages[page] ? pages[page](turn) : null);
})();
