"""Reads the window's characters by looking up each cell's pixels in the font."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .layout import BLANK, CELL_H, CELL_W, COLUMNS, HEIGHT, ROWS, WIDTH, read_glyphs

_LIT = 128
"""Brightness in green, of 255, of a character's pixels; pictures are darker where text stands."""


class CharacterReader:
    """Reads a picture of the window."""

    def __init__(self) -> None:
        glyphs = read_glyphs()
        self._weights = np.random.default_rng(0).integers(1, 2**40, (CELL_H, CELL_W), dtype=np.int64)
        shift = np.arange(CELL_W - 1, -1, -1)
        bits = np.array([[(row >> shift) & 1 for row in rows] for rows in glyphs.values()], np.int64)
        keys = (bits * self._weights).sum((1, 2))
        order = np.argsort(keys)
        self._keys, self._codes = keys[order], np.array(list(glyphs), np.uint8)[order]

    def read(self, pixels: NDArray[np.uint8]) -> list[str]:
        """Return the rows of characters, with blanks where no character stands; other sizes are scaled."""
        if pixels.shape[:2] != (HEIGHT, WIDTH):
            pixels = np.asarray(
                cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST), np.uint8
            )
        lit = pixels[..., 1] > _LIT
        codes = np.full(ROWS * COLUMNS, BLANK, np.uint8)
        cells = lit.reshape(ROWS, CELL_H, COLUMNS, CELL_W).transpose(0, 2, 1, 3).reshape(-1, CELL_H, CELL_W)
        written = np.flatnonzero(cells.any((1, 2)))
        keys = np.tensordot(cells[written].astype(np.int64), self._weights, 2)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        codes[written] = np.where(self._keys[place] == keys, self._codes[place], BLANK)
        return [bytes(row).decode("ascii") for row in codes.reshape(ROWS, COLUMNS)]
