"""Other names for the names of a lesson, so that a model reads them and does not learn them by heart.

In a family every piece of a word becomes another piece, the same one wherever it stands. What replies say
of their own accord, which stands in no prompt, stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workshop.language.lessons import Batch, Lessons

_LOOKED_AT = 20_000
"""Lessons in which it is looked up what replies say of their own accord."""


class TokenRenaming:
    """Exchanges names in batches.

    Args:
        names: tokens that names are made of.
        tokens: how many there are of all.
        share: of the families that get other names.
    """

    def __init__(self, lessons: Lessons, names: NDArray[np.int64], *, tokens: int, share: float) -> None:
        said = unprompted_tokens(lessons)
        self._names = np.array([one for one in names if int(one) not in said], np.int64)
        self._all = np.arange(tokens)
        self._share = share

    def __call__(self, batch: Batch, rng: np.random.Generator) -> Batch:
        """The batch with other names in some of its families."""
        shared, own, targets = batch.shared.copy(), batch.own.copy(), batch.targets.copy()
        for row in range(len(shared)):
            if rng.random() < self._share:
                other = self._all.copy()
                other[self._names] = rng.permutation(self._names)
                lessons = batch.family == row
                shared[row] = other[shared[row]]
                own[lessons], targets[lessons] = other[own[lessons]], other[targets[lessons]]
        return replace(batch, shared=shared, own=own, targets=targets)


def unprompted_tokens(lessons: Lessons) -> set[int]:
    """Tokens that stand in some reply but not in its prompt."""
    found: set[int] = set()
    every = max(1, len(lessons) // _LOOKED_AT)
    for number in range(0, len(lessons), every):
        tokens, reply = lessons.lesson(number)
        found |= set(tokens[reply:].tolist()) - set(tokens[:reply].tolist())
    return found
