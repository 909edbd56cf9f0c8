"""Paints detections over the live picture: corners around each object, its name and its confidence.

Detected objects get corners; a whole rectangle marks the place where a field is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from pitwall.console.kit.theme import DARK, STEP
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.core.quantities import share

_MOST_LABELS = 16
_CORNER = 7.0
"""Longest arm of a corner, logical pixels."""
_OLD_MS = 1.0
"""Age from which a box shows how old it is, because the object may have moved."""


def paint_detections(
    painter: QPainter,
    detections: Sequence[Detection],
    place: QRectF,
    scale: float,
    room: QRectF,
    taken: list[QRectF],
) -> None:
    """Paint detections; the most confident ones get a name where there is room.

    Args:
        place: of the frame; `scale` logical pixels for each pixel of the frame.
        room: where labels may be. taken: places of labels; the new ones are added.
    """
    boxes = [rect_on_picture(detection.box, place, scale) for detection in detections]
    lines = [line for box in boxes for line in _corners(box)]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(8, 10, 13, 150), 3))
    painter.drawLines(lines)
    painter.setPen(QPen(QColor(DARK.text), 1))
    painter.drawLines(lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    metrics = QFontMetrics(painter.font())
    for detection, box in list(zip(detections, boxes, strict=True))[:_MOST_LABELS]:
        words = words_of(detection)
        size = QRectF(0, 0, metrics.horizontalAdvance(words) + 2 * STEP, metrics.height()).size().toSize()
        label = free_place(box, size, room, taken)
        taken.append(label)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(8, 10, 13, 205))
        painter.drawRoundedRect(label, 3, 3)
        painter.setPen(QColor(DARK.dim))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, words)


def words_of(detection: Detection) -> str:
    """Label, confidence, and age where the box is older than the picture."""
    age = f" · {detection.age_ms:.0f} ms" if detection.age_ms >= _OLD_MS else ""
    return f"{detection.label} {share(detection.confidence)}{age}"


def _corners(box: QRectF) -> list[QLineF]:
    across, down = min(_CORNER, box.width() / 3), min(_CORNER, box.height() / 3)
    lines = []
    for corner, x, y in (
        (box.topLeft(), across, down),
        (box.topRight(), -across, down),
        (box.bottomLeft(), across, -down),
        (box.bottomRight(), -across, -down),
    ):
        lines += [QLineF(corner, corner + QPointF(x, 0)), QLineF(corner, corner + QPointF(0, y))]
    return lines


def rect_on_picture(box: Rect, place: QRectF, scale: float) -> QRectF:
    """Convert a box from frame pixels to the widget, on pixel centres."""
    area = QRectF(place.x() + box.x * scale, place.y() + box.y * scale, box.width * scale, box.height * scale)
    corner = QPointF(round(area.x()) + 0.5, round(area.y()) + 0.5)
    return QRectF(corner, QPointF(round(area.right()) - 0.5, round(area.bottom()) - 0.5))


def free_place(box: QRectF, size: QSize, inside: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """Return a place for a label near its box, inside the view, that overlaps no other label."""
    label = QRectF(QRect(0, 0, size.width(), size.height()))
    most_right = max(inside.left(), inside.right() - label.width())
    left = min(max(box.left(), inside.left()), most_right)
    above, below = box.top() - label.height() - 1, box.bottom() + 1
    beside = [(box.right() + 2, top) for top in (box.top(), box.bottom() - label.height())]
    beside += [(box.left() - label.width() - 2, top) for top in (box.top(), box.bottom() - label.height())]
    for place in ((left, above), (left, below), *beside, (left, box.top() + 1)):
        label.moveTo(*place)
        if inside.contains(label) and not any(label.intersects(other) for other in taken):
            return label
    label.moveTo(left, max(box.top() + 1, inside.top()))
    return _below_others(label, taken)


def place_aside(box: QRectF, size: QSize, edge: float, taken: Sequence[QRectF]) -> QRectF:
    """Return a place for a label right of the picture's edge, at the height of its box or lower."""
    label = QRectF(QRect(0, 0, size.width(), size.height()))
    label.moveTo(edge + 3 * STEP, box.center().y() - label.height() / 2)
    return _below_others(label, taken)


def _below_others(label: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """Move a label down until it overlaps no other one."""
    for _ in range(len(taken) + 1):
        lower = [other.bottom() for other in taken if label.intersects(other)]
        if not lower:
            break
        label.moveTop(max(lower) + 1)
    return label
