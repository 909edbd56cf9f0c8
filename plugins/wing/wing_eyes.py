"""Reads the evening from pixels alone: the bird, how it flies, the ground, and where a dive would end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (640, 460)
_BAR = 42
_BIRD_X, _BREAST = 160, 13
_BODY: Colour = (224, 111, 47)
_STREAK: Colour = (162, 95, 255)
_EDGE: Colour = (158, 255, 242)
_LIGHT: Colour = (77, 192, 255)
_LIGHT_BAR = slice(520, 628)
_TOLERANCE = 9
_STREAK_S = 1 / 16
_DIVE = 1600.0
_LONGEST_S, _STEP_S = 2.0, 1 / 30
_AHEAD = 14


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the evening's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[..., :3])
        light = np.count_nonzero(_mask(view[20:22, _LIGHT_BAR], _LIGHT)[0]) / 108
        body = np.flatnonzero(_mask(view[_BAR:, _BIRD_X - 6 : _BIRD_X + 7], _BODY).any(1))
        if not len(body):
            return {"light": round(light, 2)}
        middle = (int(body[0]) + int(body[-1])) / 2 + _BAR
        ground = _ground(view)
        vx, vy = _speed(view, middle)
        breast = middle + _BREAST
        under = ground[_BIRD_X]
        return {
            "light": round(light, 2),
            "y": round(breast),
            "air": None if np.isnan(under) else max(0, round(float(under) - breast)),
            "rise": round(-vy),
            "slope": _slope(ground, _BIRD_X + _AHEAD),
            "dive_slope": _dive_slope(ground, breast, vx, vy),
        }


def _mask(view: Pixels, colour: Colour) -> Pixels:
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    return np.asarray(cv2.inRange(np.ascontiguousarray(view), low, np.minimum(high, 255)), np.uint8)


def _ground(view: Pixels) -> NDArray[np.float64]:
    """Return the row where the ground begins, for each column; not a number where it is not in sight."""
    mask = _mask(view[_BAR:], _EDGE) > 0
    return np.where(mask.any(0), mask.argmax(0) + float(_BAR), np.nan)


def _speed(view: Pixels, middle: float) -> tuple[float, float]:
    """Return pixels a second to the right and down, by the end of the streak."""
    rows, columns = np.nonzero(_mask(view[_BAR:, :_BIRD_X], _STREAK))
    if not len(columns):
        return 0.0, 0.0
    left = int(columns.min())
    end = float(rows[columns <= left + 2].mean()) + _BAR
    return (_BIRD_X - left) / _STREAK_S, (middle - end) / _STREAK_S


def _slope(ground: NDArray[np.float64], x: int) -> float | None:
    left, right = max(0, x - 10), min(_SIZE[0] - 1, x + 10)
    rise = float(ground[right] - ground[left])
    return None if np.isnan(rise) else round(rise / (right - left), 2)


def _dive_slope(ground: NDArray[np.float64], breast: float, vx: float, vy: float) -> float | None:
    """Return how steep the ground is where a dive from here ends; None where that is out of sight."""
    times = np.arange(_STEP_S, _LONGEST_S, _STEP_S)
    columns = (_BIRD_X + vx * times).astype(int)
    inside = columns < _SIZE[0]
    fallen = breast + vy * times + _DIVE / 2 * times**2
    down = np.flatnonzero(fallen[inside] >= ground[columns[inside]])
    return _slope(ground, int(columns[down[0]])) if len(down) else None
