"""Draws a page as a picture, in the window's font and tints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from story_eyes.layout import CELL_H, CELL_W, COLUMNS, ROWS, read_glyphs
from story_page import StoryPage

_FONT = Path(__file__).resolve().parent / "story_eyes"
_PAPER = (16, 18, 24)
_TINTS = ((214, 214, 206), (164, 172, 170), (122, 200, 255), (236, 196, 96))
"""Plain, quiet, said, heading; all much lighter than the paper, to be easily readable."""


class Printer:
    """Draws pages with the font of the story's eyes."""

    def __init__(self) -> None:
        shift = np.arange(CELL_W - 1, -1, -1)
        self._bits = np.zeros((128, CELL_H, CELL_W), np.uint8)
        for code, rows in read_glyphs(_FONT).items():
            self._bits[code] = (np.array(rows)[:, None] >> shift) & 1

    def picture(self, page: StoryPage) -> NDArray[np.uint8]:
        """Return the page, (height, width, 3), red, green, blue."""
        codes, tints = (np.array(rows) for rows in page.cells())
        cells = self._bits[codes].transpose(0, 2, 1, 3)
        lit = cells.reshape(ROWS * CELL_H, COLUMNS * CELL_W).astype(bool)
        tint = np.repeat(np.repeat(tints, CELL_H, 0), CELL_W, 1)
        return np.array((*_TINTS, _PAPER), np.uint8)[np.where(lit, tint, len(_TINTS))]
