"""Spatial questions (D): positions and ways, over the tiles discovered by the step asked about.

"Nearest", "closest" and "furthest" count tiles across plus down; directions to a target follow a shortest
walk.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from pitwall_exam.episode.states import Tile
from pitwall_exam.grid.declaration import (
    Programs,
    answers_at,
    number,
    some_steps,
    some_stretches,
    stretch,
    text,
    word,
)
from pitwall_exam.grid.events import STEPS
from pitwall_exam.grid.index import GridIndex
from pitwall_exam.grid.places import nearest
from pitwall_exam.grid.routes import legs, search, way_text, ways
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth

_FEW = 8
_FURTHEST, _BEYOND = 6, 12
"""Most steps of an imagined walk, over known tiles and into the unknown."""


def displacement(dx: int, dy: int) -> tuple[str, ...]:
    """Format a displacement as the answer's format asks, followed by other ways to write it.

    Args:
        dx, dy: tiles to the right, and down.
    """
    across, along = legs(abs(dx), "left" if dx < 0 else "right"), legs(abs(dy), "up" if dy < 0 else "down")
    if dx and dy:
        return f"{across} and {along}", f"{along} and {across}"
    if dx:
        return (
            across,
            f"{across} and 0 steps up/down",
            f"{across} and 0 steps up",
            f"{across} and 0 steps down",
        )
    if dy:
        return (
            along,
            f"0 steps left/right and {along}",
            f"0 steps left and {along}",
            f"0 steps right and {along}",
        )
    return "0 steps left/right and 0 steps up/down", "0", "0 steps", "0 steps left and 0 steps up"


def _displacement(index: GridIndex, slots: Slots) -> Truth:
    part = stretch(index, slots)
    if part is None:
        return NO_ANSWER
    start, end = index.moments[part[0] - 1].before.at, index.moments[part[1] - 1].after.at
    if start is None or end is None:
        return NO_ANSWER
    return answers_at(*displacement(end[0] - start[0], end[1] - start[1]), steps=part)


def _path_length(index: GridIndex, slots: Slots) -> Truth:
    part = stretch(index, slots)
    if part is None:
        return NO_ANSWER
    return answers_at(sum(map(bool, index.moved[part[0] - 1 : part[1]])), steps=part)


# ---- at one step


def _predict(index: GridIndex, slots: Slots) -> Truth:
    """Return the terrain at the end of a walk over known, walkable tiles; the last one may be deadly."""
    step, steps = number(slots, "step"), number(slots, "count")
    here, way = _place(index, step), STEPS.get(text(slots, "direction"))
    if here is None or way is None or steps < 1:
        return NO_ANSWER
    known, words = index.discovered.until(step), index.words
    if steps > len(known):  # further than anything that was discovered
        return NO_ANSWER
    *crossed, there = _line(here, way, steps)
    free, last = words.walkable, known.get(there, "")
    if any(known.get(tile) not in free for tile in crossed) or last not in free | words.deadly:
        return NO_ANSWER
    return answers_at(last, steps=[index.discovered.since(there, step), step])


def _nearest_direction(index: GridIndex, slots: Slots) -> Truth:
    """Return the directions of the nearest tiles, each right if several are equally near."""
    step, terrain = number(slots, "step"), word(slots, "terrain")
    here = _place(index, step)
    if here is None:
        return NO_ANSWER
    known = index.discovered.until(step)
    tiles = nearest(known, here, terrain)
    if not tiles or here in tiles:
        return NO_ANSWER
    directions = sorted({_direction(here, tile) for tile in tiles})
    others = [other for direction in directions for other in _other_spellings(direction)]
    return answers_at(*directions, *others, steps=[index.discovered.since(tiles[0], step), step])


def _navigate(index: GridIndex, slots: Slots) -> Truth:
    step, terrain = number(slots, "step"), word(slots, "terrain")
    here = _place(index, step)
    if here is None:
        return NO_ANSWER
    reached = search(index.discovered.until(step), here, terrain, index.words.walkable)
    if reached is None:
        return NO_ANSWER
    if reached.steps == 0:
        return answers_at("0", "0 steps", steps=[step])
    answers = [way_text(way) for way in ways(reached)]
    for target in reached.targets:
        dx, dy = target[0] - here[0], target[1] - here[1]
        if abs(dx) + abs(dy) == reached.steps:  # no way round: its steps in each direction are a displacement
            answers += displacement(dx, dy)
    return answers_at(
        *answers, steps=[*(index.discovered.since(target, step) for target in reached.targets), step]
    )


# ---- over a stretch


def _extreme(pick: Callable[[Iterable[int]], int]) -> Callable[[GridIndex, Slots], Truth]:
    def find(index: GridIndex, slots: Slots) -> Truth:
        part, terrain = stretch(index, slots), word(slots, "terrain")
        if part is None or (terrain not in index.visible and terrain not in index.grounds):
            return NO_ANSWER
        measured = index.discovered.distances(terrain)
        known = {step: measured[step - 1] for step in range(part[0], part[1] + 1)}
        distances = {step: far for step, far in known.items() if far is not None}
        if not distances:
            return NO_ANSWER
        wanted = pick(distances.values())
        step = next(step for step, far in distances.items() if far == wanted)
        return answers_at(step, steps=[step])

    return find


# ---- choosing


def _stretches(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    return some_stretches(index, chance, _FEW)


def _choose_predict(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose a walkable distance; now and then one that ends on undiscovered tiles.

    A walk never ends on a known tile behind an obstacle, or on a tile that was discovered later: whether
    there is an answer would be a matter of opinion.
    """
    ever = index.discovered.until(len(index))
    for turn, step in enumerate(some_steps(index, chance)):
        here, direction = _place(index, step), chance.choice(tuple(STEPS))
        if here is None:
            continue
        known = index.discovered.until(step)
        tiles = _line(here, STEPS[direction], _BEYOND)
        line = [known.get(tile, "") for tile in tiles]
        free = next((far for far, seen in enumerate(line) if seen not in index.words.walkable), _FURTHEST)
        counts: Sequence[int] = range(1, min(free, _FURTHEST) + 1)
        if turn % 4 == 3:
            counts = [far for far, tile in enumerate(tiles, start=1) if tile not in ever][:_FURTHEST]
        if counts:
            yield {"step": step, "direction": direction, "count": chance.choice(counts)}


