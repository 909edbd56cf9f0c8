"""Exchanges the names in a lesson for others, so that a model reads them instead of memorising them.

In a family every piece of a word becomes another piece, the same one everywhere. Tokens that replies use
without reading them from a prompt stay.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workshop.language.lessons import Batch, Lessons

_LOOKED_AT = 20_000
"""Lessons that are searched for reply tokens that stand in no prompt."""


class TokenRenaming:
    """Exchanges names in batches.

    Args:
        names: tokens of which names are made.
        tokens: number of all tokens.
        share: of the families that get other names.
    """

    def __init__(self, lessons: Lessons, names: NDArray[np.int64], *, tokens: int, share: float) -> None:
        unprompted = unprompted_tokens(lessons)
        self._names = np.array([name for name in names if int(name) not in unprompted], np.int64)
        self._all = np.arange(tokens)
        self._share = share

    def __call__(self, batch: Batch, rng: np.random.Generator) -> Batch:
        """Return the batch with other names in some of its families."""
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
    """Return the tokens that occur in some reply but not in its prompt."""
    unprompted: set[int] = set()
    every = max(1, len(lessons) // _LOOKED_AT)
    for number in range(0, len(lessons), every):
        tokens, reply = lessons.lesson(number)
        unprompted |= set(tokens[reply:].tolist()) - set(tokens[:reply].tolist())
    return unprompted
