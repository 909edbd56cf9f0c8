"""Draws the ground of painted cells and rows, and cuts text that does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QWidget

from pitwall.console.kit.theme import SMALL_PX, TEXT_PX, Look, ui_font

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_CHIP_PX, _CHIP_PAD_PX, _CHIP_GAP_PX = 20, 8, 5


@cache
def font_of(px: int, bold: bool) -> QFont:
    """Return the console's font in a size; each size is created once."""
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


def draw_chips(painter: QPainter, room: QRect, texts: Sequence[str], look: Look) -> QRect:
    """Draw texts as chips side by side, as many as there is room for; returns the room left, for no text."""
    painter.setFont(font_of(SMALL_PX, False))
    metrics, left = painter.fontMetrics(), room.left()
    for text in texts:
        width = metrics.horizontalAdvance(text) + 2 * _CHIP_PAD_PX
        if left + width > room.right() + 1 and left > room.left():
            break
        chip = QRect(left, room.center().y() - _CHIP_PX // 2, min(width, room.right() + 1 - left), _CHIP_PX)
        painter.setPen(look.colour("line"))
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(chip, _CHIP_PX // 2, _CHIP_PX // 2)
        painter.setPen(look.colour("text"))
        inside = chip.adjusted(_CHIP_PAD_PX, 0, 1 - _CHIP_PAD_PX, 0)
        painter.drawText(inside, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, inside.width()))
        left += width + _CHIP_GAP_PX
    return QRect(room.right(), room.top(), 0, room.height())
