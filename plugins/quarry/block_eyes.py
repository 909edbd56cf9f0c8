"""Reads Block Hill from pixels alone: wood, stone and copper in sight, and how to come to them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str | None
Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_SIZE = (640, 420)
_TOP, _GRAIN, _ROWS, _COLUMNS, _ZOOM = 42, 4, 94, 160, 104.0
"""The view: its first row, its grains, and the grains of a block at a distance of one block."""
_CROSS, _IN_REACH = (320, 230), (255, 64, 192)
_LEAST = 6
"""Grains that a block in sight has at the least."""
_AIM, _AIM_DOWN, _TURN, _NEAR = 6.0, 10.0, 28.0, 24
"""Grains beside and below the cross that are near enough, those of a whole turn, a near block's height."""
_LEAST_SKY, _MOST_SKY = 0.1, 0.62
_SIDE = 20.0
"""Grains aside at which a thing counts half, for it looks larger there and turning to it takes time."""
_STILL, _STUCK_S, _ASIDE_S = 1.2, 0.7, 0.9
"""A view that changes less while it should walk is stuck after so long; then it steps aside for so long."""


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads Block Hill's window; it remembers since when the view has not changed."""

    def __init__(self) -> None:
        self._view: NDArray[np.int16] | None = None
        self._changed_s = 0.0
        self._aside_until_s = 0.0

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_NEAREST), np.uint8)
        half = _GRAIN // 2
        view = pixels[_TOP + half :: _GRAIN, half::_GRAIN, :3][:_ROWS].astype(np.int16)
        self._watch(view)
        cross = pixels[_CROSS[1], _CROSS[0], :3].astype(int)
        in_reach = bool(np.abs(cross - _IN_REACH).max() < 12)
        masks, lost = _masks(view), _level(view)
        middle = np.s_[_ROWS // 2 - 4 : _ROWS // 2 + 4, _COLUMNS // 2 - 4 : _COLUMNS // 2 + 4]
        shares = {kind: float(mask[middle].mean()) for kind, mask in masks.items()}
        most = max(shares, key=lambda kind: shares[kind])
        under = most if shares[most] > 0.4 else "other"
        values: dict[str, Value] = {"in_reach": in_reach, "under_cross": under}
        for kind, mask in masks.items():
            block = _nearest(mask)
            if block is not None:
                values[f"{kind}_x"] = round(math.degrees(math.atan(block[0] / _ZOOM)), 1)
                values[f"{kind}_y"] = round(math.degrees(math.atan(block[1] / _ZOOM)), 1)
            values[f"{kind}_move"] = (
                "mine" if in_reach and under == kind else self._move(block, in_reach) or lost
            )
        return values

    def _watch(self, view: NDArray[np.int16]) -> None:
        now_s = time.monotonic()
        if self._view is None or float(np.abs(view - self._view).mean()) > _STILL:
            self._view, self._changed_s = view, now_s

    def _move(self, block: tuple[float, float, float] | None, in_reach: bool) -> str:
        """Return how to come to a block: turn, walk, tilt once it is near; empty where none is seen."""
        if block is None:
            return ""
        now_s = time.monotonic()
        right, down, high = block
        if now_s < self._aside_until_s:
            return "step_right"
        if abs(right) > _AIM:
            size = "turn" if abs(right) > _TURN else "nudge"
            return f"{size}_{'left' if right < 0 else 'right'}"
        if abs(down) > (_AIM_DOWN if high > _NEAR or in_reach else 20.0):
            return "look_up" if down < 0 else "look_down"
        if now_s - self._changed_s > _STUCK_S:
            if in_reach:
                return "mine"
            self._aside_until_s = now_s + _ASIDE_S
        return "forward"


def _masks(view: NDArray[np.int16]) -> dict[str, Mask]:
    """Return which grains show wood (purple), stone (grey) and copper (orange)."""
    blue, green, red = view[..., 0], view[..., 1], view[..., 2]
    most, least = view.max(2), view.min(2)
    return {
        "wood": (red - green > 26) & (blue - green > 8),
        "stone": (most - least < 26) & (most > 62) & (most < 172),
        "copper": red - blue > 95,
    }


def _level(view: NDArray[np.int16]) -> str:
    """Return how to look for things that are not in sight: level, then round."""
    blue, green = view[..., 0], view[..., 1]
    sky = float(((blue > 180) & (blue >= green)).mean())
    return "look_down" if sky > _MOST_SKY else "look_up" if sky < _LEAST_SKY else "turn_right"


def _nearest(mask: Mask) -> tuple[float, float, float] | None:
    """Return the largest thing of a kind, with a preference for what is ahead.

    Grains to the right of the cross, grains below it, height in grains.
    """
    shape = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    count, _, stats, middles = cv2.connectedComponentsWithStats(shape)
    if count < 2:
        return None
    aside = (middles[1:, 0] - _COLUMNS / 2) / _SIDE
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA] / (1 + aside**2)))
    if stats[best][cv2.CC_STAT_AREA] < _LEAST:
        return None
    x, y = (float(part) for part in middles[best])
    return x - _COLUMNS / 2 + 0.5, y - _ROWS / 2 + 0.5, float(stats[best][cv2.CC_STAT_HEIGHT])
