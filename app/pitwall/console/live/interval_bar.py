"""Draws a share between 0 and 1 with its interval."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.theme import Look

_HEIGHT = 7


class IntervalBar(QWidget):
    """A share between 0 and 1 as a mark, with its interval as a band."""

    def __init__(self, look: Look, colour: str) -> None:
        super().__init__()
        self._look, self._colour = look, colour
        self._shown: tuple[float, float, float] | None = None
        self.setFixedHeight(_HEIGHT)
        look.changed.connect(self.update)

    def show_interval(self, shown: tuple[float, float, float] | None) -> None:
        """Show a share, its low and its high; None: nothing."""
        if shown != self._shown:
            self._shown = shown
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("line"))
        painter.drawRoundedRect(QRectF(0, 2, self.width(), _HEIGHT - 4), 1.5, 1.5)
        if self._shown is None:
            return
        share, low, high = (share * (self.width() - 3) for share in self._shown)
        painter.setBrush(self._look.colour(self._colour, 110))
        painter.drawRoundedRect(QRectF(low, 1, high - low + 3, _HEIGHT - 2), 2, 2)
        painter.setBrush(self._look.colour(self._colour))
        painter.drawRect(QRectF(share, 0, 3, _HEIGHT))
