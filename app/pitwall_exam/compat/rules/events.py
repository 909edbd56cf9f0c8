"""Events by their published wording ("the step when …"), and their steps."""

from __future__ import annotations

import re
from collections.abc import Callable

from pitwall_exam.compat.episode import IDS, Span
from pitwall_exam.compat.rules.steps import STATS
from pitwall_exam.compat.world import World

ASKED = (
    "you first placed a table",
    "you first placed a furnace",
    "you first drank from a lake",
    "you first ate any food",
    "you first stepped onto a sand tile",
    "you first took damage from an enemy",
    "your health first became 2 or lower",
    "your food first dropped below 3",
    "your water first dropped below 3",
    "your rest first dropped below 3",
    "you died at the end of the episode",
)
"""Events that drawn questions ask about. Other events of the same wordings are also understood."""

_STAT = "|".join(STATS)
_Happens = Callable[[World, str, int], bool]


def happening(world: World, words: str | int) -> Callable[[int], bool]:
    """Return a test of whether an event happens at a step.

    Wordings of a first time ("you first ate any food") and of any ("you ate any food") give the same test.

    Placing counts from the first attempt, even a failed one; any fall of health counts as an enemy's; the
    last step counts as death, dead or not.

    Raises:
        ValueError: no event has this wording.
    """
    for pattern, happens in _EVENTS:
        if (match := pattern.fullmatch(str(words))) is not None:
            detail = " ".join(match.groups())
            return lambda step: happens(world, detail, step)
    raise ValueError(f"no event is called {words!r}")


def event_step(world: World, event: str | int) -> int | None:
    """Return the first step of an event, from 0; None if it never came. Raises ValueError as `happening`."""
    return next(filter(happening(world, event), range(len(world.steps))), None)


def rises(world: World, span: Span, name: str) -> list[int]:
    """List the steps with more of a stat than the step before, from the range's second step on."""
    return [step for step in range(span.lo + 1, span.hi + 1) if _risen(world, name, step)]


def _risen(world: World, name: str, step: int) -> bool:
    return step > 0 and world.stat(step, name) > world.stat(step - 1, name)


def _at_most(world: World, detail: str, step: int) -> bool:
    stat, most = detail.split()
    return world.stat(step, STATS[stat]) <= int(most)


def _below(world: World, detail: str, step: int) -> bool:
    stat, least = detail.split()
    return world.stat(step, STATS[stat]) < int(least)


_EVENTS: tuple[tuple[re.Pattern[str], _Happens], ...] = tuple(
    (re.compile(words), happens)
    for words, happens in (
        (
            r"you (?:first )?placed an? (\w+)",
            lambda world, detail, step: world.steps[step].action == f"PLACE_{detail.upper()}",
        ),
        (r"you (?:first )?drank from a lake", lambda world, _, step: _risen(world, "drink", step)),
        (r"you (?:first )?ate any food", lambda world, _, step: _risen(world, "food", step)),
        (
            r"you (?:first )?stepped onto an? (\w+) tile",
            lambda world, detail, step: world.underfoot(step) == IDS.get(detail),
        ),
        (
            r"you (?:first took damage from an enemy|were attacked)",
            lambda world, _, step: world.hurt(step),
        ),
        (rf"your ({_STAT}) (?:first became|was) (\d+) or lower", _at_most),
        (rf"your ({_STAT}) (?:first dropped|was) below (\d+)", _below),
        (
            r"you (?:first )?collected (?:a |an |any |some )?(\w+)",
            lambda world, detail, step: _risen(world, detail, step),
        ),
        (r"you died at the end of the episode", lambda world, _, step: step == world.last),
    )
)
