"""The sign by which an answerer is known on the radar, wherever it is named."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.series_style import marker_name, paint_marker, series_colour
from pitwall.console.kit.theme import Look

_SIZE = 14


class AnswererKey(QWidget):
    """A shape in its ink.

    Args:
        number: of the colour and shape (`charts.series_style`). hollow: as a line for comparison has it.
    """

    def __init__(self, look: Look, number: int, *, hollow: bool = False) -> None:
        super().__init__()
        self._look, self._number, self._hollow = look, number, hollow
        self.setFixedSize(_SIZE, _SIZE)
        self.setAccessibleName(marker_name(number))
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        centre = QPointF(_SIZE / 2, _SIZE / 2)
        paint_marker(
            painter, centre, self._number, series_colour(self._look, self._number), 4.2, hollow=self._hollow
        )
