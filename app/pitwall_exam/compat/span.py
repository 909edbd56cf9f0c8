"""The range of an episode that a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