def _line(here: Tile, way: tuple[int, int], length: int) -> list[Tile]:
    return [(here[0] + way[0] * far, here[1] + way[1] * far) for far in range(1, length + 1)]


def _choose_target(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose mostly a terrain that was known by then and is not underfoot, or else was never seen."""
    terrains = index.words.terrains
    strange = [name for name in terrains if name not in index.visible and name not in index.grounds]
    for turn, step in enumerate(some_steps(index, chance)):
        known = set(index.discovered.until(step).values())
        ground = index.moments[step - 1].before.ground
        real = [name for name in terrains if name in known and name != ground]
        pool = (strange if turn % 4 == 3 and strange else real) or strange
        if pool:
            yield {"step": step, "terrain": chance.choice(pool)}


def _choose_walk(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose targets, and now and then the terrain underfoot."""
    for turn, slots in enumerate(_choose_target(index, chance)):
        ground = index.moments[int(slots["step"]) - 1].before.ground
        yield {**slots, "terrain": ground} if turn % 8 == 6 and ground else slots


def _choose_extreme(index: GridIndex, chance: random.Random) -> Iterator[Slots]:
    """Choose mostly terrains that were seen but not always near: many steps would tie."""
    seen = [name for name in index.words.terrains if name in index.visible]
    far = [name for name in seen if name not in index.grounds] or seen
    strange = [name for name in index.words.terrains if name not in index.visible]
    for turn, part in enumerate(some_stretches(index, chance, 2 * _FEW)):
        pool = (strange if turn % 4 == 3 else far) or seen or strange
        if pool:
            yield {**part, "terrain": chance.choice(pool)}


def _place(index: GridIndex, step: int) -> Tile | None:
    moment = index.at(step)
    return moment.before.at if moment is not None else None


def _direction(here: Tile, there: Tile) -> str:
    dx, dy = there[0] - here[0], there[1] - here[1]
    parts = ("up" if dy < 0 else "down" if dy else "", "left" if dx < 0 else "right" if dx else "")
    return "-".join(part for part in parts if part)


def _other_spellings(direction: str) -> list[str]:
    along, _, across = direction.partition("-")
    if not across:
        return []
    return [f"{along} and {across}", f"{across}-{along}", f"{across} and {along}", f"{along} {across}"]


SPATIAL: Programs = {
    "D_displacement": (_stretches, _displacement),
    "D_path_length": (_stretches, _path_length),
    "D_predict_terrain": (_choose_predict, _predict),
    "D_nearest_dir": (_choose_target, _nearest_direction),
    "D_nav_to_target": (_choose_walk, _navigate),
    "D_min_dist": (_choose_extreme, _extreme(min)),
    "D_max_dist": (_choose_extreme, _extreme(max)),
}
