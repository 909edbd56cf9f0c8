"""Detectors without a model: patches of a colour, and changes between the last two frames."""

from __future__ import annotations

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.detectors import MOTION, ColourDetector, MotionDetector

Thing = tuple[int, Rect]
"""A thing's number of pixels, and its rectangle."""


class ColourFinder:
    """Finds patches of each label's colour, the largest first, with confidence 1."""

    def __init__(self, detector: ColourDetector) -> None:
        self._detector = detector

    def find(self, look: FrameView) -> tuple[Detection, ...]:
        detector = self._detector
        rect = look.rect(detector.box)
        patches: list[tuple[int, Rect, str]] = []
        for label, colour in detector.colours.items():
            mask = look.mask(detector.box, colour, detector.tolerance)
            patches += [(area, place, label) for area, place in connected_shapes(mask, rect, look, detector)]
        patches.sort(key=lambda patch: -patch[0])
        return tuple(
            Detection(detector=detector.name, label=label, confidence=1.0, box=place)
            for _, place, label in patches[: detector.most]
        )


class MotionFinder:
    """Finds patches whose brightness changed since the frame before, the largest first."""

    def __init__(self, detector: MotionDetector) -> None:
        self._detector = detector
        self._before: Pixels | None = None

    def find(self, look: FrameView) -> tuple[Detection, ...] | None:
        """Return the changed patches; None on the first frame and after a change of size."""
        detector = self._detector
        now = np.asarray(cv2.cvtColor(look.crop(detector.box), cv2.COLOR_BGRA2GRAY), np.uint8)
        before, self._before = self._before, now
        if before is None or before.shape != now.shape:
            return None
        changed = cv2.threshold(cv2.absdiff(now, before), detector.threshold - 1, 255, cv2.THRESH_BINARY)[1]
        mask = np.asarray(changed, np.uint8)
        return tuple(
            Detection(detector=detector.name, label=MOTION, confidence=1.0, box=place)
            for _, place in connected_shapes(mask, look.rect(detector.box), look, detector)
        )


def connected_shapes(
    mask: Pixels, rect: Rect, look: FrameView, detector: ColourDetector | MotionDetector
) -> list[Thing]:
    """Return the largest connected things of a mask (255 inside them), the largest first, in frame pixels.

    A thing has at least `least_px` pixels; patches at most `join_px` apart are one thing (in `screen`
    pixels).
    """
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    inside = mask[top : top + height, left : left + width]
    join = (round(detector.join_px * look.scale_x), round(detector.join_px * look.scale_y))
    joined = inside
    if any(join):
        joined = np.asarray(cv2.dilate(inside, np.ones((join[1] + 1, join[0] + 1), np.uint8)), np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    areas = np.bincount(labels[inside > 0], minlength=len(stats)) if any(join) else stats[:, 4].copy()
    areas[0] = 0
    order = np.argsort(-areas, kind="stable")[: detector.most]
    least = max(1.0, detector.least_px * look.scale_x * look.scale_y)
    things: list[Thing] = []
    for number in order[areas[order] >= least].tolist():
        x, y, wide, high = stats[number, :4].tolist()
        if any(join):  # its rectangle before it was dilated
            own = (labels[y : y + high, x : x + wide] == number) & (inside[y : y + high, x : x + wide] > 0)
            inner = cv2.boundingRect(own.astype(np.uint8))
            x, y, wide, high = x + inner[0], y + inner[1], inner[2], inner[3]
        things.append((int(areas[number]), Rect(rect.x + left + x, rect.y + top + y, wide, high)))
    return things
