"""Measures the speed of approaching things by the place of the first of them, frame after frame."""

from __future__ import annotations

from collections import deque
from statistics import median

_FIRST_PX_S, _LAST_PX_S = 340.0, 900.0
"""A run begins with 6 pixels in a sixtieth of a second and ends with 13; birds add a little."""
_LEAST_S, _MOST_S = 0.025, 0.25
_KEPT = 7


class Pace:
    """The speed of the ground in pixels a second."""

    def __init__(self) -> None:
        self._speeds: deque[float] = deque(maxlen=_KEPT)
        self._from: tuple[int, float] | None = None

    @property
    def px_s(self) -> float:
        """The latest measurement, or the speed at the start of a run."""
        return median(self._speeds) if self._speeds else _FIRST_PX_S + 40

    def seen(self, left_px: int, now_s: float) -> float:
        """Take the first thing's present left edge, and return the speed."""
        if self._from is None:
            self._from = (left_px, now_s)
            return self.px_s
        came_px, took_s = self._from[0] - left_px, now_s - self._from[1]
        if took_s < _LEAST_S and came_px >= 0:
            return self.px_s
        self._from = (left_px, now_s)
        if took_s <= _MOST_S and _FIRST_PX_S <= came_px / took_s <= _LAST_PX_S:
            self._speeds.append(came_px / took_s)
        return self.px_s

    def lose(self) -> None:
        """Note that nothing is ahead."""
        self._from = None
