"""The switches over the curves: axis, smoothing, scale, which runs, charts or table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSlider, QWidget

from pitwall.console.lab import progress
from pitwall.console.lab.axes import Axis
from pitwall.console.lab.ink import ink, paint_shape, shape_name
from pitwall.console.lab.reading import LabRun
from pitwall.console.theme import RADIUS, SMALL_PX, STEP, Look, ui_font
from pitwall.console.widgets.panels import Button, Label, row

_WIDEST = 200
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


class RunChip(QAbstractButton):
    """A run's shape, colour and name; unchecked where it is left out of the charts."""

    def __init__(self, look: Look, run: LabRun, toggled: Callable[[bool], object]) -> None:
        super().__init__()
        self._look = look
        self._ink = run.colour
        self._font = ui_font(SMALL_PX)
        self.setCheckable(True)
        self.setChecked(True)
        self.setText(run.label)
        self.setAccessibleName(f"Show {run.label} ({shape_name(run.colour)})")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.toggled.connect(toggled)
        look.changed.connect(self.update)
        self._share = 0.0
        self.show_progress(run)

    def show_progress(self, run: LabRun) -> None:
        """Say how far its training is; a line along its foot shows it while it trains."""
        self.setToolTip(f"{run.label}: {progress.sentence(run)}")
        self.setAccessibleDescription(progress.sentence(run))
        share = progress.share_done(run) if run.live else 0.0
        if share != self._share:
            self._share = share
            self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font).horizontalAdvance(self.text())
        return QSize(min(words, _WIDEST) + 34, 26)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        shown = self.isChecked()
        painter.setPen(self._look.colour("focus" if self.hasFocus() else "line"))
        ground = "hover" if self.underMouse() else "raised" if shown else "panel"
        painter.setBrush(self._look.colour(ground))
        painter.drawRoundedRect(area, RADIUS - 2, RADIUS - 2)
        colour = ink(self._look, self._ink) if shown else self._look.colour("faint")
        if self._share:
            foot = QRectF(RADIUS, self.height() - 3, (self.width() - 2 * RADIUS) * self._share, 2)
            painter.fillRect(foot, colour)
        paint_shape(painter, QPointF(13, self.height() / 2), self._ink, colour, 4.2, hollow=not shown)
        painter.setFont(self._font)
        painter.setPen(self._look.colour("text" if shown else "faint"))
        metrics = QFontMetrics(self._font)
        words = metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, _WIDEST)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect().adjusted(24, 0, -4, 0), middle, words)
