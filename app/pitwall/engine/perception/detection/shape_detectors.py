"""Detectors that need no weights: patches of a colour, and what moved between the last two frames."""

from __future__ import annotations

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.detectors import MOTION, ColourDetector, MotionDetector

Thing = tuple[int, Rect]
"""Pixels of it, and the rectangle around them."""


class ColourFinder:
    """Patches of each label's colour, the largest first. A colour is there or is not: confidence 1."""

    def __init__(self, detector: ColourDetector) -> None:
        self._detector = detector

    def find(self, look: FrameView) -> tuple[Detection, ...]:
        one = self._detector
        rect = look.rect(one.box)
        found: list[tuple[int, Rect, str]] = []
        for label, colour in one.colours.items():
            mask = look.mask(one.box, colour, one.tolerance)
            patches = connected_shapes(
                mask, rect, look, least_px=one.least_px, join_px=one.join_px, most=one.most
            )
            found += [(area, place, label) for area, place in patches]
        found.sort(key=lambda patch: -patch[0])
        return tuple(
            Detection(detector=one.name, label=label, confidence=1.0, box=place)
            for _, place, label in found[: one.most]
        )


class MotionFinder:
    """Patches whose brightness changed since the frame before, the largest first."""

    def __init__(self, detector: MotionDetector) -> None:
        self._detector = detector
        self._before: Pixels | None = None

    def find(self, look: FrameView) -> tuple[Detection, ...] | None:
        """See `detectors.Finds.find`: None on the first frame, and on one of another size."""
        one = self._detector
        now = np.asarray(cv2.cvtColor(look.crop(one.box), cv2.COLOR_BGRA2GRAY), np.uint8)
        before, self._before = self._before, now
        if before is None or before.shape != now.shape:
            return None
        changed = cv2.threshold(cv2.absdiff(now, before), one.threshold - 1, 255, cv2.THRESH_BINARY)[1]
        patches = connected_shapes(
            np.asarray(changed, np.uint8),
            look.rect(one.box),
            look,
            least_px=one.least_px,
            join_px=one.join_px,
            most=one.most,
        )
        return tuple(
            Detection(detector=one.name, label=MOTION, confidence=1.0, box=place) for _, place in patches
        )


def connected_shapes(
    mask: Pixels, rect: Rect, look: FrameView, *, least_px: int, join_px: int, most: int
) -> list[Thing]:
    """The largest connected things of a mask (255 where they are), the largest first, in frame pixels.

    Args:
        least_px: fewer pixels (of `screen`) in all are no thing.
        join_px: patches with at most so many pixels (of `screen`) between them are one thing.
    """
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    inside = mask[top : top + height, left : left + width]
    join = (round(join_px * look.scale_x), round(join_px * look.scale_y))
    joined = inside
    if any(join):
        joined = np.asarray(cv2.dilate(inside, np.ones((join[1] + 1, join[0] + 1), np.uint8)), np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    areas = np.bincount(labels[inside > 0], minlength=len(stats)) if any(join) else stats[:, 4].copy()
    areas[0] = 0
    order = np.argsort(-areas, kind="stable")[:most]
    least = max(1.0, least_px * look.scale_x * look.scale_y)
    found: list[Thing] = []
    for number in order[areas[order] >= least].tolist():
        x, y, wide, high = stats[number, :4].tolist()
        if any(join):  # the rectangle around it before it was widened
            own = (labels[y : y + high, x : x + wide] == number) & (inside[y : y + high, x : x + wide] > 0)
            inner = cv2.boundingRect(own.astype(np.uint8))
            x, y, wide, high = x + inner[0], y + inner[1], inner[2], inner[3]
        found.append((int(areas[number]), Rect(rect.x + left + x, rect.y + top + y, wide, high)))
    return found
