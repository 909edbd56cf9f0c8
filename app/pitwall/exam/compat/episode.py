"""An episode as the published log tells it: one row a step, written after the step's action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Tile = tuple[int, int]
"""(x, y): x to the right, y down, from the map's upper left corner."""


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """Holds one row of a log.

    Attributes:
        action: as published, like "MOVE_LEFT".
        at: where the player stood after it.
        inventory: what it had after it: health, food, drink and energy too.
        achievements: how often each was earned until then.
        reason: the agent's; empty where it gave none.
    """

    action: str
    at: Tile
    inventory: Mapping[str, int]
    achievements: Mapping[str, int]
    reason: str = ""


@dataclass(frozen=True)
class Episode:
    """Rows and the map at the beginning.

    Attributes:
        steps: in order, at least one.
        ground: rows of terrain ids (`terrain.NAMES`), ground[y][x]; all of one length.
    """

    steps: tuple[LoggedStep, ...]
    ground: tuple[tuple[int, ...], ...]

    @property
    def last(self) -> int:
        """Index of the last step, from 0."""
        return len(self.steps) - 1
