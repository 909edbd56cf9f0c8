"""An episode from a published log: one row per step, written after the step's action."""

from __future__ import annotations

from collections.abc import Mapping
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
