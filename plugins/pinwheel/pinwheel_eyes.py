"""Reads the pinwheel from pixels alone: where heads stand, how it turns, whether a throw would stick."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Blue, green, red."""

_SIZE = (480, 600)
_MIDDLE, _RING, _COMET = (240, 220), 150, 38
_HEADS: tuple[Colour, ...] = ((102, 209, 255), (89, 122, 255))
_TAIL, _FRONT = (255, 208, 57), (255, 251, 245)
_TOLERANCE = 24
_TAIL_S = 1 / 2
"""Time whose way the comet's tail shows."""
_READY = (540, 240)
"""Row and column of the waiting pin's head."""
_DOWN = 90
_FLIGHT_S = 0.12
_PRESS_S = 0.05
"""Time from a frame until its press reaches the game."""
_LEAST_DEG, _HEAD_DEG = 3, 10


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Pinwheel's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        heads = _runs(_circle(pixels, _RING, _HEADS))
        speed = _speed(_circle(pixels, _COMET, (_TAIL, _FRONT)), _circle(pixels, _COMET, (_FRONT,)))
        if speed is None:
            return {}
        shift = speed * (_FLIGHT_S + _PRESS_S)
        return {
            "heads": len(heads),
            "speed": round(speed),
            "ready": bool(_like(pixels[_READY][None, :3], _HEADS[:1])[0]),
            "clearance": round(
                float(min((_between(head + shift, _DOWN) for head in heads), default=180.0)), 1
            ),
        }


def _circle(pixels: Pixels, radius: int, colours: tuple[Colour, ...]) -> NDArray[np.bool_]:
    """Return for each degree clockwise from the right whether the circle has a colour there."""
    angles = np.deg2rad(np.arange(360))
    columns = np.rint(_MIDDLE[0] + radius * np.cos(angles)).astype(int)
    rows = np.rint(_MIDDLE[1] + radius * np.sin(angles)).astype(int)
    return _like(pixels[rows, columns, :3], colours)


def _like(points: Pixels, colours: tuple[Colour, ...]) -> NDArray[np.bool_]:
    off = [np.abs(points.astype(int) - colour).max(-1) for colour in colours]
    return np.asarray(np.min(off, axis=0) < _TOLERANCE, np.bool_)


def _runs(mask: NDArray[np.bool_]) -> list[float]:
    """Return the middles, in degrees, of what is set; heads that overlap count as heads side by side."""
    starts = np.flatnonzero(mask & ~np.roll(mask, 1))
    middles: list[float] = []
    for start in starts:
        length = int(np.argmin(np.roll(mask, -start)))
        if length < _LEAST_DEG:
            continue
        parts = max(1, round(length / _HEAD_DEG))
        middles += [(start + (part + 0.5) * length / parts) % 360 for part in range(parts)]
    return middles


def _speed(comet: NDArray[np.bool_], front: NDArray[np.bool_]) -> float | None:
    """Return degrees a second, clockwise positive: the comet's front leads its tail."""
    heads = np.flatnonzero(front)
    if not len(heads):
        return None
    vector = np.exp(1j * np.deg2rad(heads)).sum()
    at = round(math.degrees(np.angle(vector)))
    tail = comet & ~front
    behind, ahead = (_length(np.roll(tail, -at)[::-1]), _length(np.roll(tail, -at)))
    length = behind if behind >= ahead else -ahead
    return length / _TAIL_S


def _length(line: NDArray[np.bool_]) -> int:
    """Return how far the tail reaches from the front's middle: nothing of it lies under the front."""
    first = int(np.argmax(line[:14]))
    if not line[first]:
        return 0
    return first + int(np.argmin(np.append(line[first:], False)))


def _between(angle: float, other: float) -> float:
    """Return how far two angles are apart."""
    off = (angle - other) % 360
    return min(off, 360 - off)
