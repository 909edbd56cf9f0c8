"""The switches over the curves: axis, smoothing, scale, which runs, charts or table."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from pitwall.console.charts.axes import Axis
from pitwall.console.kit.choice import TOOL_PX
from pitwall.console.kit.elements import Label, row
from pitwall.console.kit.theme import STEP

AXES = (
    ("step", "Step", "Decisions over all environments"),
    ("relative", "Training time", "Seconds of training, pauses apart"),
    ("wall", "Clock", "When it was"),
)
"""What can lie along the bottom, as a choice."""


def axis_of(key: str) -> Axis:
    """The axis of a choice."""
    known: dict[str, Axis] = {"step": "step", "relative": "relative", "wall": "wall"}
    return known[key]


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
        self._slider.valueChanged.connect(self._tell)
        self._slider.setValue(round(100 * weight))

    @property
    def weight(self) -> float:
        return self._slider.value() / 100

    def set_weight(self, weight: float) -> None:
        """Move it."""
        self._slider.setValue(round(100 * weight))

    def _tell(self) -> None:
        self._value.set_text(f"{self.weight:.2f}")
        self.changed.emit(self.weight)
