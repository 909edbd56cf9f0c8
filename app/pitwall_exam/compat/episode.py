"""An episode from a published log: its rows and map, its terrain, and ranges of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Tile = tuple[int, int]
"""(x, y): x to the right, y down, from the map's upper left corner."""


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """One row of a log.

    Attributes:
        action: as published, like "MOVE_LEFT".
        at: the player's position after it.
        inventory: the player's amounts after it, health, food, drink and energy included.
        achievements: how often each was earned so far.
        reason: the agent's reason; empty if it gave none.
    """

    action: str
    at: Tile
    inventory: Mapping[str, int]
    achievements: Mapping[str, int]
    reason: str = ""


@dataclass(frozen=True)
class Episode:
    """The rows of an episode, and its initial map.

    Attributes:
        steps: in order, at least one.
        ground: rows of terrain ids (`terrain.NAMES`), ground[y][x]; all of one length.
    """

    steps: tuple[LoggedStep, ...]
    ground: tuple[tuple[int, ...], ...]

    @property
    def last(self) -> int:
        """Return the index of the last step, from 0."""
        return len(self.steps) - 1


NAMES = (
    *("lake", "grass", "stone", "path", "sand", "tree"),
    *("coal", "iron", "diamond", "lava", "table", "furnace"),
)
"""Name of each id. The map's digits are Crafter's material ids less one, where 6 is lava, 7 coal, 8 iron and
9 diamond; the questions call lava coal, coal iron, iron diamond and diamond lava.
"""

IDS = {name: number for number, name in enumerate(NAMES)}

LAKE, GRASS, STONE, PATH, SAND, TREE = range(6)
TABLE, FURNACE = IDS["table"], IDS["furnace"]

WALKABLE = frozenset({GRASS, PATH, SAND, 6})
"""Terrains a way may cross; 6 among them, which is really lava."""

NOWHERE = -1
"""Outside the map, or never seen."""


def name_of(number: int) -> str:
    """Return a terrain's published name; "" for NOWHERE."""
    return NAMES[number] if number >= 0 else ""


@dataclass(frozen=True, slots=True)
class Span:
    """Steps lo … hi, inclusive, from 0.

    Attributes:
        whole: no horizon was set, so questions mention none.
    """

    lo: int
    hi: int
    whole: bool = False

    def __len__(self) -> int:
        return max(self.hi - self.lo + 1, 0)

    @property
    def steps(self) -> range:
        """Return the steps of the range, in order."""
        return range(self.lo, self.hi + 1)

    def __contains__(self, step: int) -> bool:
        return self.lo <= step <= self.hi

    @classmethod
    def until(cls, last: int, horizon: int) -> Span:
        """Return the episode's first `horizon` steps; all of them if the horizon is −1 or beyond `last`."""
        return cls(0, last, whole=True) if horizon < 1 else cls(0, min(horizon - 1, last))

    def within(self, last: int) -> Span:
        """Cut the range to the length of the episode.

        Raises:
            ValueError: no step remains.
        """
        lo, hi = max(self.lo, 0), min(self.hi, last)
        if lo > hi:
            raise ValueError(f"steps {self.lo + 1} to {self.hi + 1} are none of the episode's {last + 1}")
        return Span(lo, hi, self.whole)


OCCURRENCES: Sequence[str] = ("first", "second", "third", "last")
_PLACES = {"first": 0, "second": 1, "third": 2, "last": -1, "second last": -2}


def occurrence(steps: Sequence[int], which: str) -> int | None:
    """Return the first, second, third, last or second last of some steps; None if there are fewer."""
    place = _PLACES[which.lower()]
    return steps[place] if -len(steps) <= place < len(steps) else None
