"""A score as a bar of its parts, and the legend that names them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.theme import PAD, SMALL_PX, STEP, Look, ui_font
from pitwall_memory_editor.console.why.format import PART_NAMES
from pitwall_memory_editor.console.why.rows import ScorePart

PART_COLOURS: dict[str, tuple[str, int]] = {
    "jaccard": ("score_likeness", 255),
    "cosine": ("score_likeness", 130),
    "reward": ("score_worth", 255),
    "success": ("score_worth", 130),
    "bank": ("score_likeness", 255),
    "graph": ("score_graph", 255),
}
"""Part → colour and how opaque: likeness of the texts, worth of the action, the graph."""
_SQUARE = 9


def part_colour(look: Look, name: str) -> QColor:
    """Return the colour of a part of a score."""
    return look.colour(*PART_COLOURS[name])


def paint_parts(
    painter: QPainter, area: QRectF, look: Look, parts: Sequence[ScorePart], whole: float
) -> None:
    """Draw parts side by side on a bar whose length represents `whole`."""
    painter.fillRect(area, look.colour("line"))
    left = area.left()
    for part in parts:
        width = area.width() * min(1.0, part.amount / whole) if whole > 0 else 0.0
        width = min(width, area.right() - left)
        if width <= 0:
            break
        piece = QRectF(left, area.top(), max(1.0, width - 1.0), area.height())
        painter.fillRect(piece, look.colour("panel"))
        painter.fillRect(piece, part_colour(look, part.name))
        left += width


class PartsLegend(QWidget):
    """Names the colours of `paint_parts` in one line; names without room are left out."""

    NAMES = ("jaccard", "cosine", "reward", "success", "graph")

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setFont(ui_font(SMALL_PX))
        self.setAccessibleName("Parts of a score: " + ", ".join(PART_NAMES[name] for name in self.NAMES))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(sum(self._width(name) + PAD for name in self.NAMES), self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = 0
        middle = self.height() / 2
        base = int(middle + self.fontMetrics().ascent() / 2 - 1)
        for name in self.NAMES:
            wide = self._width(name)
            if left + wide > self.width():
                break
            square = QRectF(left, middle - _SQUARE / 2, _SQUARE, _SQUARE)
            painter.fillRect(square, part_colour(self._look, name))
            painter.setPen(self._look.colour("faint"))
            painter.drawText(left + _SQUARE + STEP, base, PART_NAMES[name])
            left += wide + PAD

    def _width(self, name: str) -> int:
        return _SQUARE + STEP + self.fontMetrics().horizontalAdvance(PART_NAMES[name])
