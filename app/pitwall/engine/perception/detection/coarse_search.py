"""Pictures searched over a whole frame: on a smaller frame first, then in full where they may be.

A full correlation of a frame costs tens of milliseconds for each picture; a detector may look everywhere on
every frame. Small pictures, of which nothing would be left, are searched in full (see finder).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.engine.perception.picture_search import Finder, Picture, Place
from pitwall.engine.perception.templates import WORST_RMS, Template

_LEAST_SIDE = {4: 40, 2: 18}
"""How much smaller the frame is made, and from which side of the picture on."""
_SLACK = 0.3
"""So much less than its threshold a picture may score on the smaller frame, where details blur."""
_MOST_TRIED = 40
_FLAT = 4.0
"""A smaller picture that varies by less than this many levels tells nothing."""

Floats = NDArray[np.float32]


class Sizes:
    """A frame's part in the sizes that finders ask for, each made once."""

    def __init__(self, pixels: Pixels) -> None:
        self.picture = Picture(pixels)
        self._smaller: dict[int, Pixels] = {}

    def smaller(self, factor: int) -> Pixels:
        """Grey levels, each the mean of factor × factor pixels."""
        known = self._smaller.get(factor)
        if known is None:
            known = self._smaller[factor] = _smaller(self.picture.pixels, factor)
        return known


class CoarseFinder:
    """Finds one picture.

    Args:
        threshold: least score of a place that counts, 0 … 1.
    """

    def __init__(self, template: Template, threshold: float) -> None:
        self.size = template.size
        self._template = template
        self._threshold = threshold
        self._finder = Finder(template, threshold)
        side = min(template.size)
        self._factor = next((factor for factor, least in _LEAST_SIDE.items() if side >= least), 1)
        self._grey: Pixels | None = None
        self._mask: Pixels | None = None
        if self._factor > 1:
            self._shrink(self._factor)

    def find(self, sizes: Sizes) -> list[Place]:
        """Places with a score of at least the threshold; of each thing at least the best one."""
        if self._grey is None:
            return self._finder.find(sizes.picture)
        found: list[Place] = []
        for x, y in self._candidates(sizes.smaller(self._factor)):
            place = self._look_closely(sizes.picture.pixels, x * self._factor, y * self._factor)
            if place is not None:
                found.append(place)
        return found

    def _shrink(self, factor: int) -> None:
        mask = None if self._template.mask is None else _smaller(self._template.mask, factor)
        grey = _smaller(self._template.pixels, factor)
        inside = None if mask is None else mask >= 250
        shown = grey if inside is None else grey[inside]
        if shown.size < 16 or (inside is None and float(shown.std()) < _FLAT):
            return
        self._grey = grey
        self._mask = None if inside is None else np.where(inside, 255, 0).astype(np.uint8)

    def _candidates(self, picture: Pixels) -> list[tuple[int, int]]:
        """Return the likely places of the smaller picture, the likeliest first."""
        assert self._grey is not None
        height, width = self._grey.shape
        if picture.shape[0] < height or picture.shape[1] < width:
            return []
        if self._mask is None:
            scores = np.asarray(cv2.matchTemplate(picture, self._grey, cv2.TM_CCOEFF_NORMED), np.float32)
        else:
            squares = cv2.matchTemplate(picture, self._grey, cv2.TM_SQDIFF, mask=self._mask)
            mean = np.maximum(np.asarray(squares, np.float32), 0) / max(1, cv2.countNonZero(self._mask))
            scores = (1 - np.sqrt(mean) / WORST_RMS).astype(np.float32)
        peaks = (scores >= self._threshold - _SLACK) & (
            scores >= cv2.dilate(scores, np.ones((3, 3), np.uint8))
        )
        ys, xs = np.nonzero(peaks)
        best = np.argsort(-scores[ys, xs], kind="stable")[:_MOST_TRIED]
        return list(zip(xs[best].tolist(), ys[best].tolist(), strict=True))

    def _look_closely(self, picture: Pixels, x: int, y: int) -> Place | None:
        """The best place within a cell of the smaller frame around a candidate."""
        width, height = self.size
        left, top = max(0, x - self._factor), max(0, y - self._factor)
        window = picture[top : y + height + self._factor, left : x + width + self._factor]
        scores = self._template.scores(window)
        if not scores.size:
            return None
        row, column = np.unravel_index(int(scores.argmax()), scores.shape)
        score = float(scores[row, column])
        return (left + int(column), top + int(row), score) if score >= self._threshold else None


def _smaller(pixels: Pixels, factor: int) -> Pixels:
    """Means of whole cells; what is left over on the right and below is cut off."""
    height, width = (side // factor * factor for side in pixels.shape[:2])
    whole = pixels[:height, :width]
    grey = cv2.cvtColor(whole, cv2.COLOR_BGR2GRAY) if whole.ndim == 3 else whole
    size = (width // factor, height // factor)
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
