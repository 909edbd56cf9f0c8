"""The timeline index: what held at each step of an episode (SPEC §7).

The same shape serves two: the truth's trace, made from a game's true states, and the agent's record, made
from what it read off its pixels. Templates compute over either; which one a caller may hold is its matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Moment(Generic[S]):
    """Holds one step of a trace.

    Attributes:
        step: 1, 2, 3 … without gaps.
        action: what was done, as text of a semantic action ("move_left", "say(text=north)").
        reason: why, in the agent's words; empty where it gave none.
        before, after: the state in which the step was decided, and the one after the action.
        reward: collected until after the action, where the game tells one.
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
        ended: how the episode ended: "death", "length", "stopped" …; empty where it did not, or unseen.
    """

    moments: Sequence[Moment[S]]
    ended: str = ""

    def __len__(self) -> int:
        return len(self.moments)

    def at(self, step: int) -> Moment[S] | None:
        """The moment of a step; None outside the episode."""
        return self.moments[step - 1] if 1 <= step <= len(self.moments) else None

    def between(self, lo: int, hi: int) -> Sequence[Moment[S]]:
        """Steps lo … hi, inclusive, as far as they exist."""
        return self.moments[max(lo, 1) - 1 : max(hi, 0)]

    def until(self, step: int) -> Trace[S]:
        """The episode as it stood after this step: what came later is not known (query horizon)."""
        if step >= len(self.moments):
            return self
        return replace(self, moments=self.moments[: max(step, 0)], ended="")
