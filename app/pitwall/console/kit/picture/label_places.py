"""Places detection boxes on the live picture, and their labels where no other label lies."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize

from pitwall.core.geometry import Rect


def rect_on_picture(box: Rect, place: QRectF, scale: float) -> QRectF:
    """A box in frame pixels where it lies on the widget, on pixel centres."""
    area = QRectF(place.x() + box.x * scale, place.y() + box.y * scale, box.width * scale, box.height * scale)
    corner = QPointF(round(area.x()) + 0.5, round(area.y()) + 0.5)
    return QRectF(corner, QPointF(round(area.right()) - 0.5, round(area.bottom()) - 0.5))


def free_place(box: QRectF, size: QSize, inside: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """A place for a label near its box, inside the view, where none lies yet."""
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
    for _ in range(len(taken) + 1):
        lower = [other.bottom() for other in taken if label.intersects(other)]
        if not lower:
            break
        label.moveTop(max(lower) + 1)
    return label
