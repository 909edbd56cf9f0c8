"""Reads fields from a detector's boxes: a value of one box, or their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView, place_values
from pitwall.games.schema.fields import DetectedField


@dataclass(frozen=True, slots=True)
class DetectorResult:
    """A detector's boxes in the last frame that it searched.

    Attributes:
        boxes: the surest first, in frame pixels.
        age_ms: age of that frame; 0 if it is the newest.
    """

    boxes: tuple[Detection, ...]
    age_ms: float = 0.0


def read_detected(field: DetectedField, detected: DetectorResult | None, look: FrameView) -> FieldResult:
    """Read a field from its detector's boxes.

    It is a value of the picked box in `screen` pixels, the number of boxes, or whether there is one.

    Args:
        detected: the detector's boxes; None: it has not searched yet, or could not.
    """
    if detected is None:
        return UNREADABLE
    fitting = list(_fitting(field, detected.boxes, look))
    if field.value == "count":
        return FieldResult(len(fitting), min((detection.confidence for detection in fitting), default=1.0))
    if not fitting:
        return FieldResult(False) if field.value == "seen" else UNREADABLE
    picked = _pick(field.pick, fitting, look)
    box = picked.box
    middle_x, middle_y = box.x + box.width / 2, box.y + box.height / 2
    values = place_values(box, middle_x, middle_y, box.width * box.height, look)
    if field.value == "seen":
        return FieldResult(True, picked.confidence, box)
    if field.value == "confidence":
        return FieldResult(round(picked.confidence, 3), picked.confidence, box)
    return FieldResult(round(values[field.value], 1), picked.confidence, box)


def _fitting(field: DetectedField, boxes: Iterable[Detection], look: FrameView) -> Iterable[Detection]:
    area: Rect | None = None if field.box is None else look.rect(field.box)
    for detection in boxes:
        box = detection.box
        middle = (box.x + box.width / 2, box.y + box.height / 2)
        if field.label in ("", detection.label) and (area is None or area.contains(*middle)):
            yield detection


def _pick(pick: str, boxes: list[Detection], look: FrameView) -> Detection:
    """Return the picked box; among equal boxes the surest, which comes first."""
    middle = look.width / 2
    keys: dict[str, Callable[[Detection], float]] = {
        "largest": lambda detection: -detection.box.width * detection.box.height,
        "surest": lambda detection: -detection.confidence,
        "nearest": lambda detection: abs(detection.box.x + detection.box.width / 2 - middle),
        "leftmost": lambda detection: detection.box.x,
        "rightmost": lambda detection: -detection.box.right,
        "topmost": lambda detection: detection.box.y,
        "bottommost": lambda detection: -detection.box.bottom,
    }
    return min(boxes, key=keys[pick])
