"""How runs are told apart: each a colour and a shape, the same in every chart, chip and table."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from pitwall.console.kit.theme import Look

_COLOURS = (
    "reflex",
    "layer_l1",
    "layer_l3",
    "layer_l4",
    "layer_l2",
    "layer_l5",
    "layer_state",
    "score_worth",
)
"""Fields of the palette, none of which means another controller. The first is the reflexes' own."""
MARKERS = ("circle", "square", "triangle", "diamond", "wedge", "cross", "plus", "star")


def ink(look: Look, index: int, alpha: int = 255) -> QColor:
    """A run's colour."""
    return look.colour(_COLOURS[index % len(_COLOURS)], alpha)


def marker_name(index: int) -> str:
    """A run's shape in a word, for screen readers."""
    return MARKERS[index % len(MARKERS)]


def paint_marker(
    painter: QPainter, centre: QPointF, index: int, colour: QColor, size: float = 3.6, *, hollow: bool = False
) -> None:
    """A run's shape around a point.

    Args:
        size: half its width in pixels. hollow: only its outline.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shape = marker_name(index)
    if shape in ("cross", "plus"):
        painter.setPen(QPen(colour, 1.8))
        turn = math.pi / 4 if shape == "cross" else 0.0
        for angle in (turn, turn + math.pi / 2):
            reach = QPointF(math.cos(angle), math.sin(angle)) * size
            painter.drawLine(centre - reach, centre + reach)
        painter.restore()
        return
    painter.setPen(QPen(colour, 1.4) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else colour)
    if shape == "circle":
        painter.drawEllipse(centre, size, size)
    elif shape == "square":
        painter.drawRect(QRectF(centre.x() - size * 0.85, centre.y() - size * 0.85, size * 1.7, size * 1.7))
    else:
        painter.drawPolygon(_corners(shape, centre, size * 1.2))
    painter.restore()


def _corners(shape: str, centre: QPointF, size: float) -> QPolygonF:
    count, turn = {"triangle": (3, -90), "wedge": (3, 90), "diamond": (4, -90)}.get(shape, (10, -90))
    corners = QPolygonF()
    for at in range(count):
        reach = size * (0.5 if count == 10 and at % 2 else 1.0)
        angle = math.radians(turn + 360 * at / count)
        corners.append(centre + QPointF(math.cos(angle), math.sin(angle)) * reach)
    return corners
