"""Lights the view from tables: the picture equals the package's, in a fraction of the time.

The colour of a pixel's channel depends on two bytes and the time of day: its own, and its own without most
of the saturation. A table of these cases is made for each turn, by the package's own sums. Without noise,
tiles that look alike are lit once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance

TINT, AMOUNT, SATURATION = (0, 16, 64), 0.5, 0.4
"""Tint of the package's nights."""
_BYTES = np.arange(256, dtype=np.uint8)
_CHANNELS = (np.arange(3, dtype=np.uint32) << 16).reshape(1, 1, 3)


def lit(canvas: NDArray[np.uint8], night: NDArray[Any], daylight: float) -> NDArray[np.uint8]:
    """Return the view at a time of day.

    Args:
        canvas: (width, height, 3), the view by day. night: the same with the night's noise in it.
        daylight: 0 … 1.
    """
    dull = np.asarray(ImageEnhance.Color(Image.fromarray(night.astype(np.uint8))).enhance(SATURATION))
    cases = canvas.astype(np.uint32)
    cases <<= 8
    cases |= dull
    cases |= _CHANNELS
    return _table(daylight).take(cases)


def lit_by_tiles(canvas: NDArray[np.uint8], daylight: float, unit: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the view without noise at a time of day. unit: side of a tile, in pixels."""
    (wide, high), (width, height) = unit, canvas.shape[:2]
    grid = canvas.reshape(width // wide, wide, height // high, high, 3).swapaxes(1, 2)
    tiles = grid.reshape(-1, wide, high, 3)
    numbers: dict[bytes, int] = {}
    which = [numbers.setdefault(tile.tobytes(), len(numbers)) for tile in tiles]
    alike = np.frombuffer(b"".join(numbers), np.uint8).reshape(-1, high, 3)
    shown = lit(alike, alike, daylight).reshape(-1, wide, high, 3)[which]
    return shown.reshape(grid.shape).swapaxes(1, 2).reshape(canvas.shape)


def _table(daylight: float) -> NDArray[np.uint8]:
    """Return each channel's lit value by its byte and its unsaturated byte; 3 × 256 × 256, flat."""
    day = daylight * _BYTES
    night = (1 - AMOUNT) * _BYTES[None, :] + AMOUNT * np.array(TINT)[:, None]
    mixed: NDArray[np.float64] = day[None, :, None] + (1 - daylight) * night[:, None, :]
    return mixed.astype(np.uint8).reshape(-1)
