"""Events, by the words in which the published questions name them ("the step when …"), and their steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pitwall.exam.compat.rules.steps import STATS
from pitwall.exam.compat.span import Span
from pitwall.exam.compat.terrain import IDS
from pitwall.exam.compat.world import World

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
"""Events that questions are drawn about. Others of the same wording are read as well."""

_STAT = "|".join(STATS)
_Finder = Callable[[World, re.Match[str]], int | None]


def event_step(world: World, event: str | int) -> int | None:
    """The step of an event, from 0; None where it never came.

    Placing counts from the first attempt, whether it worked or not; any fall of health is an enemy's; the
    last step counts as death, dead or not.

    Raises:
        ValueError: no event is named like this.
    """
    for pattern, find in _FINDERS:
        if (found := pattern.fullmatch(str(event))) is not None:
            return find(world, found)
    raise ValueError(f"no event is called {event!r}")


def low(condition: str | int) -> tuple[str, int]:
    """Name the stat that E_event_count counts, and the most that it may be.

    Raises:
        ValueError: it is no such condition.
    """
    found = _CONDITION.fullmatch(str(condition))
    if found is None:
        raise ValueError(f"nothing is counted by {condition!r}")
    stat, most, below = found.groups()
    return STATS[stat], int(most) if most is not None else int(below) - 1


_CONDITION = re.compile(rf"your ({_STAT}) was (?:(\d+) or lower|below (\d+))")


def rises(world: World, span: Span, name: str) -> list[int]:
    """Steps with more of something than the step before, from the stretch's second step on."""
    return [s for s in range(span.lo + 1, span.hi + 1) if world.stat(s, name) > world.stat(s - 1, name)]


def _rise(world: World, name: str) -> int | None:
    return _first(rises(world, Span(0, world.last), name))


def _done(world: World, action: str) -> int | None:
    return _first(step for step, row in enumerate(world.steps) if row.action == action)


def _at_most(world: World, stat: str, most: int) -> int | None:
    name = STATS[stat]
    return _first(step for step in range(len(world.steps)) if world.stat(step, name) <= most)


def _stood_on(world: World, terrain: str) -> int | None:
    sought = IDS.get(terrain)
    return _first(step for step in range(len(world.steps)) if world.underfoot(step) == sought)


def _first(steps: Iterable[int]) -> int | None:
    return next(iter(steps), None)


_FINDERS: tuple[tuple[re.Pattern[str], _Finder], ...] = tuple(
    (re.compile(words), find)
    for words, find in (
        (r"you first placed an? (\w+)", lambda world, said: _done(world, f"PLACE_{said.group(1).upper()}")),
        (r"you first drank from a lake", lambda world, _: _rise(world, "drink")),
        (r"you first ate any food", lambda world, _: _rise(world, "food")),
        (r"you first stepped onto an? (\w+) tile", lambda world, said: _stood_on(world, said.group(1))),
        (r"you first took damage from an enemy", lambda world, _: _first(world.drops())),
        (
            rf"your ({_STAT}) first became (\d+) or lower",
            lambda world, said: _at_most(world, said.group(1), int(said.group(2))),
        ),
        (
            rf"your ({_STAT}) first dropped below (\d+)",
            lambda world, said: _at_most(world, said.group(1), int(said.group(2)) - 1),
        ),
        (r"you first collected (?:a |an |any |some )?(\w+)", lambda world, said: _rise(world, said.group(1))),
        (r"you died at the end of the episode", lambda world, _: world.last),
    )
)
