"""Signs a screen with short keys, from coarse to fine, so that similar screens share entries of a table.

A picture's key is a SimHash (Charikar 2002; for exploration Tang et al. 2017): the signs of a few fixed
random projections of its descriptor, less the mean of all pictures so far, so that a constant background has
no influence. Fields add more: facts, and which of two objects is further along an axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pitwall.core.observations import Value
from pitwall.memory.text import normalise

Descriptor: TypeAlias = NDArray[np.float32]

BITS = (3, 6, 9)
_MEAN_OVER = 200
"""Number of recent pictures that the running mean covers, roughly."""
_MOST_PLACES = 6
_LONGEST_TEXT = 24
_NEAR = 0.05
"""Places whose difference is below this share of the larger count as level."""


class ScreenSignature:
    """Makes the keys of successive screens.

    Args:
        seed: of the projections; equal seeds sign equal screens alike.
        skipped: fields that are no places or facts of the screen: the score, counters.
    """

    def __init__(self, *, seed: int, skipped: frozenset[str] = frozenset()) -> None:
        self._seed, self._skipped = seed, skipped | {"status"}
        self._planes: NDArray[np.float32] | None = None
        self._mean: NDArray[np.float32] | None = None
        self._seen = 0

    def keys(self, picture: Descriptor | None, values: Mapping[str, Value], last: str) -> list[str]:
        """Return a screen's keys, coarsest first: status, fields, more and more bits, the last action.

        The first two are words as the memory keeps them, and have no "|".
        """
        status = str(values.get("status", ""))
        keys = [status, normalise(f"{status} with {self._fields(values)}")]
        if picture is not None:
            bits = self._bits(picture)
            keys += [f"{keys[1]}|{bits[:many]}" for many in BITS]
            keys.append(f"{keys[-1]}|{last}")
        return keys

    def _bits(self, picture: NDArray[np.float32]) -> str:
        if self._planes is None or self._mean is None:
            dice = np.random.default_rng(self._seed)
            self._planes = dice.standard_normal((BITS[-1], picture.size)).astype(np.float32)
            self._mean = picture.copy()
        self._seen = min(self._seen + 1, _MEAN_OVER)
        self._mean += (picture - self._mean) / self._seen
        return "".join("1" if side > 0 else "0" for side in self._planes @ (picture - self._mean))

    def _fields(self, values: Mapping[str, Value]) -> str:
        names = [name for name in sorted(values) if name not in self._skipped]
        facts = [f"{name}_{values[name]}" for name in names if _is_fact(values[name])]
        places = [name for name in names if name[-2:] in ("_x", "_y") and _number(values[name]) is not None]
        for name, other in combinations(places[:_MOST_PLACES], 2):
            if name[-2:] == other[-2:]:
                facts.append(f"{name}_{_order(values[name], values[other])}_{other}")
        return " ".join(facts)


def _is_fact(value: Value) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and len(value) <= _LONGEST_TEXT)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _order(first: Value, second: Value) -> str:
    left, right = _number(first) or 0.0, _number(second) or 0.0
    if abs(left - right) <= _NEAR * max(abs(left), abs(right)):
        return "like"
    return "below" if left < right else "above"
