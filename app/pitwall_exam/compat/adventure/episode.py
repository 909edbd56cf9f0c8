"""An episode of a text adventure from its published log, and the events in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from pitwall_exam.text.commands import direction_of, whole

_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class AdventureStep:
    """One row of a log.

    Attributes:
        location, inventory, valid, observation: before the action.
        outcome: the game's reply to the action. total: the rewards so far, including this step's.
    """

    location: str
    inventory: tuple[str, ...]
    valid: tuple[str, ...]
    observation: str
    action: str
    reason: str
    outcome: str
    total: float


class Adventure:
    """An episode up to a horizon, indexed for the published rules. Steps are indexes from 0.

    Args:
        steps: the whole log. last: the last step that questions cover.
    """

    def __init__(self, steps: Sequence[AdventureStep], last: int) -> None:
        self._log = tuple(steps)
        self.steps = self._log[: last + 1]

    def carried_after(self, step: int) -> tuple[str, ...] | None:
        """Return the inventory after a step's action; None if the log ends with it."""
        return self._log[step + 1].inventory if 0 <= step < len(self._log) - 1 else None

    def mentions(self, source: str, keyword: str) -> list[int]:
        """List the steps whose reason or observation has a keyword as a whole word."""
        search = whole(keyword).search
        return [number for number, step in enumerate(self.steps) if search(getattr(step, source.lower()))]

    @cached_property
    def gained(self) -> dict[str, list[int]]:
        """Return item → steps whose action brought it."""
        return _indexed(
            (item, step)
            for step, row in enumerate(self.steps)
            for item in self.carried_after(step) or ()
            if item not in row.inventory
        )

    @cached_property
    def entered(self) -> dict[str, list[int]]:
        """Return location → its first steps after another location."""
        return _indexed(
            (row.location, step)
            for step, row in enumerate(self.steps)
            if not step or self.steps[step - 1].location != row.location
        )

    @cached_property
    def left(self) -> dict[str, list[int]]:
        """Return location → the first steps elsewhere after it."""
        return _indexed((self.steps[step - 1].location, step) for step, _ in self._moves())

    @cached_property
    def ways(self) -> dict[str, dict[str, str]]:
        """Return location → direction → where it led the last time."""
        led: dict[str, dict[str, str]] = {}
        for step, there in self._moves():
            row = self.steps[step - 1]
            if way := direction_of(row.action):
                led.setdefault(row.location, {})[way] = there
        return led

    def reach(self, start: str) -> dict[str, int]:
        """Return each reachable location → fewest moves, over all walked ways."""
        far, queue = {start: 0}, deque([start])
        while queue:
            here = queue.popleft()
            for there in self._beside.get(here, ()):
                if there not in far:
                    far[there] = far[here] + 1
                    queue.append(there)
        return far

    @cached_property
    def _beside(self) -> dict[str, list[str]]:
        return _indexed((self.steps[step - 1].location, there) for step, there in self._moves())

    def _moves(self) -> Iterator[tuple[int, str]]:
        for step in range(1, len(self.steps)):
            if self.steps[step].location != self.steps[step - 1].location:
                yield step, self.steps[step].location


def _indexed(pairs: Iterator[tuple[str, _V]]) -> dict[str, list[_V]]:
    index: dict[str, list[_V]] = {}
    for key, value in pairs:
        index.setdefault(key, []).append(value)
    return index
