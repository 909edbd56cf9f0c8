"""Sums up a field's readings: numbers that divide them into equal parts, or their different words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

Seen = Mapping[str, tuple[float | str, ...]]
_PARTS = 9
"""Numbers that stand for all readings of a field."""
_MOST_WORDS = 12
_LONGEST_WORD = 24


def seen_values(numbers: Mapping[str, Sequence[float]]) -> dict[str, tuple[float | str, ...]]:
    """Return for each field the numbers that divide its readings into equal parts."""
    steps = np.linspace(0.0, 1.0, _PARTS)
    return {
        name: tuple(dict.fromkeys(float(value) for value in np.round(np.quantile(values, steps), 3)))
        for name, values in numbers.items()
    }


def seen_words(words: Mapping[str, Sequence[str]]) -> dict[str, tuple[float | str, ...]]:
    """Return for each field its different words; a field of long or countless words is left out."""
    different = {name: Counter(values) for name, values in words.items()}
    return {
        name: tuple(counts)
        for name, counts in different.items()
        if len(counts) <= _MOST_WORDS and all(len(word) <= _LONGEST_WORD for word in counts)
    }
