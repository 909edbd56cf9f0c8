"""Reads the downs from pixels alone: the ball above its ground, how steep it is, and what lies ahead."""

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

_SIZE = (640, 420)
_BAR = 42
_BALL_X = 190
_RIM: Colour = (32, 35, 168)
_EDGE: Colour = (99, 224, 168)
_STONE: Colour = (148, 133, 126)
_WATER: Colour = (224, 155, 47)
_BELL: Colour = (46, 208, 255)
_TOLERANCE = 12
_EDGE_PX, _BELL_UP = 5, 8
"""Pixels that mark the ground's edge in a column; a bell's middle above that of its patch's foot."""


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the downs' window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame. Distances are from the ball's middle, in pixels of the page."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        view = np.ascontiguousarray(pixels[_BAR:, :, :3])
        foot = _foot(view)
        if foot is None:
            return {}
        ground = _ground(view, _BALL_X)
        fields: dict[str, Value] = {
            "y": foot,
            "air": None if ground is None else max(0, ground - foot),
            "slope": _slope(view, _BALL_X),
            "slope_ahead": _slope(view, _BALL_X + 100),
            "stone_ahead": _next(_patches(view, _STONE, 150), 0.5),
            "ditch_ahead": _next(_patches(view, _WATER, 400), 0.0),
        }
        bells = [patch for patch in _patches(view, _BELL, 60) if patch[0] > _BALL_X - 8]
        if bells:
            left, top, width, _ = min(bells)
            fields |= {"bell_dx": left + width // 2 - _BALL_X, "bell_dy": top + _BELL_UP - (foot - 16)}
        return fields


def _mask(view: Pixels, colour: Colour) -> Pixels:
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    return np.asarray(cv2.inRange(view, np.clip(low, 0, 255), np.clip(high, 0, 255)), np.uint8)


def _patches(view: Pixels, colour: Colour, least_px: int) -> list[tuple[int, int, int, int]]:
    """Return left, top, width, height in the window of a colour's patches."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(_mask(view, colour))
    patches = (tuple(int(value) for value in stats[number]) for number in range(1, count))
    return [(left, top + _BAR, width, high) for left, top, width, high, area in patches if area >= least_px]


def _foot(view: Pixels) -> int | None:
    """Return the ball's lowest row, by its dark rim, which is where the camera keeps it."""
    rows = np.flatnonzero(_mask(np.ascontiguousarray(view[:, _BALL_X - 6 : _BALL_X + 7]), _RIM).any(1))
    return int(rows[-1]) + 1 + _BAR if len(rows) else None


def _ground(view: Pixels, x: int) -> int | None:
    """Return where the ground begins in a column."""
    rows = np.flatnonzero(_mask(np.ascontiguousarray(view[:, x : x + 1]), _EDGE)[:, 0])
    return int(rows[0]) + _BAR if len(rows) >= _EDGE_PX else None


def _slope(view: Pixels, x: int) -> float | None:
    left, right = _ground(view, x - 20), _ground(view, x + 20)
    return None if left is None or right is None else round((right - left) / 40, 2)


def _next(patches: list[tuple[int, int, int, int]], share: float) -> int | None:
    """Return how far ahead the next patch is, at that share of its width."""
    places = [round(left + share * width) - _BALL_X for left, _, width, _ in patches]
    return min((place for place in places if place > -8), default=None)
