"""Random numbers that are cheap to copy, so that a player may think ahead with numbers of its own."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Dice:
    """A stream of random numbers (SplitMix64); the same seed gives the same stream everywhere."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & _MASK

    def copy(self) -> Dice:
        """Return a stream that goes on from here."""
        other = Dice.__new__(Dice)
        other._state = self._state
        return other

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) >> 11) * limit >> 53

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, things: Sequence[T]) -> T:
        """Return one of the things."""
        return things[self.below(len(things))]

    def weighted(self, weights: Sequence[int]) -> int:
        """Return a place in the list of weights, by their shares."""
        left = self.below(sum(weights))
        for place, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return place
        return len(weights) - 1

    def shuffle(self, things: MutableSequence[T]) -> None:
        """Bring the things into a random order."""
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]
