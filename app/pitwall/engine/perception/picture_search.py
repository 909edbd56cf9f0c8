"""Finds every place of a picture: opaque pictures by correlation, transparent ones through a sieve.

Correlating a transparent picture everywhere costs a millisecond for ten digits. Its threshold bounds
the sum of square differences, and a few of its pixels can exceed that bound alone: so a few of the
darkest and brightest pixels are tried at all places at once, more of them at the remaining places, and only
the last remaining places are compared in full. No place that reaches the threshold is lost.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.engine.perception.templates import WORST_RMS, Template

_PROBES = 96
_FIRST = 16
"""Number of probes that are tried at every place; the others follow at the remaining places."""
_MOST_PLACES = 64
"""With more remaining places than this, a whole correlation is cheaper."""

Floats = NDArray[np.float32]
Place = tuple[int, int, float]
"""x, y of the upper left corner, and the score."""


class Picture:
    """A picture to search: BGR pixels, their grey levels, and their differences from given levels."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.height, self.width = pixels.shape[:2]
        self.grey: Floats = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.float32)
        self._squares: dict[float, Floats] = {}

    def squares(self, level: float) -> Floats:
        """Return the square difference of every pixel from a grey level, row by row: (height · width,)."""
        squares = self._squares.get(level)
        if squares is None:
            squares = self._squares[level] = np.square(self.grey - np.float32(level)).ravel()
        return squares


class Finder:
    """Finds one picture.

    Args:
        threshold: least score of a place that counts, 0 … 1.
    """

    def __init__(self, template: Template, threshold: float) -> None:
        self.size = template.size
        self._template = template
        self._threshold = threshold
        self._sieve = None if template.mask is None else _Sieve(template, threshold)

    def find(self, picture: Picture) -> list[Place]:
        """Return every place in a picture with a score of at least the threshold."""
        width, height = self.size
        if picture.height < height or picture.width < width:
            return []
        if self._sieve is not None:
            places = self._sieve.places(picture)
            if len(places) <= _MOST_PLACES:
                scored = [(x, y, self._sieve.score(picture.pixels, x, y)) for y, x in places]
                return [place for place in scored if place[2] >= self._threshold]
        scores = self._template.scores(picture.pixels)
        places = np.argwhere(scores >= self._threshold).tolist()
        return [(x, y, float(scores[y, x])) for y, x in places]


class _Sieve:
    """Removes the places where a transparent picture cannot reach its threshold."""

    def __init__(self, template: Template, threshold: float) -> None:
        assert template.mask is not None
        self._inside = np.flatnonzero(template.mask)
        self._values = template.pixels.reshape(-1, 3)[self._inside].astype(np.float32)
        self._height, self._width = template.mask.shape
        grey = np.asarray(cv2.cvtColor(template.pixels, cv2.COLOR_BGR2GRAY), np.float32)
        probes = _probes(grey.ravel(), self._inside)
        self._ys, self._xs = probes // self._width, probes % self._width
        self._levels = grey.ravel()[probes]
        first = (self._ys[:_FIRST], self._xs[:_FIRST], self._levels[:_FIRST])
        self._first = list(zip(*(part.tolist() for part in first), strict=True))
        # Grey weighs the three colours' differences by at most 0.587, so its square difference is at
        # most that share of theirs; but grey levels are rounded, by up to half a level on both sides.
        bound = 0.587 * 3.0 * len(self._inside) * (WORST_RMS * (1.0 - threshold)) ** 2
        self._bound = bound + 2.0 * math.sqrt(len(probes) * bound) + len(probes)

    def places(self, picture: Picture) -> list[list[int]]:
        """Return [y, x] of the places that may reach the threshold."""
        rows, columns = picture.height - self._height + 1, picture.width - self._width + 1
        count = (rows - 1) * picture.width + columns
        total = np.zeros(rows * picture.width, np.float32)
        for y, x, level in self._first:
            start = y * picture.width + x
            total[:count] += picture.squares(level)[start : start + count]
        places = np.argwhere(total.reshape(rows, picture.width)[:, :columns] <= self._bound)
        if len(places):
            seen = picture.grey[places[:, :1] + self._ys, places[:, 1:] + self._xs]
            places = places[np.square(seen - self._levels).sum(axis=1) <= self._bound]
        left: list[list[int]] = places.tolist()
        return left

    def score(self, picture: Pixels, x: int, y: int) -> float:
        window = picture[y : y + self._height, x : x + self._width].reshape(-1, 3)
        difference = window[self._inside] - self._values
        mean = float(np.vdot(difference, difference)) / max(1, difference.size)
        return max(0.0, 1.0 - math.sqrt(mean) / WORST_RMS)


def _probes(levels: Floats, inside: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return pixels from all over a picture, alternately dark and bright, each once."""
    low, high = np.quantile(levels[inside], (0.25, 0.75))
    dark, bright = inside[levels[inside] <= low], inside[levels[inside] >= high]
    picked = np.stack([_spread(dark), _spread(bright)], axis=1).ravel()
    _, first = np.unique(picked, return_index=True)
    probes: NDArray[np.intp] = picked[np.sort(first)]
    return probes


def _spread(places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return half the probes, spread so that the first few already cover the whole picture."""
    steps = np.arange(_PROBES // 2) * 0.6180339887 % 1.0
    spread: NDArray[np.intp] = places[(steps * len(places)).astype(int)]
    return spread
