"""Draws how a call spent its time: queued, loading, reading the prompt, writing; a bar with figures."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import KeyValue, column, row
from pitwall.console.kit.theme import STEP, Look
from pitwall.core.quantities import NONE, figure

_HEIGHT = 10
_SQUARE = 9
PARTS = {
    "queued": "Queued behind others",
    "loading": "Loading the model",
    "reading": "Reading the prompt",
    "writing": "Writing the reply",
}

Parts = tuple[tuple[str, float], ...]


class TimingBar(QWidget):
    """The bar, and a line for each part, which is its table twin."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._bar = _Bar(look)
        self._lines = {name: KeyValue(title, NONE) for name, title in PARTS.items()}
        lines = column(*(row(_Square(look, name), line) for name, line in self._lines.items()), gap=STEP)
        self.setLayout(column(self._bar, lines))

    def show_parts(self, parts: Parts, *, known: bool) -> None:
        """Show (name, ms) parts; where the call is open only reading and writing are known."""
        self._bar.show_parts(parts)
        for name, ms in parts:
            shown = known or name in ("reading", "writing")
            self._lines[name].set_value(figure(ms, "ms") if shown else NONE)


class _Bar(QWidget):
    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._parts: Parts = ()
        self.setFixedHeight(_HEIGHT)
        look.changed.connect(self.update)

    def show_parts(self, parts: Parts) -> None:
        if parts != self._parts:
            self._parts = parts
            text = ", ".join(f"{name} {ms:,.0f} ms" for name, ms in parts)
            self.setAccessibleName(f"Time of the call: {text or 'none'}")
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        whole = sum(ms for _, ms in self._parts)
        painter.fillRect(self.rect(), self._look.colour("hover"))
        left = 0.0
        for name, ms in self._parts:
            width = self.width() * ms / whole if whole else 0.0
            if width > 0:
                place = QRectF(left, 0, max(1.0, width - 1), _HEIGHT)
                paint_part(painter, self._look, place, name)
            left += width


class _Square(QWidget):
    def __init__(self, look: Look, part: str) -> None:
        super().__init__()
        self._look, self._part = look, part
        self.setFixedSize(_SQUARE, _SQUARE)
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_part(QPainter(self), self._look, QRectF(self.rect()), self._part)


def paint_part(painter: QPainter, look: Look, place: QRectF, part: str) -> None:
    """Paint one part: waiting is empty, loading hatched, reading dim, writing bright."""
    if part in ("reading", "writing"):
        painter.fillRect(place, look.colour("text" if part == "writing" else "dim"))
        return
    if part == "loading":
        painter.fillRect(place, QBrush(look.colour("dim"), Qt.BrushStyle.BDiagPattern))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(look.colour("faint"))
    painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
