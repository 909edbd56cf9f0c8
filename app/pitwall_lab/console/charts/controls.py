"""The switches over a panel of charts: axis, smoothing, charts or table; and charts laid out as tiles."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSlider, QWidget

from pitwall.console.charts.axes import Axis
from pitwall.console.kit.controls import TOOL_PX, Choice, Toggle
from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.theme import GAP, STEP
from pitwall_lab.console.charts.chart import HOW
from pitwall_lab.console.charts.shared_view import SharedView

_AXES: dict[Axis, tuple[str, str]] = {
    "step": ("Step", "Decisions over all environments"),
    "relative": ("Training time", "Seconds of training, pauses apart"),
    "wall": ("Clock", "When it was"),
}
"""Choices of the bottom axis: word and meaning."""


class ChartTools(Flow):
    """The switches of charts that share a view, in as many lines as they need.

    Args:
        before, after: the panel's own switches, before the axis and after the smoothing.
        smoothing: initial weight; None: these charts cannot be smoothed.

    Signals:
        changed(): the charts must be redrawn.
    """

    changed = Signal()

    def __init__(
        self,
        view: SharedView,
        *,
        before: Sequence[QWidget] = (),
        after: Sequence[QWidget] = (),
        smoothing: float | None = None,
    ) -> None:
        super().__init__(GAP)
        self._view = view
        self._axis = Choice("Axis", [(key, *words) for key, words in _AXES.items()])
        self._axis.chosen.connect(self._use_axis)
        self.smoothing = Smoothing(smoothing or 0.0)
        self.smoothing.changed.connect(lambda _: self.changed.emit())
        self._table = Toggle("Table", "The same numbers as rows, to sort and to copy")
        self._table.toggled.connect(lambda _: self._turn())
        self._reset = Button("Reset view", view.reset, kind="toggle", tip=f"Everything in view. {HOW}")
        self._reset.setFixedHeight(TOOL_PX)
        self._reset.hide()
        view.moved.connect(self._moved)
        smoothed = () if smoothing is None else (self.smoothing,)
        self._of_charts = (*before, self._axis, *smoothed, *after)
        for tool in (*self._of_charts, self._table, self._reset):
            self.flow.addWidget(tool)

    @property
    def as_table(self) -> bool:
        """Return whether the operator wants the table in place of the charts."""
        return self._table.isChecked()

    def _turn(self) -> None:
        for tool in self._of_charts:
            tool.setEnabled(not self.as_table)
        self.changed.emit()

    def _use_axis(self, key: str) -> None:
        self._view.use_axis(next(axis for axis in _AXES if axis == key))
        self.changed.emit()

    def _moved(self) -> None:
        self._reset.setVisible(self._view.zoomed)
        self.updateGeometry()


class Tiles(QWidget):
    """Lays out widgets in rows of as many as fit.

    Args:
        widths: pixels from which two, three … widgets share a row.
    """

    def __init__(self, *widths: int) -> None:
        super().__init__()
        self._widths = widths
        self._head: QWidget | None = None
        self._tiles: list[QWidget] = []
        self._across = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetMinAndMaxSize)

    def show_tiles(self, tiles: Sequence[QWidget], head: QWidget | None = None) -> None:
        """Show these widgets; `head` takes a row of its own, about twice as high."""
        if list(tiles) != self._tiles or head is not self._head:
            self._tiles, self._head, self._across = list(tiles), head, 0
            self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        across = 1 + sum(self.width() >= width for width in self._widths)
        if across == self._across:
            return
        self._across = across
        for at in range(self._grid.rowCount()):
            self._grid.setRowStretch(at, 0)
        while self._grid.takeAt(0) is not None:
            pass
        if self._head is not None:
            self._grid.addWidget(self._head, 0, 0, 1, across)
            self._grid.setRowStretch(0, 16)
        for at, tile in enumerate(self._tiles):
            self._grid.addWidget(tile, 1 + at // across, at % across)
            self._grid.setRowStretch(1 + at // across, 9)
        for at in range(1 + len(self._widths)):
            self._grid.setColumnStretch(at, 1 if at < across else 0)


class Smoothing(QWidget):
    """Lets the operator set the weight of smoothing: the share that earlier values keep.

    Signals:
        changed(weight): 0 … 0.99.
    """

    changed = Signal(float)

    def __init__(self, weight: float) -> None:
        super().__init__()
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, 99)
        self._slider.setPageStep(10)
        self._slider.setFixedWidth(92)
        self._slider.setAccessibleName("Smoothing")
        self._slider.setToolTip("0: nothing is smoothed; 0.99: the mean of about the last hundred points")
        self._value = Label("")
        self._value.setMinimumWidth(self._value.fontMetrics().horizontalAdvance("0.00") + 2)
        self.setFixedHeight(TOOL_PX)
        self.setLayout(row(Label("smoothing", "note"), self._slider, self._value, gap=STEP + 2))
        self._slider.valueChanged.connect(self._notify)
        self._slider.setValue(round(100 * weight))

    @property
    def weight(self) -> float:
        return self._slider.value() / 100

    def set_weight(self, weight: float) -> None:
        """Move it."""
        self._slider.setValue(round(100 * weight))

    def _notify(self) -> None:
        self._value.set_text(f"{self.weight:.2f}")
        self.changed.emit(self.weight)
