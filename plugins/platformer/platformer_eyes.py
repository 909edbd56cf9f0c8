"""Reads the platformer from pixels alone: the runner's place, and the things in front of it."""

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
Patch = tuple[int, int, int, int]
"""Left, top, width, height in the window."""

_SIZE = (640, 480)
_HUD = 40
_RUNNER = (75, 52, 228)
_WALKER = (131, 46, 91)
_COIN = (63, 210, 255)
_FLAG = (26, 122, 255)
_SOLID = ((60, 90, 125), (49, 75, 107), (91, 174, 79), (69, 122, 176), (54, 97, 143))
"""Earth, dark earth, grass, block, block's edge."""
_TOLERANCE = 10
_WIDTH_PX, _HEIGHT_PX = 22, 30
_BOTTOM_ROW = 476


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the platformer's window, each frame on its own."""

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame. Distances are from the runner's right side, in pixels of the page."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        frame, small = pixels[..., :3], np.ascontiguousarray(pixels[_HUD::2, ::2, :3])
        body = _largest(_patches(small, _RUNNER, 100))
        if body is None:
            return {}
        left, top = body[0], body[1]
        right, foot = left + _WIDTH_PX, top + _HEIGHT_PX
        return {
            "runner_x": left + _WIDTH_PX // 2,
            "runner_y": top + _HEIGHT_PX // 2,
            "standing": bool(_solid(frame[min(foot + 2, 479), left + 1 : right - 1]).any()),
            "gap_ahead": _first(~_solid(frame[_BOTTOM_ROW, right:])),
            "wall_ahead": _first(_solid(frame[max(_HUD, foot - 8), right:])),
            **_walker(small, left, foot),
            **_coin(small, left + _WIDTH_PX // 2, top + _HEIGHT_PX // 2),
            "flag_ahead": _flag(small, right),
        }


def _patches(small: Pixels, colour: Colour, least_px: int) -> list[Patch]:
    """Return the patches of a colour; `small` is every second pixel below the HUD."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    mask = cv2.inRange(small, np.clip(low, 0, 255), np.clip(high, 0, 255))
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    patches = [tuple(int(value) for value in stats[number]) for number in range(1, count)]
    return [
        (2 * left, 2 * top + _HUD, 2 * width, 2 * height)
        for left, top, width, height, area in patches
        if 4 * area >= least_px
    ]


def _largest(patches: list[Patch]) -> Patch | None:
    return max(patches, key=lambda patch: patch[2] * patch[3], default=None)


def _solid(line: Pixels) -> NDArray[np.bool_]:
    """Return which pixels of a line are ground or a block."""
    away = np.abs(line.astype(int)[:, None] - np.array(_SOLID)).max(2)
    return np.asarray((away <= _TOLERANCE).any(1))


def _first(line: NDArray[np.bool_]) -> int | None:
    """Return the pixels until the first True; None without one."""
    return int(line.argmax()) if line.any() else None


def _walker(small: Pixels, left: int, foot: int) -> dict[str, Value]:
    """Return how far ahead the next walker is, and how much lower its feet are than the runner's."""
    ahead = [patch for patch in _patches(small, _WALKER, 80) if patch[0] + patch[2] > left]
    if not ahead:
        return {"walker_ahead": None, "walker_below": None}
    x, y, _, _ = min(ahead)
    return {"walker_ahead": x - left - _WIDTH_PX, "walker_below": y + 24 - foot}


def _coin(small: Pixels, x: int, y: int) -> dict[str, Value]:
    """Return the offset from the runner's middle to the next coin that is not behind: right, and down."""
    middles = [(a + width / 2, b + height / 2) for a, b, width, height in _patches(small, _COIN, 16)]
    ahead = min(((a, b) for a, b in middles if a > x - 8), default=None)
    if ahead is None:
        return {"coin_dx": None, "coin_dy": None}
    return {"coin_dx": round(ahead[0] - x), "coin_dy": round(ahead[1] - y)}


def _flag(small: Pixels, right: int) -> int | None:
    flag = _largest(_patches(small, _FLAG, 100))
    return flag[0] - right if flag is not None else None
