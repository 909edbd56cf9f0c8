"""The read-out of a panel of charts: beside the crosshair, for whichever of them is read."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.axes import place_text
from pitwall.console.charts.chart import Chart
from pitwall.console.charts.readout import ReadOut
from pitwall.console.charts.shared_view import SharedView
from pitwall.console.kit.theme import Look


class Hover:
    """Shows the values where a chart of the panel is read, and goes when none is."""

    def __init__(self, look: Look, panel: QWidget, view: SharedView) -> None:
        self._panel, self._view = panel, view
        self.box = ReadOut(look, panel)
        view.pointed.connect(self._pointed)

    def read(self, chart: Chart, place: QPointF, unit: str) -> None:
        """Show the values of a chart where the pointer is in it."""
        if self._view.at is None:
            return
        x = round(chart.frame().x_of(self._view.at))
        where = chart.mapTo(self._panel, QPoint(x, round(place.y())))
        rows = chart.readings(self._view.at, unit)
        self.box.show_at(where, place_text(self._view.axis, self._view.at), rows)
        chart.setAccessibleDescription(self.box.text())

    def _pointed(self) -> None:
        if self._view.at is None:
            self.box.hide()
