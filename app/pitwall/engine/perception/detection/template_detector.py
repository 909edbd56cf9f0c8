"""Detectors by pictures of the game's folder, in several sizes.

A full correlation of a frame costs tens of milliseconds for each picture, so a picture is searched on a
smaller frame first, and in full only where it may be. Small pictures, which would vanish, are searched in
full.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels, non_maximum_suppression
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.picture_search import Finder, Picture, Place
from pitwall.engine.perception.templates import WORST_RMS, Template, load_template
from pitwall.games.schema.detectors import TemplateDetector

_SAME = 0.3
"""Two places that share more of their area than this are one thing; the likelier picture wins."""
_MOST_PLACES = 2_000
"""Number of the best places that are compared; each thing is found at many neighbouring places."""


class TemplateFinder:
    """Finds every place of the pictures, the surest first; confidence is the likeness.

    Raises:
        TemplateError: a picture is missing or unusable.
    """

    def __init__(self, detector: TemplateDetector, folder: Path) -> None:
        self._detector = detector
        key = f"detectors.{detector.name}.templates"
        self._drawn = {
            label: load_template(folder / file, f"{key}.{label}")
            for label, file in detector.templates.items()
        }
        self._scale = (0.0, 0.0)
        self._finders: list[tuple[str, CoarseFinder]] = []
        self._crop: Pixels | None = None
        self._detections: tuple[Detection, ...] = ()

    def find(self, look: FrameView) -> tuple[Detection, ...]:
        """Return the places of the pictures; an unchanged crop is not searched again."""
        crop = look.crop(self._detector.box)
        if self._crop is None or not np.array_equal(crop, self._crop):
            self._crop, self._detections = crop.copy(), self._find(look)
        return self._detections

    def _find(self, look: FrameView) -> tuple[Detection, ...]:
        detector, origin = self._detector, look.rect(self._detector.box)
        sizes = Sizes(look.colours(detector.box))
        labels: list[str] = []
        places: list[Rect] = []
        scores: list[float] = []
        for label, finder in self._at(look.scale_x, look.scale_y):
            width, height = finder.size
            for x, y, score in sorted(finder.find(sizes), key=lambda place: -place[2])[:_MOST_PLACES]:
                labels.append(label)
                places.append(Rect(x, y, width, height))
                scores.append(min(1.0, score))
        if not places:
            return ()
        boxes = np.asarray([(place.x, place.y, place.right, place.bottom) for place in places], np.float32)
        kept = non_maximum_suppression(boxes, np.asarray(scores, np.float32), iou=_SAME, most=detector.most)
        return tuple(
            Detection(
                detector=detector.name,
                label=labels[at],
                confidence=scores[at],
                box=places[at].moved(origin.x, origin.y),
            )
            for at in kept.tolist()
        )

    def _at(self, scale_x: float, scale_y: float) -> list[tuple[str, CoarseFinder]]:
        if (scale_x, scale_y) != self._scale:
            self._scale = (scale_x, scale_y)
            threshold = self._detector.threshold
            self._finders = [
                (label, CoarseFinder(template.scaled(scale_x * scale, scale_y * scale), threshold))
                for label, template in self._drawn.items()
                for scale in self._detector.scales
            ]
        return self._finders


_LEAST_SIDE = {4: 40, 2: 18}
"""Factor by which the frame is shrunk → least side of a picture for it."""
_SLACK = 0.3
"""Allowed deficit of a picture's score on the smaller frame, where details blur."""
_MOST_TRIED = 40
_FLAT = 4.0
"""Least standard deviation in levels of a shrunk picture that can be searched."""

Floats = NDArray[np.float32]


class Sizes:
    """A part of a frame in the sizes that finders need, each made once."""

    def __init__(self, pixels: Pixels) -> None:
        self.picture = Picture(pixels)
        self._smaller: dict[int, Pixels] = {}

    def smaller(self, factor: int) -> Pixels:
        """Return grey levels, each the mean of factor × factor pixels."""
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
        """Return places with at least the threshold; of each thing at least the best place."""
        if self._grey is None:
            return self._finder.find(sizes.picture)
        pixels, factor = sizes.picture.pixels, self._factor
        candidates = self._candidates(sizes.smaller(factor))
        places = (self._look_closely(pixels, x * factor, y * factor) for x, y in candidates)
        return [place for place in places if place is not None]

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
        """Return likely places on the smaller frame, the likeliest first."""
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
        """Return the best place within a cell of the smaller frame around a candidate."""
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
    """Return the means of whole cells; the remainder on the right and below is cut off."""
    height, width = (side // factor * factor for side in pixels.shape[:2])
    whole = pixels[:height, :width]
    grey = cv2.cvtColor(whole, cv2.COLOR_BGR2GRAY) if whole.ndim == 3 else whole
    size = (width // factor, height // factor)
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
