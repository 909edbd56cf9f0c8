"""Rules of the templates A_* and B_*: facts of a step, and steps of an occurrence."""

from __future__ import annotations

from pitwall_exam.compat.episode import IDS, Span, name_of, occurrence
from pitwall_exam.compat.template import NOT_ANSWERABLE, Truth
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

STATS = {"health": "health", "food": "food", "water": "drink", "rest": "energy"}
"""Name in questions → name in the log."""


def action(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer A_action."""
    step = step_of(world, slots)
    return NOT_ANSWERABLE if step is None else world.steps[step].action


def reason(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer A_reason: empty if no reason was given."""
    step = step_of(world, slots)
    return NOT_ANSWERABLE if step is None else world.steps[step].reason


def stat(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer A_stat."""
    step = step_of(world, slots)
    return NOT_ANSWERABLE if step is None else world.stat(step, STATS[str(slots["stat"])])


def terrain(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer A_terrain: on the map after the step."""
    step = step_of(world, slots)
    return NOT_ANSWERABLE if step is None else name_of(world.underfoot(step))


def inventory(world: World, _span: Span, slots: Slots) -> Truth:
    """Answer A_inventory."""
    step = step_of(world, slots)
    return NOT_ANSWERABLE if step is None else world.stat(step, str(slots["resource"]))


def when(world: World, span: Span, slots: Slots) -> Truth:
    """Answer A_occ_*: a step's number, from 1."""
    step = occurrence_step(world, span, slots)
    return NOT_ANSWERABLE if step is None else step + 1


def beside(world: World, span: Span, slots: Slots) -> Truth:
    """Answer B_*: the action some steps before or after, if that step is still in the range."""
    step = occurrence_step(world, span, slots)
    if step is None:
        return NOT_ANSWERABLE
    offset = int(slots["offset"])
    there = step - offset if slots["side"] == "before" else step + offset
    return world.steps[there].action if there in span else NOT_ANSWERABLE


def occurrence_step(world: World, span: Span, slots: Slots) -> int | None:
    """Return the occurrence that A_occ_* and B_* ask about, from 0; None if there is none."""
    return occurrence(_matching(world, span, slots), str(slots["which"]))


def mentions(world: World, span: Span, keyword: str) -> list[int]:
    """List the steps whose reason contains a keyword, even within another word ("eat" in "great")."""
    sought = keyword.lower()
    return [step for step in span.steps if sought in world.steps[step].reason.lower()]


def step_of(world: World, slots: Slots) -> int | None:
    """Return the index of the step that a question names; None outside the episode."""
    step = int(slots["step"]) - 1
    return step if 0 <= step <= world.last else None


def _matching(world: World, span: Span, slots: Slots) -> list[int]:
    if "action" in slots:
        return [step for step in span.steps if world.steps[step].action == slots["action"]]
    if "keyword" in slots:
        return mentions(world, span, str(slots["keyword"]))
    sought = IDS.get(str(slots["terrain"]))
    return [step for step in span.steps if world.underfoot(step) == sought]
