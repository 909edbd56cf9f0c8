"""Rules of the templates D_* and G_unreachable_nav: positions, directions and distances."""

from __future__ import annotations

from collections.abc import Iterable

from pitwall_exam.compat.episode import IDS, LAKE, NAMES, NOWHERE, Span, Tile
from pitwall_exam.compat.routes import joined, leg_text, nearest_ways
from pitwall_exam.compat.rules.steps import step_of
from pitwall_exam.compat.template import NOT_ANSWERABLE, Rule, Truth
from pitwall_exam.compat.world import MOVES, SPAWN, World
from pitwall_exam.questions.forms import Slots


def displacement(world: World, span: Span, _slots: Slots) -> Truth:
    """Answer D_displacement: from the spawn without a horizon, else from after the range's first step."""
    start = SPAWN if span.whole else world.at(span.lo)
    end = world.at(span.hi)
    x, y = end[0] - start[0], end[1] - start[1]
    pieces = [(abs(x), "left" if x < 0 else "right"), (abs(y), "up" if y < 0 else "down")]
    return joined([leg_text(steps, turn) for steps, turn in pieces if steps])


def path_length(world: World, span: Span, _slots: Slots) -> Truth:
    """Answer D_path_length: steps that changed the position, the very first one from the spawn."""
    return sum(world.at(step) != world.at(step - 1) for step in span.steps)


def predict_terrain(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer D_predict_terrain: the terrain that many tiles away, whatever bars the way; never a lake."""
    step = step_of(world, slots)
    if step is None:
        return NOT_ANSWERABLE
    dx, dy = MOVES[f"MOVE_{str(slots['turn']).upper()}"]
    x, y = world.at(step)
    steps = int(slots["offset"])
    tile = (x + dx * steps, y + dy * steps)
    there = world.terrain(tile, step)
    known = there not in (LAKE, NOWHERE) and world.discovered(tile, step)
    return NAMES[there] if known else NOT_ANSWERABLE


def nearest_direction(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer D_nearest_dir: rows plus columns as the crow flies, over the tiles in view by then."""
    step, sought = step_of(world, slots), IDS.get(str(slots["terrain"]))
    if step is None or sought is None:
        return NOT_ANSWERABLE
    here = world.at(step)
    tiles = [
        tile
        for tile, seen in world.first_seen.items()
        if seen <= step and tile != here and world.terrain(tile, step) == sought
    ]
    return _one_or_all(sorted({_direction(here, tile) for tile in _nearest(here, tiles)}))


def way_to_target(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer D_nav_to_target over the final map, seen or not."""
    step, sought = step_of(world, slots), IDS.get(str(slots["terrain"]))
    if step is None or sought is None:
        return NOT_ANSWERABLE
    return _one_or_all(nearest_ways(world.final, world.at(step), sought) or [])


def way_to_unseen(world: World, span: Span, slots: Slots) -> Truth:
    """Answer G_unreachable_nav: not answerable for a terrain that never came into view in the range."""
    sought = IDS.get(str(slots["terrain"]))
    if not any(sought in world.in_view[step] for step in span.steps):
        return NOT_ANSWERABLE
    return way_to_target(world, span, slots)


def _extreme(sign: int) -> Rule:
    """Build a rule of D_min_dist (-1) or D_max_dist (1): the first such step with a way to the target."""

    def find(world: World, span: Span, slots: Slots) -> Truth:
        sought = IDS.get(str(slots["terrain"]))
        if sought is None:
            return NOT_ANSWERABLE
        known = {step: world.distance(step, sought) for step in span.steps}
        reached = {step: sign * distance for step, distance in known.items() if distance is not None}
        return max(reached, key=reached.__getitem__) + 1 if reached else NOT_ANSWERABLE

    return find


closest, furthest = _extreme(-1), _extreme(1)


def _nearest(here: Tile, tiles: Iterable[Tile]) -> list[Tile]:
    far = {tile: abs(tile[0] - here[0]) + abs(tile[1] - here[1]) for tile in tiles}
    least = min(far.values(), default=0)
    return [tile for tile, steps in far.items() if steps == least]


def _direction(here: Tile, tile: Tile) -> str:
    x, y = tile[0] - here[0], tile[1] - here[1]
    words = ("up" if y < 0 else "down" if y > 0 else "", "left" if x < 0 else "right" if x > 0 else "")
    return "-".join(word for word in words if word)


def _one_or_all(answers: list[str]) -> Truth:
    if len(answers) == 1:
        return answers[0]
    return answers or NOT_ANSWERABLE
