"""A frame is one capture of the game's own window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.geometry import Rect

Pixels = NDArray[np.uint8]


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
