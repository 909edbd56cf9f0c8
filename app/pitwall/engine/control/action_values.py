"""Learns the worth of each action on similar screens: a contextual bandit with Thompson sampling.

A return is the sum of the gains of the next `HORIZON` steps and of the worth of the screen after them,
discounted. A screen is worth the mean of its returns; an arm (an action or sequence) on it is worth its mean
return beyond that. A screen has keys from coarse to fine (`screen_signature`): the estimate for a finer key
starts from the coarser one and moves away from it with each visit. So it begins as a bandit without states
and distinguishes screens later.
"""

from __future__ import annotations

import math
import random
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

HORIZON = 4
"""Steps whose gains count directly; later gains count through the worth of the screen reached (choice)."""
DISCOUNT = 0.9
_ANY = ""
"""The arm that stands for all: the worth of a screen, however it is played."""
MOST_KEYS = 4_000
"""Most keys of screens that are kept; the key visited longest ago is dropped first."""
_TRUST = 4.0
"""Visits of a finer key at which it weighs as much as the coarser one (choice)."""
_CARRIED = 0.5
"""Share of a coarser key's evidence that counts for a finer key (choice)."""
_SPREAD = 0.5
"""Spread of the samples of an untried arm, as a share of the returns' standard deviation (choice)."""


@dataclass(slots=True)
class _Mean:
    count: int = 0
    mean: float = 0.0

    def note(self, value: float) -> None:
        self.count += 1
        self.mean += (value - self.mean) / self.count


@dataclass(slots=True)
class _Taken:
    keys: Sequence[str]
    arm: str
    value: float = 0.0
    weight: float = 1.0
    age: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated worth of an arm on a screen.

    Attributes:
        worth: expected gain of the next steps, in mean gains.
        met: how often it was tried on screens with the finest key that knows it.
        sample: a worth drawn within its uncertainty, by which arms are compared.
    """

    arm: str
    worth: float
    met: int
    sample: float


@dataclass(slots=True)
class ActionValues:
    """Holds the returns of arms by screen keys, within bounds. Equal dice give equal estimates."""

    dice: random.Random
    _tables: OrderedDict[str, dict[str, _Mean]] = field(default_factory=OrderedDict)
    _open: deque[_Taken] = field(default_factory=deque)
    _squares: _Mean = field(default_factory=_Mean)

    def took(self, keys: Sequence[str], arm: str) -> None:
        """Note that an arm was taken on a screen."""
        self._open.append(_Taken(keys, arm))

    def gained(self, gain: float, keys: Sequence[str], *, over: bool) -> None:
        """Note the gain of a step and the screen it reached; after `over` no later gain counts."""
        for taken in self._open:
            taken.value += taken.weight * gain
            taken.weight *= DISCOUNT
            taken.age += 1
        while self._open and (over or self._open[0].age >= HORIZON):
            taken = self._open.popleft()
            self._settle(taken, 0.0 if over else taken.weight * self._known(keys, _ANY)[0])

    def rank(self, keys: Sequence[str], arms: Sequence[str]) -> list[Estimate]:
        """Return the arms' estimates on a screen, best sample first."""
        screen = self._known(keys, _ANY)[0]
        deviation = math.sqrt(self._squares.mean) if self._squares.count else 1.0
        estimates = []
        for arm in arms:
            more, met, evidence = self._known(keys, arm)
            stray = _SPREAD * deviation / math.sqrt(1.0 + evidence) * self.dice.gauss(0.0, 1.0)
            estimates.append(Estimate(arm, screen + more, met, screen + more + stray))
        return sorted(estimates, key=lambda estimate: -estimate.sample)

    def records(self) -> Iterator[tuple[str, str, int, float]]:
        """Yield key, arm, visits and mean worth of each arm beyond its screen's."""
        for key, table in self._tables.items():
            yield from ((key, arm, known.count, known.mean) for arm, known in table.items() if arm != _ANY)

    def recall(self, key: str, arm: str, count: int, mean: float) -> None:
        """Begin with what is known of an arm."""
        self._tables.setdefault(key, {})[arm] = _Mean(count, mean)

    def _known(self, keys: Sequence[str], arm: str) -> tuple[float, int, float]:
        """Return an arm's mean, its visits at the finest key that knows it, and the evidence's weight."""
        mean, met, evidence = 0.0, 0, 0.0
        for key in keys:
            known = self._tables.get(key, {}).get(arm)
            evidence *= _CARRIED
            if known is not None:
                mean = (mean * _TRUST + known.mean * known.count) / (_TRUST + known.count)
                evidence, met = evidence + known.count, known.count
        return mean, met, evidence

    def _settle(self, taken: _Taken, then: float) -> None:
        """Note a return for its screen, and its excess over the screen's mean return for its arm."""
        value = taken.value + then
        beyond = value - self._known(taken.keys, _ANY)[0]
        self._squares.note(beyond * beyond)
        for key in taken.keys:
            table = self._tables.setdefault(key, {})
            self._tables.move_to_end(key)
            table.setdefault(_ANY, _Mean()).note(value)
            table.setdefault(taken.arm, _Mean()).note(beyond)
        while len(self._tables) > MOST_KEYS:
            self._tables.popitem(last=False)
