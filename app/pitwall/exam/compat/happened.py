"""Rules of the templates E_*: events, their order, what was so around them. No horizon holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pitwall.exam.compat.published import NOT_ANSWERABLE, Truth
from pitwall.exam.compat.recalled import STATS
from pitwall.exam.compat.span import Span
from pitwall.exam.compat.terrain import NAMES, SAND
from pitwall.exam.compat.world import World
from pitwall.exam.forms import Slots

LOW_HEALTH, LOW_NEED = 2, 2
"""Health "became 2 or lower"; a need "dropped below 3"."""


def _action(name: str) -> Callable[[World], int | None]:
    return lambda world: _first(step for step, row in enumerate(world.steps) if row.action == name)


def _low(name: str, most: int) -> Callable[[World], int | None]:
    return lambda world: _first(s for s in range(len(world.steps)) if world.stat(s, name) <= most)


def _rise(name: str) -> Callable[[World], int | None]:
    return lambda world: _first(rises(world, Span(0, world.last), name))


def _onto_sand(world: World) -> int | None:
    return _first(step for step in range(len(world.steps)) if world.underfoot(step) == SAND)


EVENTS: dict[str, Callable[[World], int | None]] = {
    "you first placed a table": _action("PLACE_TABLE"),
    "you first placed a furnace": _action("PLACE_FURNACE"),
    "you first drank from a lake": _rise("drink"),
    "you first ate any food": _rise("food"),
    "you first stepped onto a sand tile": _onto_sand,
    "you first took damage from an enemy": lambda world: _first(world.drops()),
    "your health first became 2 or lower": _low("health", LOW_HEALTH),
    "your food first dropped below 3": _low("food", LOW_NEED),
    "your water first dropped below 3": _low("drink", LOW_NEED),
    "your rest first dropped below 3": _low("energy", LOW_NEED),
    "you died at the end of the episode": lambda world: world.last,
}
"""What questions call "the step when …" → its step; None where it never came.

Placing counts from the first attempt, whether it worked or not. The last step counts as death, dead or not.
"""
COUNTED = {
    "your health was 2 or lower": ("health", LOW_HEALTH),
    "your food was below 3": ("food", LOW_NEED),
    "your water was below 3": ("drink", LOW_NEED),
    "your rest was below 3": ("energy", LOW_NEED),
}
"""What E_event_count counts → the log's name and the most it may be."""
UNDERFOOT = "the terrain directly under you"
STATES = {UNDERFOOT: "", **{f"your {asked} value": name for asked, name in STATS.items()}}
"""What is asked of a step beside an event → the log's name."""


def order(world: World, _span: Span, slots: Slots) -> Truth:
    """E_event_order: "after" also where both came at once."""
    one, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    if one is None or other is None:
        return NOT_ANSWERABLE
    return "before" if one < other else "after"


def interval(world: World, _span: Span, slots: Slots) -> Truth:
    """E_event_interval."""
    one, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    return NOT_ANSWERABLE if one is None or other is None else other - one


def count(world: World, _span: Span, slots: Slots) -> Truth:
    """E_event_count: steps between two events, both included, at which something was low."""
    one, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    if one is None or other is None:
        return NOT_ANSWERABLE
    name, most = COUNTED[str(slots["low"])]
    return sum(world.stat(step, name) <= most for step in Span(one, other).steps)


def state_before(world: World, _span: Span, slots: Slots) -> Truth:
    """E_state_before_event."""
    return _state(world, slots, -1)


def state_after(world: World, _span: Span, slots: Slots) -> Truth:
    """E_state_after_event."""
    return _state(world, slots, 1)


def event_step(world: World, event: str | int) -> int | None:
    """The step of an event of EVENTS; None where it never came."""
    return EVENTS[str(event)](world)


def rises(world: World, span: Span, name: str) -> list[int]:
    """Steps with more of something than the step before, from the stretch's second step on."""
    return [s for s in range(span.lo + 1, span.hi + 1) if world.stat(s, name) > world.stat(s - 1, name)]


def _state(world: World, slots: Slots, sign: int) -> Truth:
    event = event_step(world, slots["event"])
    if event is None:
        return NOT_ANSWERABLE
    step = event + sign * int(slots["offset"])
    if not 0 <= step <= world.last:
        return NOT_ANSWERABLE
    asked = str(slots["state"])
    if asked == UNDERFOOT:
        return NAMES[world.underfoot(step)]
    return world.stat(step, STATES[asked])


def _first(steps: Iterable[int]) -> int | None:
    return next(iter(steps), None)
