"""Fields that read a detector's boxes: which one, and what of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView, place_values
from pitwall.games.schema.fields import DetectedField


@dataclass(frozen=True, slots=True)
class DetectorResult:
    """Holds one detector's findings from its last look.

    Attributes:
        found: the surest first, in frame pixels.
        age_ms: how old the frame is that it looked at; 0 where it is the newest.
    """

    found: tuple[Detection, ...]
    age_ms: float = 0.0


def read_detected(field: DetectedField, looked: DetectorResult | None, look: FrameView) -> FieldResult:
    """Read a field from its detector's boxes: one value of the picked box in `screen` pixels, their number,
    or whether one is seen.

    Args:
        looked: what the field's detector found; None: it has not looked, or could not.
    """
    if looked is None:
        return UNREADABLE
    fitting = list(_fitting(field, looked.found, look))
    if field.value == "count":
        return FieldResult(len(fitting), min((one.confidence for one in fitting), default=1.0))
    if not fitting:
        return FieldResult(False) if field.value == "seen" else UNREADABLE
    one = _pick(field.pick, fitting, look)
    box = one.box
    middle_x, middle_y = box.x + box.width / 2, box.y + box.height / 2
    values = place_values(box, middle_x, middle_y, box.width * box.height, look)
    if field.value == "seen":
        return FieldResult(True, one.confidence, box)
    if field.value == "confidence":
        return FieldResult(round(one.confidence, 3), one.confidence, box)
    return FieldResult(round(values[field.value], 1), one.confidence, box)


def _fitting(field: DetectedField, boxes: Iterable[Detection], look: FrameView) -> Iterable[Detection]:
    area: Rect | None = None if field.box is None else look.rect(field.box)
    for one in boxes:
        middle = (one.box.x + one.box.width / 2, one.box.y + one.box.height / 2)
        if field.label in ("", one.label) and (area is None or area.contains(*middle)):
            yield one


def _pick(pick: str, boxes: list[Detection], look: FrameView) -> Detection:
    """The first of those that are equal: detectors give the surest first."""
    middle = look.width / 2
    keys: dict[str, Callable[[Detection], float]] = {
        "largest": lambda one: -one.box.width * one.box.height,
        "surest": lambda one: -one.confidence,
        "nearest": lambda one: abs(one.box.x + one.box.width / 2 - middle),
        "leftmost": lambda one: one.box.x,
        "rightmost": lambda one: -one.box.right,
        "topmost": lambda one: one.box.y,
        "bottommost": lambda one: -one.box.bottom,
    }
    return min(boxes, key=keys[pick])
