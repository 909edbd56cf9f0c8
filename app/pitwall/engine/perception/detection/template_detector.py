"""Detector by pictures of the game's folder, in several sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pitwall.core.box_overlap import non_maximum_suppression
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.detection.coarse_search import CoarseFinder, Sizes
from pitwall.engine.perception.frame_view import FrameView
from pitwall.engine.perception.templates import load_template
from pitwall.games.schema.detectors import TemplateDetector

_SAME = 0.3
"""Two finds that share more of their area than this are one thing: the likelier picture's."""
_MOST_PLACES = 2_000
"""The best places that are compared; each thing is found at many places beside one another."""


class TemplateFinder:
    """Every place where one of the pictures is seen, the surest first; confidence is the likeness.

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
        self._found: tuple[Detection, ...] = ()

    def find(self, look: FrameView) -> tuple[Detection, ...]:
        """See `detectors.Finds.find`. What stands still is not searched again."""
        crop = look.crop(self._detector.box)
        if self._crop is None or not np.array_equal(crop, self._crop):
            self._crop, self._found = crop.copy(), self._find(look)
        return self._found

    def _find(self, look: FrameView) -> tuple[Detection, ...]:
        one, origin = self._detector, look.rect(self._detector.box)
        sizes = Sizes(look.colours(one.box))
        labels: list[str] = []
        places: list[tuple[int, int, int, int]] = []
        scores: list[float] = []
        for label, finder in self._at(look.scale_x, look.scale_y):
            width, height = finder.size
            for x, y, score in _best(finder.find(sizes)):
                labels.append(label)
                places.append((x, y, x + width, y + height))
                scores.append(min(1.0, score))
        if not places:
            return ()
        boxes = np.asarray(places, np.float32)
        standing = non_maximum_suppression(boxes, np.asarray(scores, np.float32), iou=_SAME, most=one.most)
        return tuple(
            Detection(
                detector=one.name,
                label=labels[at],
                confidence=scores[at],
                box=_rect(places[at], origin),
            )
            for at in standing.tolist()
        )

    def _at(self, scale_x: float, scale_y: float) -> list[tuple[str, CoarseFinder]]:
        if (scale_x, scale_y) != self._scale:
            self._scale = (scale_x, scale_y)
            self._finders = [
                (
                    label,
                    CoarseFinder(template.scaled(scale_x * scale, scale_y * scale), self._detector.threshold),
                )
                for label, template in self._drawn.items()
                for scale in self._detector.scales
            ]
        return self._finders


def _best(places: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    if len(places) <= _MOST_PLACES:
        return places
    return sorted(places, key=lambda place: -place[2])[:_MOST_PLACES]


def _rect(place: tuple[int, int, int, int], origin: Rect) -> Rect:
    left, top, right, bottom = place
    return Rect(origin.x + left, origin.y + top, right - left, bottom - top)
