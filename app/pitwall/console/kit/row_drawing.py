"""Draws the ground of painted cells and rows, and cuts text that does not fit."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QWidget

from pitwall.console.kit.theme import TEXT_PX, Look, ui_font

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@cache
def font_of(px: int, bold: bool) -> QFont:
    """The console's face; each size is made once."""
    return ui_font(px, bold=bold)


class RowDrawing(QStyledItemDelegate):
    """A delegate that paints with the theme's colours."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look

    def words(
        self,
        painter: QPainter,
        room: QRect,
        text: str,
        colour: str,
        *,
        px: int = TEXT_PX,
        bold: bool = False,
        right: bool = False,
    ) -> int:
        """Draw text, cut where it does not fit; returns how wide it is in pixels."""
        painter.setFont(font_of(px, bold))
        painter.setPen(self.look.colour(colour))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        painter.drawText(room, _RIGHT if right else _LEFT, cut)
        return painter.fontMetrics().horizontalAdvance(cut)
