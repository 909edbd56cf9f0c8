"""The timeline of an episode: the state at each step (SPEC §7).

Two timelines share this shape: the truth's trace, built from a game's true states, and the agent's record,
built from what it read off the screen. Templates compute over either; the caller decides which one they get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Moment(Generic[S]):
    """One step of a trace.

    Attributes:
        step: 1, 2, 3 … without gaps.
        action: the action as text of a semantic action ("move_left", "say(text=north)").
        reason: the agent's reason in its words; empty if it gave none.
        before, after: the state in which the step was decided, and the state after the action.
        reward: collected until after the action, if the game shows one.
    """

    step: int
    action: str
    reason: str
    before: S
    after: S
    reward: float | None = None


@dataclass(frozen=True, slots=True)
class Trace(Generic[S]):
    """An episode's timeline.

    Attributes:
        moments: in order of steps, from 1.
        ended: how the episode ended: "death", "length", "stopped" …; empty if it did not, or if that was not
            seen.
    """

    moments: Sequence[Moment[S]]
    ended: str = ""

    def __len__(self) -> int:
        return len(self.moments)

    def at(self, step: int) -> Moment[S] | None:
        """Return the moment of a step; None outside the episode."""
        return self.moments[step - 1] if 1 <= step <= len(self.moments) else None

    def between(self, lo: int, hi: int) -> Sequence[Moment[S]]:
        """Return steps lo … hi, inclusive, as far as they exist."""
        return self.moments[max(lo, 1) - 1 : max(hi, 0)]

    def until(self, step: int) -> Trace[S]:
        """Return the episode up to a step (the query horizon)."""
        if step >= len(self.moments):
            return self
        return replace(self, moments=self.moments[: max(step, 0)], ended="")
