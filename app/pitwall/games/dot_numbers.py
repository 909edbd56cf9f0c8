"""Reads numbers that a page draws as flat dots, 5 × 7 a sign, at fixed places (`plugins/shared/digits.js`).

A game's own reader may import it: `from pitwall.games.dot_numbers import read_number`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
"""Red, green, blue."""

_SIGNS = {
    "01110 10001 10001 10001 10001 10001 01110": "0",
    "00100 01100 00100 00100 00100 00100 01110": "1",
    "01110 10001 00001 00110 01000 10000 11111": "2",
    "11110 00001 00001 01110 00001 00001 11110": "3",
    "00010 00110 01010 10010 11111 00010 00010": "4",
    "11111 10000 11110 00001 00001 10001 01110": "5",
    "01110 10000 10000 11110 10001 10001 01110": "6",
    "11111 00001 00010 00100 01000 01000 01000": "7",
    "01110 10001 10001 01110 10001 10001 01110": "8",
    "01110 10001 10001 01111 00001 00001 01110": "9",
    "00000 00000 00000 01110 00000 00000 00000": "-",
}
BY_DOTS = {tuple(dot == "1" for dot in rows.replace(" ", "")): sign for rows, sign in _SIGNS.items()}
_TOLERANCE = 120
"""Largest sum of the three channels' differences at which a dot still has the ink's colour."""


def inked(pixels: Pixels, ink: Colour) -> NDArray[np.bool_]:
    """Return the mask (height, width) of the pixels of a BGRX picture that have a colour."""
    away = np.abs(pixels[..., 2::-1].astype(np.int16) - np.array(ink, np.int16)).sum(axis=-1)
    return np.asarray(away <= _TOLERANCE)


def read_number(pixels: Pixels, right: int, top: int, dot: int, ink: Colour, most: int = 6) -> int | None:
    """Read a number of at most `most` signs that ends at the column `right`; None if it is unreadable.

    Args:
        pixels: (height, width, 4) uint8, BGRX. right, top: its right and upper edge in pixels.
        dot: side of a dot in pixels. ink: colour of its dots.
    """
    half = dot // 2
    left = right - (6 * most - 1) * dot
    dots = pixels[top + half : top + 7 * dot : dot, left + half : right : dot]
    return _number(inked(dots, ink).tobytes(), 6 * most - 1)


@lru_cache(maxsize=256)
def _number(dots: bytes, width: int) -> int | None:
    """Decode seven rows of dots; signs stand six dots apart, the last one at the right edge."""
    signs = ""
    for left in range(width - 5, -1, -6):
        seen = tuple(bool(dots[row * width + left + x]) for row in range(7) for x in range(5))
        if not any(seen):
            break
        sign = BY_DOTS.get(seen)
        if sign is None:
            return None
        signs = sign + signs
    try:
        return int(signs)
    except ValueError:
        return None
