"use strict";

/*
 * The four wisps. On each cell a wisp takes the way, never back, whose next cell is nearest to its aim:
 *   ember  the hedgehog's cell, and it knows the shortest way while it hunts
 *   rose   four cells before the hedgehog
 *   frost  the place that lies as far beyond the hedgehog as ember lies before it
 *   dusk   the hedgehog's cell while it is farther than seven cells, else its own corner
 * For five seconds each aims at its own corner, then for twenty at the hedgehog, and so on. After a moon berry they
 * turn round and stray by chance; a caught wisp goes back to the middle.
 */

const WISPS = [
  { name: "ember", corner: { x: 17, y: 0 }, wait: 0 },
  { name: "rose", corner: { x: 1, y: 0 }, wait: 2.5 },
  { name: "frost", corner: { x: 17, y: 20 }, wait: 5 },
  { name: "dusk", corner: { x: 1, y: 20 }, wait: 8 },
];
const ROSE_AHEAD = 4;
const DUSK_NEAR = 7;

/* Somebody who walks from cell to cell: on its way from `cell` to the next, `part` of it walked. */
class Walker {
  constructor(cell, way) {
    this.cell = { ...cell };
    this.way = way;
    this.part = 0;
    this.walks = false;
  }

  get place() {
    const [dx, dy] = this.walks ? WAYS[this.way] : [0, 0];
    return { x: this.cell.x + dx * this.part, y: this.cell.y + dy * this.part };
  }

  turnBack() {
    if (this.walks) {
      this.cell = beside(this.cell, this.way);
      this.part = 1 - this.part;
    }
    this.way = BACK[this.way];
  }

  /* Walk so far; `choose` names the way on each cell, or null to stand. */
  walk(cells, choose) {
    if (!this.walks) this.choose(choose);
    if (!this.walks) return;
    this.part += cells;
    if (this.part < 1) return;
    this.part -= 1;
    this.cell = beside(this.cell, this.way);
    this.choose(choose);
    if (!this.walks) this.part = 0;
  }

  choose(choose) {
    const way = choose(this.cell);
    this.walks = way !== null;
    if (this.walks) this.way = way;
  }
}

class Wisp extends Walker {
  constructor({ name, corner, wait }) {
    super(CENTRE, "up");
    Object.assign(this, { name, corner, wait, state: "free" });
  }

  /* Where it wants to go; `resting` while each goes to its corner. */
  aim(game, resting) {
    const { hero } = game;
    if (this.state === "caught") return CENTRE;
    if (resting) return this.corner;
    const [dx, dy] = WAYS[hero.way];
    const ahead = (far) => ({ x: hero.cell.x + far * dx, y: hero.cell.y + far * dy });
    if (this.name === "rose") return ahead(ROSE_AHEAD);
    if (this.name === "frost") {
      const ember = game.wisps[0].cell;
      return { x: 2 * hero.cell.x - ember.x, y: 2 * hero.cell.y - ember.y };
    }
    if (this.name === "dusk" && apart(this.cell, hero.cell) <= DUSK_NEAR) return this.corner;
    return hero.cell;
  }

  next(game, cell, resting) {
    const ways = openWays(game.garden.open, cell);
    const on = ways.filter((way) => way !== BACK[this.way]);
    const choice = on.length ? on : ways;
    if (this.state === "afraid") return choice[Math.floor(choice.length * Math.random())];
    const aim = this.aim(game, resting);
    const knows = this.name === "ember" && this.state === "free" && !resting;
    const steps = knows ? stepsTo(game.garden.open, aim) : null;
    const far = (way) => {
      const { x, y } = beside(cell, way);
      return steps ? steps.get(cellKey(x, y)) : apart({ x, y }, aim);
    };
    return choice.reduce((best, way) => (far(way) < far(best) ? way : best));
  }
}

function apart(place, other) {
  return Math.hypot(place.x - other.x, place.y - other.y);
}
