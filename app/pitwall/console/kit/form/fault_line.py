"""The line of a form that says what is wrong with a field, in a room of its own: no field moves for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.elements import Label, plain_tip


class FaultLine(Label):
    """A sentence in the room that it is given; what does not fit is cut with "…" and shown in the tooltip."""

    def __init__(self) -> None:
        super().__init__("", "error")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def set_text(self, text: str) -> None:
        super().set_text(text)
        self.setToolTip(plain_tip(self.full_text()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        inside, metrics = self.contentsRect(), self.fontMetrics()
        lines = max(1, inside.height() // metrics.lineSpacing())
        lost_at_breaks = (lines - 1) * metrics.averageCharWidth() * _BREAK_LETTERS
        room = inside.width() * lines - lost_at_breaks
        text = metrics.elidedText(self.full_text(), Qt.TextElideMode.ElideRight, room)
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(inside, Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap, text)


_BREAK_LETTERS = 8
"""Letters of room that a line loses on average where a long word goes into the next."""


def keep_room(part: QWidget, kept: bool = True) -> None:
    """Keep the room of a part while it is hidden, so that nothing moves as it comes."""
    policy = part.sizePolicy()
    policy.setRetainSizeWhenHidden(kept)
    part.setSizePolicy(policy)
