"""The route lanes: which controller drives, thinks or waits, which answers came too late, and a legend.

Driving is filled, thinking is an outline with wide stripes, waiting (the game waits too) is hatched, a
dropped answer is a cross, each in its controller's colour.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.theme import GAP, STEP, TINY_PX, Look, ui_font
from pitwall.console.state.histories import RouteActivity
from pitwall.core.signals import Route

_CORNER = 3
_STRIPES = 7.0
"""Pixels between two stripes of a thought."""
_CROSS = 3.5
WORDS: dict[RouteActivity, str] = {"": "drives", "thinking": "thinks", "waiting": "game waits"}


def paint_stretch(painter: QPainter, look: Look, place: QRectF, route: Route, state: RouteActivity) -> None:
    """Paint one stretch of a lane."""
    colour = look.colour(route.value)
    if not state:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(place, _CORNER, _CORNER)
        return
    inside = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("panel"))
    painter.drawRoundedRect(inside, _CORNER, _CORNER)
    if state == "waiting":
        painter.setPen(QPen(colour, 1))
        painter.setBrush(QBrush(colour, Qt.BrushStyle.DiagCrossPattern))
        painter.drawRoundedRect(inside, _CORNER, _CORNER)
        return
    painter.setBrush(look.colour(f"{route.value}_soft"))
    painter.setPen(QPen(colour, 1))
    painter.drawRoundedRect(inside, _CORNER, _CORNER)
    slant = inside.height() - 4
    at = inside.left() + 4
    while at + slant < inside.right() - 2:
        painter.drawLine(QPointF(at, inside.bottom() - 2), QPointF(at + slant, inside.top() + 2))
        at += _STRIPES


def paint_drop(painter: QPainter, look: Look, centre: QPointF) -> None:
    """Paint the mark of an answer that came too late."""
    ground = QRectF(centre.x() - _CROSS - 2, centre.y() - _CROSS - 2, 2 * _CROSS + 4, 2 * _CROSS + 4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("panel"))
    painter.drawEllipse(ground)
    painter.setPen(QPen(look.colour("stop"), 1.8))
    for sign in (-1, 1):
        painter.drawLine(
            QPointF(centre.x() - _CROSS, centre.y() - sign * _CROSS),
            QPointF(centre.x() + _CROSS, centre.y() + sign * _CROSS),
        )


class LaneKey(QWidget):
    """The legend of the lanes' shapes."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._font = ui_font(TINY_PX)
        self._sample = 22
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedSize(self.sizeHint())
        self.setAccessibleName(
            "Lanes: filled drives, striped thinks, hatched the game waits too, a cross is an answer dropped"
        )
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font)
        width = sum(
            self._sample + STEP + metrics.horizontalAdvance(words) + GAP + STEP for _, words in WORDS.items()
        )
        return QSize(width + 12 + STEP + metrics.horizontalAdvance("dropped") + 2, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        metrics = QFontMetrics(self._font)
        base = (self.height() + metrics.ascent() - metrics.descent()) // 2
        left = 0
        for state, words in WORDS.items():
            paint_stretch(painter, self._look, QRectF(left, 2, self._sample, 12), Route.STRATEGIC, state)
            left += self._sample + STEP
            painter.setPen(self._look.colour("faint"))
            painter.drawText(left, base, words)
            left += metrics.horizontalAdvance(words) + GAP + STEP
        paint_drop(painter, self._look, QPointF(left + 6, 8))
        painter.setPen(self._look.colour("faint"))
        painter.drawText(left + 12 + STEP, base, "dropped")
