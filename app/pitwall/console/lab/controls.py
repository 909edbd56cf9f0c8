"""The switches over the curves: axis, smoothing, scale, which runs, charts or table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QSlider, QWidget

from pitwall.console.lab.axes import Axis
from pitwall.console.theme import STEP
from pitwall.console.widgets.panels import Button, Label, row

TOOL_PX = 28
"""Height of every switch."""


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


class Choice(QWidget):
    """One of a few words; arrows move between them.

    Signals:
        chosen(key): another one was taken by the operator.
    """

    chosen = Signal(str)

    def __init__(self, name: str, options: Sequence[tuple[str, str, str]]) -> None:
        """Args: options: (key, word, tip) each; the first is taken."""
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, Button] = {}
        for key, word, tip in options:
            button = Button(word, kind="segment", name=f"{name}: {word}", tip=tip)
            button.setCheckable(True)
            button.clicked.connect(lambda *_, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self._buttons[key] = button
        for end, key in (("first", options[0][0]), ("last", options[-1][0])):
            self._buttons[key].setProperty("end", end)
        self.setFixedHeight(TOOL_PX)
        self.setLayout(row(*self._buttons.values(), gap=0))
        self.choose(options[0][0])

    @property
    def current(self) -> str:
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Take one, without telling it."""
        self._buttons[key].setChecked(True)


class Smoothing(QWidget):
    """How much of what was before stays in a smoothed value.

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


class Toggle(Button):
    """On or off."""

    def __init__(self, word: str, tip: str) -> None:
        super().__init__(word, kind="toggle", tip=tip)
        self.setCheckable(True)
        self.setFixedHeight(TOOL_PX)
