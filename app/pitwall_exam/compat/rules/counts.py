"""Rules of the templates C_*: counts and extremes over a range."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from pitwall_exam.compat.episode import IDS, TREE, Span
from pitwall_exam.compat.rules.steps import mentions
from pitwall_exam.compat.template import NOT_ANSWERABLE, Truth
from pitwall_exam.compat.world import MOVES, World
from pitwall_exam.questions.forms import Slots


def keyword_count(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_keyword_count: steps, not mentions."""
    return len(mentions(world, span, str(slots["keyword"])))


def most_move(world: World, span: Span, _slots: Slots) -> Truth:
    """Answer C_most_move: blocked moves count too; if several are equal, the first by name."""
    moves = Counter(action for step in span.steps if (action := world.steps[step].action) in MOVES)
    if not moves:
        return NOT_ANSWERABLE
    return min(moves, key=lambda name: (-moves[name], name))


def longest_run(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_longest_run: 0 if the action never came."""
    runs = groupby(world.steps[step].action for step in span.steps)
    return max((len(list(same)) for action, same in runs if action == slots["action"]), default=0)


def collected(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_collect_res: steps with a rise, from the range's second step on."""
    name = str(slots["resource"])
    return sum(
        world.stat(step, name) > world.stat(step - 1, name) for step in range(span.lo + 1, span.hi + 1)
    )


def change(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_resource_change: the amount after the range's last step, less that after its first."""
    name = str(slots["resource"])
    return world.stat(span.hi, name) - world.stat(span.lo, name)


def peak(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer C_resource_peak and G_unused_resource_peak: the first maximum, whatever the horizon."""
    name = str(slots["resource"])
    most = max(world.stat(step, name) for step in range(len(world.steps)))
    if most < 1:
        return NOT_ANSWERABLE
    return next(step + 1 for step in range(len(world.steps)) if world.stat(step, name) == most)


def visible_count(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_visible_count."""
    sought = IDS.get(str(slots["terrain"]))
    return sum(sought in world.in_view[step] for step in span.steps)


def adjacent_count(world: World, span: Span, slots: Slots) -> Truth:
    """Answer C_adjacent_count: above, below, left or right of the player."""
    sought = IDS.get(str(slots["terrain"]))
    return sum(_beside(world, step, sought) for step in span.steps)


def distinct_trees(world: World, span: Span, _slots: Slots) -> Truth:
    """Answer C_distinct_trees: tiles that were a tree while in view."""
    return len(
        {tile for step in span.steps for tile in world.view(step) if world.terrain(tile, step) == TREE}
    )


def _beside(world: World, step: int, sought: int | None) -> bool:
    x, y = world.at(step)
    return any(world.terrain((x + dx, y + dy), step) == sought for dx, dy in MOVES.values())
