"""The live picture while a game is added: boxes are drawn and points are clicked on it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen

from pitwall.console.kit.picture.live_view import LiveView
from pitwall.console.kit.theme import DARK, Look
from pitwall.games.schema.fields import Box

_LEAST_DRAG = 4
"""A shorter drag, in logical pixels, is a click."""
_BUTTONS = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
}


class DrawView(LiveView):
    """The live picture that the mouse draws on.

    Signals:
        begun(): the left button went down on the picture. drawn(box): a box, in screen pixels.
        pointed(x, y, button): a click at a point of the screen. given_up(): no box was drawn.
    """

    begun = Signal()
    drawn = Signal(object)
    pointed = Signal(float, float, str)
    given_up = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.setAccessibleName("Live picture of the game; draw a box with the mouse")
        self.show_keys = self.show_badge = self.show_detections = False
        self._screen = (1, 1)
        self._from: QPointF | None = None
        self._to: QPointF | None = None
        self.draws = False
        """Whether a drag draws a box."""

    def set_screen(self, width: int, height: int) -> None:
        """Set the size in which boxes are drawn."""
        self._screen = (width, height)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.picture().contains(event.position()):
            return
        if event.button() is Qt.MouseButton.LeftButton:
            self._from = self._to = event.position()
            if self.draws:
                self.begun.emit()
        elif event.button() in _BUTTONS:
            self.pointed.emit(*self._on_screen(event.position()), _BUTTONS[event.button()])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._to = event.position()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._from is None:
            return
        start, end = self._from, event.position()
        self._from = self._to = None
        self.update()
        box = self._box(start, end) if self.draws else None
        if box is not None:
            self.drawn.emit(box)
            return
        if self.draws:
            self.given_up.emit()
        self.pointed.emit(*self._on_screen(start), "left")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.draws or self._from is None or self._to is None:
            return
        painter = QPainter(self)
        band = QRectF(self._from, self._to).normalized().intersected(self.picture())
        painter.fillRect(band, QColor(220, 227, 235, 28))
        painter.setPen(QPen(QColor(8, 10, 13, 200), 4))
        painter.drawRect(band)
        painter.setPen(QPen(QColor(DARK.focus), 2))
        painter.drawRect(band)

    def _on_screen(self, at: QPointF) -> tuple[float, float]:
        place = self.picture()
        if not place.width() or not place.height():
            return 0.0, 0.0
        x = (at.x() - place.x()) * self._screen[0] / place.width()
        y = (at.y() - place.y()) * self._screen[1] / place.height()
        return min(max(x, 0.0), self._screen[0] - 1.0), min(max(y, 0.0), self._screen[1] - 1.0)

    def _box(self, start: QPointF, end: QPointF) -> Box | None:
        if abs(end.x() - start.x()) < _LEAST_DRAG or abs(end.y() - start.y()) < _LEAST_DRAG:
            return None
        (left, top), (right, bottom) = self._on_screen(start), self._on_screen(end)
        x, y = int(min(left, right)), int(min(top, bottom))
        width, height = round(abs(right - left)) or 1, round(abs(bottom - top)) or 1
        return x, y, min(width, self._screen[0] - x), min(height, self._screen[1] - y)
