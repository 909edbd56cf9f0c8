"""Reads the tower from pixels alone: where the hanging floor and the tower's top are, and when to let go."""

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

_SIZE = (440, 620)
_HOOK, _TOP_LINE = (0, 176, 255), (196, 255, 45)
_HOOK_ROWS, _TOP_ROWS = (150, 170), (300, 430)
"""A hook without a floor is grey."""
_TOLERANCE, _LEAST_PX = 12, 30


def reader(folder: Path) -> Eyes:  # noqa: ARG001  # the loader's contract
    """Return a new reader."""
    return Eyes()


class Eyes:
    """Reads the tower's window; it remembers where the hook was."""

    def __init__(self) -> None:
        self._before: float | None = None
        self._way = 0

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame."""
        if (pixels.shape[1], pixels.shape[0]) != _SIZE:
            pixels = np.asarray(cv2.resize(pixels, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        hook, top = _box(pixels, _HOOK, _HOOK_ROWS), _box(pixels, _TOP_LINE, _TOP_ROWS)
        if hook is None or top is None:
            self._before = None
            return (
                {} if top is None else {"hanging": False, "top_x": _middle(top), "top_width": top[2] - top[0]}
            )
        hook_x, top_x = _middle(hook), _middle(top)
        if self._before is not None and abs(hook_x - self._before) >= 1:
            self._way = 1 if hook_x > self._before else -1
        self._before = hook_x
        return {
            "floor_x": hook_x,
            "top_x": top_x,
            "top_width": top[2] - top[0],
            "way": self._way,
            "hanging": True,
            "ahead": round((top_x - hook_x) * self._way, 1),
        }


def _box(pixels: Pixels, colour: Colour, rows: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """Return left, top, right, bottom of a colour within some rows."""
    low, high = np.array(colour) - _TOLERANCE, np.array(colour) + _TOLERANCE
    part = np.ascontiguousarray(pixels[rows[0] : rows[1], :, :3])
    mask = cv2.inRange(part, np.clip(low, 0, 255), np.clip(high, 0, 255))
    if cv2.countNonZero(mask) < _LEAST_PX:
        return None
    left, top, width, height = cv2.boundingRect(mask)
    return left, top + rows[0], left + width, top + rows[0] + height


def _middle(box: tuple[int, int, int, int]) -> float:
    return (box[0] + box[2]) / 2
