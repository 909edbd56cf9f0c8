"""Rules of the templates E_*: events, their order, and stats around them. No horizon applies here."""

from __future__ import annotations

from pitwall_exam.compat.episode import Span, name_of
from pitwall_exam.compat.rules.events import event_step, happening
from pitwall_exam.compat.rules.steps import STATS
from pitwall_exam.compat.template import NOT_ANSWERABLE, Rule, Truth
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

COUNTED = (
    *(f"your {stat} was {'2 or lower' if stat == 'health' else 'below 3'}" for stat in STATS),
    *("you were attacked", "you drank from a lake"),
)
"""The conditions that drawn questions of E_event_count count."""
UNDERFOOT = "the terrain directly under you"
STATES = {UNDERFOOT: "", **{f"your {asked} value": name for asked, name in STATS.items()}}
"""The facts asked about a step near an event → the log's name."""


def order(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer E_event_order: "after" also if both came at once."""
    first, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    if first is None or other is None:
        return NOT_ANSWERABLE
    return "before" if first < other else "after"


def interval(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer E_event_interval."""
    first, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    return NOT_ANSWERABLE if first is None or other is None else other - first


def count(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer E_event_count: steps from one event to another, both included, at which a condition held."""
    first, other = event_step(world, slots["event"]), event_step(world, slots["other"])
    if first is None or other is None:
        return NOT_ANSWERABLE
    return sum(map(happening(world, slots["counted"]), Span(first, other).steps))


def _state(sign: int) -> Rule:
    """Build a rule of E_state_before_event (-1) or E_state_after_event (1)."""

    def find(world: World, _span: Span, slots: Slots) -> Truth:
        event = event_step(world, slots["event"])
        step = event + sign * int(slots["offset"]) if event is not None else -1
        if not 0 <= step <= world.last:
            return NOT_ANSWERABLE
        asked = str(slots["state"])
        return name_of(world.underfoot(step)) if asked == UNDERFOOT else world.stat(step, STATES[asked])

    return find


state_before, state_after = _state(-1), _state(1)
