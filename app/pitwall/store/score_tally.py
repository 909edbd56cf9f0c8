"""Follows the score that a run's steps read from the screen."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pitwall.core.observations import Value
from pitwall.core.runs import ScreenScore


class ScoreTally:
    """Follows the score as read step by step: of two readings in a row the lesser counts, save of the last.

    Args:
        field: which field stands for the score; empty for none.
    """

    def __init__(self, field: str) -> None:
        self._field = field
        self._last: float | None = None
        self._best: float | None = None

    def add(self, fields: Mapping[str, Value]) -> None:
        """Take what one step read."""
        read = fields.get(self._field)
        if isinstance(read, bool) or not isinstance(read, int | float) or not math.isfinite(read):
            return
        if self._last is not None:
            agreed = min(self._last, read)
            self._best = agreed if self._best is None else max(self._best, agreed)
        self._last = float(read)

    @property
    def score(self) -> ScreenScore | None:
        """The score so far; None where it was never read."""
        if self._last is None:
            return None
        best = max(self._last, self._last if self._best is None else self._best)
        return ScreenScore(field=self._field, last=self._last, best=best)
