"""Learns what each action was worth on like screens: a contextual bandit with Thompson sampling.

A return is the gains of the next `HORIZON` steps and what the screen after them is worth, discounted. A
screen is worth the mean of its returns, an arm on it what its returns are beyond that. Keys go from coarse to
fine (`screen_signature`): each finer one starts from what the coarser says and moves away as it is met. So
the first minutes are those of a bandit without states, later ones know screens.
"""

from __future__ import annotations

import math
import random
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

HORIZON = 4
"""Steps whose gains are counted as they came; what comes after is what the screen then is worth (choice)."""
DISCOUNT = 0.9
_ANY = ""
"""Stands for every arm: what a screen is worth, however it is played."""
MOST_KEYS = 4_000
"""Keys of screens kept; the one met longest ago goes first."""
_TRUST = 4.0
"""Times a finer key must be met before it says as much as the coarser one (choice)."""
_CARRIED = 0.5
"""Share of what a coarser key knows that counts as known for a finer one (choice)."""
_SPREAD = 0.5
"""Share of the returns' deviation by which a sample of an unknown arm strays (choice)."""


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
    """What an arm is worth on a screen.

    Attributes:
        worth: expected gain of the next steps, in mean gains. met: times it was tried on the most alike
            screen where it was. sample: worth drawn within its uncertainty, by which arms are compared.
    """

    arm: str
    worth: float
    met: int
    sample: float


@dataclass(slots=True)
class ActionValues:
    """Holds the returns of arms by keys; bounded, and the same for equal dice."""

    dice: random.Random
    _tables: OrderedDict[str, dict[str, _Mean]] = field(default_factory=OrderedDict)
    _open: deque[_Taken] = field(default_factory=deque)
    _squares: _Mean = field(default_factory=_Mean)

    def took(self, keys: Sequence[str], arm: str) -> None:
        """An arm was taken on a screen."""
        self._open.append(_Taken(keys, arm))

    def gained(self, gain: float, keys: Sequence[str], *, over: bool) -> None:
        """A step brought this, and came to a screen; `over`: nothing that comes later is owed to what was
        taken before."""
        for taken in self._open:
            taken.value += taken.weight * gain
            taken.weight *= DISCOUNT
            taken.age += 1
        while self._open and (over or self._open[0].age >= HORIZON):
            taken = self._open.popleft()
            self._settle(taken, 0.0 if over else taken.weight * self._known(keys, _ANY)[0])

    def rank(self, keys: Sequence[str], arms: Sequence[str]) -> list[Estimate]:
        """The arms on a screen, best sample first."""
        screen = self._known(keys, _ANY)[0]
        deviation = math.sqrt(self._squares.mean) if self._squares.count else 1.0
        found = []
        for arm in arms:
            more, met, evidence = self._known(keys, arm)
            stray = _SPREAD * deviation / math.sqrt(1.0 + evidence) * self.dice.gauss(0.0, 1.0)
            found.append(Estimate(arm, screen + more, met, screen + more + stray))
        return sorted(found, key=lambda one: -one.sample)

    def _known(self, keys: Sequence[str], arm: str) -> tuple[float, int, float]:
        """What is known of an arm: its mean, times met on the most alike screen, and how much that is."""
        mean, met, evidence = 0.0, 0, 0.0
        for key in keys:
            known = self._tables.get(key, {}).get(arm)
            evidence *= _CARRIED
            if known is not None:
                mean = (mean * _TRUST + known.mean * known.count) / (_TRUST + known.count)
                evidence, met = evidence + known.count, known.count
        return mean, met, evidence

    def _settle(self, taken: _Taken, then: float) -> None:
        """Note a return for its screen, and what it was beyond the screen's usual one for its arm."""
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
