"""Rules of the templates A_* and B_*: facts of a step, and steps of an occurrence."""

from __future__ import annotations

from collections.abc import Callable

from pitwall_exam.compat.episode import IDS, Span, name_of, occurrence
from pitwall_exam.compat.template import NOT_ANSWERABLE, Rule, Truth
from pitwall_exam.compat.world import World
from pitwall_exam.questions.forms import Slots

STATS = {"health": "health", "food": "food", "water": "drink", "rest": "energy"}
"""Name in questions → name in the log."""


def at_step(read: Callable[[World, int, Slots], int | str]) -> Rule:
    """Build a rule of A_*: a fact of the step that the question names."""

    def find(world: World, _span: Span, slots: Slots) -> Truth:
        step = step_of(world, slots)
        return NOT_ANSWERABLE if step is None else read(world, step, slots)

    return find


action = at_step(lambda world, step, _: world.steps[step].action)
reason = at_step(lambda world, step, _: world.steps[step].reason)
stat = at_step(lambda world, step, slots: world.stat(step, STATS[str(slots["stat"])]))
terrain = at_step(lambda world, step, _: name_of(world.underfoot(step)))
inventory = at_step(lambda world, step, slots: world.stat(step, str(slots["resource"])))


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
