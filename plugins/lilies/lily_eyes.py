"""Reads Lily Bounce from pixels alone: how high the ball is, the leaves ahead, the way to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]

_SIZE = (640, 420)
_MIDDLE, _HORIZON, _ZOOM, _HEIGHT, _BACK = 320, 128, 420.0, 4.1, 7.0
"""The picture of space: see shared/space.js and art.js."""
_BALL = (np.array((225, 61, 162, 0)), np.array((255, 91, 192, 255)))
_RADIUS_M, _BALL_PX = 0.38, 60
_APEX_M, _HOP_S, _PACE = 2.3, 0.75, 7.0
_LATE_S = 0.05
_ASIDE, _REACH = 6.5, 2.6
"""Greatest speed aside, and greatest change of the forward speed by keys, in metres a second."""
_STEER_M, _SPEED_M = 0.3, 0.2
_GREENER = 26
"""A leaf's green over its red and its blue, at the least."""
_FAR_M, _LEAST_PX = 20.0, 40
_RISE_M = 0.03


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf: its middle to the right of and ahead of the ball, and its width, in metres."""

    x: float
    ahead: float
    wide: float


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Lily Bounce's window; it remembers how high the ball was."""

    def __init__(self) -> None:
        self._height = 0.0
        self._rises = True

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        height = _ball(pixels)
        if height is None:
            return {}
        if abs(height - self._height) > _RISE_M:
            self._rises, self._height = height > self._height, height
        left_s = _left_s(height, rises=self._rises)
        values: dict[str, Value] = {
            "height": round(height, 2),
            "rises": self._rises,
            "left_s": round(left_s, 2),
        }
        leaf = _next(_leaves(pixels), left_s)
        if leaf is not None:
            off = leaf.ahead - _PACE * left_s
            values |= {"leaf_x": round(leaf.x, 2), "leaf_m": round(leaf.ahead, 2)}
            values |= {"leaf_wide": round(leaf.wide, 2), "off_m": round(off, 2)}
            values["move"] = _move(leaf.x, off)
        return values


def _ball(pixels: Pixels) -> float | None:
    """Return how high the ball's foot is over the water."""
    part = cv2.inRange(pixels[44:, _MIDDLE - _BALL_PX : _MIDDLE + _BALL_PX], *_BALL)
    rows = np.flatnonzero((part > 0).sum(1) >= 4)
    if not len(rows):
        return None
    ground = _HORIZON + _HEIGHT * _ZOOM / _BACK
    return max(0.0, (ground - float(rows[-1] + 45)) * _BACK / _ZOOM)


def _left_s(height: float, *, rises: bool) -> float:
    """Return how long the ball still flies."""
    part = 0.5 * math.sqrt(max(0.0, 1 - height / _APEX_M))
    return (0.5 + part if rises else 0.5 - part) * _HOP_S


def _leaves(pixels: Pixels) -> list[Leaf]:
    """Return the leaves that are near enough to be reached soon."""
    water = np.ascontiguousarray(pixels[_HORIZON:, :, :3])
    blue, green, red = cv2.split(water)
    over = cv2.subtract(green, cv2.max(blue, red))
    shapes = np.asarray(over > _GREENER, np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(shapes)
    leaves = []
    for left, top, wide, high, area in stats[1:count].tolist():
        if area < _LEAST_PX:
            continue
        near, far = _HEIGHT * _ZOOM / (top + high), _HEIGHT * _ZOOM / max(1, top)
        depth = 2 * near * far / (near + far) if top + high >= _SIZE[1] - _HORIZON - 1 else (near + far) / 2
        ahead = depth - _BACK
        if -1.5 < ahead < _FAR_M:
            scale = _ZOOM / depth
            leaves.append(Leaf((left + wide / 2 - _MIDDLE) / scale, ahead, wide / scale))
    return leaves


def _next(leaves: list[Leaf], left_s: float) -> Leaf | None:
    """Return the leaf that takes the least steering until the ball is down."""
    time_s = max(0.0, left_s - _LATE_S)

    def effort(leaf: Leaf) -> float:
        off = leaf.ahead - _PACE * left_s
        return abs(leaf.x) / (_ASIDE * time_s + 0.4) + abs(off) / (_REACH * time_s + 0.4)

    return min(leaves, key=effort, default=None)


def _move(x: float, off: float) -> str:
    side = "" if abs(x) < _STEER_M else "left" if x < 0 else "right"
    speed = "" if abs(off) < _SPEED_M else "slower" if off < 0 else "faster"
    return "_".join(word for word in (side, speed) if word) or "hold"
