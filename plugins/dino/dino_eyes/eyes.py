"""Reads the dinosaur's run: by day and by night, and during the change between them.

Ink is everything that stands out from the background as the dinosaur itself does; clouds, stars and the moon
stand out far less. No colour is fixed here, so that the inverted page reads the same.
"""

from __future__ import annotations

from time import monotonic

import numpy as np
from numpy.typing import NDArray

from .glyphs import GLYPHS
from .pace import Pace

Ink = NDArray[np.bool_]
Value = bool | int | float | str | None

WIDTH, HEIGHT = 600, 300
_LEAST_CONTRAST = 12
_DINO = (slice(60, 172), slice(26, 62))
_AHEAD = (slice(84, 161), slice(82, WIDTH))
"""Area in which obstacles appear: above the humps of the ground, and before even a ducking dinosaur."""
_ICON = (slice(102, 134), slice(285, 320))
_INVITATION = (slice(182, 207), slice(20, 260))
_METER_ROWS = slice(33, 45)
_METER_X = tuple(range(528, 589, 12))
_GLYPH_WIDTH = 10
_MOST_WRONG = 16
"""Number of a digit's 120 pixels that may differ."""
_PART_PX = 16
"""Largest distance of two cacti that are jumped as one."""
_MIDDLE_X = 45
_RIGHT_X = 62
_STANDING_TOP = 119
_HIGH_BOTTOM, _MIDDLE_BOTTOM = 124, 152
"""Heights of a bird's lowest ink: above the first it passes overhead, above the second it hits a standing
dinosaur.
"""
_DIGITS = {
    digit: np.array([sign == "#" for sign in "".join(rows)]).reshape(12, _GLYPH_WIDTH)
    for digit, rows in GLYPHS.items()
}


class Eyes:
    """Reads one frame after the other."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._score: int | None = None

    def read(self, pixels: NDArray[np.uint8]) -> dict[str, Value]:
        """Return the fields of a frame ((height, width, 4), BGRX)."""
        if pixels.shape[0] < HEIGHT or pixels.shape[1] < WIDTH:
            return {}
        grey = pixels[:HEIGHT, :WIDTH, 1].astype(np.int16)
        ground = int(np.median(grey[::8, ::8]))
        away = np.abs(grey - ground)
        contrast = int(away[_DINO].max())
        if contrast < _LEAST_CONTRAST:  # the middle of the turn from day to night
            return {"night": ground < 128, "score": self._score}
        ink = away > 0.6 * contrast
        menu = bool(ink[_INVITATION].mean() > 0.05)
        over = bool(ink[_ICON].mean() > 0.5)
        self._score = None if menu else self._meter(ink)
        values: dict[str, Value] = {
            "menu": menu,
            "game_over": over,
            "night": ground < 128,
            "score": self._score,
            "airborne": _top(ink) < _STANDING_TOP,
        }
        return values if menu or over else values | self._obstacle(ink)

    def _obstacle(self, ink: Ink) -> dict[str, Value]:
        """Return the first thing ahead, and its time of arrival at the present pace."""
        rows, columns = _AHEAD
        extent = _first(np.asarray(ink[_AHEAD].any(axis=0)))
        if extent is None:
            self._pace.lose()
            return {"obstacle": "none", "speed": round(self._pace.px_s)}
        left, right = extent[0] + columns.start, extent[1] + columns.start
        inked = np.flatnonzero(ink[rows, left : right + 1].any(axis=1))
        top, bottom = int(inked[0]) + rows.start, int(inked[-1]) + rows.start
        speed = self._pace.seen(left, monotonic())
        return {
            "obstacle": _kind(bottom),
            "obstacle_left": left,
            "obstacle_width": right - left + 1,
            "obstacle_top": top,
            "obstacle_bottom": bottom,
            "speed": round(speed),
            "contact_ms": round((left - _RIGHT_X) / speed * 1000),
            "middle_ms": round(((left + right) / 2 - _MIDDLE_X) / speed * 1000),
        }

    def _meter(self, ink: Ink) -> int | None:
        """Return the score; while it blinks, the last one."""
        digits = [_digit(ink[_METER_ROWS, x : x + _GLYPH_WIDTH]) for x in _METER_X]
        text = "".join(digits)
        return int(text) if text else self._score


def _kind(bottom: int) -> str:
    if bottom < _HIGH_BOTTOM:
        return "high bird"
    return "bird" if bottom < _MIDDLE_BOTTOM else "low"


def _top(ink: Ink) -> int:
    rows = np.flatnonzero(ink[_DINO].any(axis=1))
    return int(rows[0]) + _DINO[0].start if len(rows) else HEIGHT


def _first(columns: NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return the first and last column of the first thing, with all its parts."""
    inked = np.flatnonzero(columns)
    if len(inked) == 0:
        return None
    gaps = np.flatnonzero(np.diff(inked) > _PART_PX)
    last = inked[gaps[0]] if len(gaps) else inked[-1]
    return int(inked[0]), int(last)


def _digit(shape: Ink) -> str:
    """Return the digit whose picture is nearest; empty where none is near."""
    if shape.shape != (12, _GLYPH_WIDTH) or not shape.any():
        return ""
    wrong, digit = min((int((shape != known).sum()), digit) for digit, known in _DIGITS.items())
    return digit if wrong <= _MOST_WRONG else ""
