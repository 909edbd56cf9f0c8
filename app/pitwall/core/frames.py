"""Frames, each one capture of the game's own window, and the choice among overlapping boxes on one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.geometry import Rect

Pixels = NDArray[np.uint8]
SOUND_HZ = 48_000
SOUND_BYTES = 4
"""Bytes of one moment of a film's sound: two channels of 16 bits."""
MOST_SIDE = 4096
"""Longest side of a picture that is read from a file, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Holds one capture.

    Attributes:
        frame_id: 1, 2, 3 … within one engine process.
        captured_ns: monotonic nanoseconds when the change was known (X11: the damage event).
        ready_ns: monotonic nanoseconds when the pixels were readable.
        pixels: (height, width, 4) uint8, BGRX; valid until the next frame is taken from the source.
        window: client area in screen pixels at that time.
    """

    frame_id: int
    captured_ns: int
    ready_ns: int
    pixels: Pixels
    window: Rect

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])


Corners = NDArray[np.float32]
"""(n, 4): left, top, right, bottom."""


def non_maximum_suppression(
    boxes: Corners, scores: NDArray[np.float32], *, iou: float, most: int
) -> NDArray[np.intp]:
    """Choose boxes, the most confident first, so that none overlaps a chosen one by more than `iou`.

    Args:
        scores: (n,); equal scores keep their order.
        iou: shared area over the area of both together, 0 … 1.
        most: number of boxes to keep at most.
    """
    order = np.argsort(-scores, kind="stable")
    left, top, right, bottom = boxes[order].T
    areas = np.maximum(right - left, 0) * np.maximum(bottom - top, 0)
    alive = np.ones(len(order), np.bool_)
    standing: list[int] = []
    for at in range(len(order)):
        if not alive[at]:
            continue
        standing.append(at)
        if len(standing) == most:
            break
        rest = slice(at + 1, None)
        wide = np.minimum(right[at], right[rest]) - np.maximum(left[at], left[rest])
        high = np.minimum(bottom[at], bottom[rest]) - np.maximum(top[at], top[rest])
        shared = np.maximum(wide, 0) * np.maximum(high, 0)
        alive[rest] &= shared <= iou * (areas[at] + areas[rest] - shared)
    kept: NDArray[np.intp] = order[standing]
    return kept
