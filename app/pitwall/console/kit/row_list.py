"""A list of drawn rows, as high as they are, and the hand that draws one: its ground and its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.kit.theme import GAP, TEXT_PX, Look, ui_font

Index = QModelIndex | QPersistentModelIndex
ROW_DATA = Qt.ItemDataRole.UserRole
_WIDTH = 120
"""It takes the room it is given."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowList(QListWidget):
    """As high as its rows, up to a bound; arrows choose."""

    def __init__(self, name: str, row_height: int, most: int) -> None:
        super().__init__()
        self._row_height, self._most = row_height, most
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, self._row_height * 3)

    def minimumSizeHint(self) -> QSize:
        return QSize(_WIDTH, self._row_height)

    def fill(self, rows: Sequence[tuple[Any, str, str]], chosen: int) -> None:
        """Show rows of (data, what a screen reader says, tool tip), and mark one; tells nothing."""
        self.blockSignals(True)
        if self.count() != len(rows):
            self.clear()
            for _ in rows:
                item = QListWidgetItem()
                item.setSizeHint(QSize(10, self._row_height))
                self.addItem(item)
        for at, (data, said, tip) in enumerate(rows):
            item = self.item(at)
            if item.data(ROW_DATA) != data:
                item.setData(ROW_DATA, data)
            if item.data(Qt.ItemDataRole.AccessibleTextRole) != said:
                item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            if item.toolTip() != tip:
                item.setToolTip(tip)
        if 0 <= chosen < len(rows) and self.currentRow() != chosen:
            self.setCurrentRow(chosen)
        self.blockSignals(False)
        height = max(1, min(len(rows), self._most)) * self._row_height + 4
        if self.maximumHeight() != height:
            self.setFixedHeight(height)


class RowDelegate(QStyledItemDelegate):
    """Draws rows.

    Attributes:
        mark_inset: pixels that the mark of the chosen row stays away from its top and bottom.
    """

    mark_inset = 6

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look

    def ground(self, painter: QPainter, option: QStyleOptionViewItem, colour: str = "hover") -> QRect:
        """Paint what lies under a row; returns the room for its words."""
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        inset = self.mark_inset
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour(colour))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
            painter.setBrush(self.look.colour("text"))
            painter.drawRect(QRect(area.left(), area.top() + inset, 2, area.height() - 2 * inset))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour("raised"))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
        return area.adjusted(GAP + 2, 0, -GAP, 0)

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
        """Draw words, cut where they do not fit; returns how wide they are."""
        painter.setFont(ui_font(px, bold=bold))
        painter.setPen(self.look.colour(colour))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        painter.drawText(room, _RIGHT if right else _LEFT, cut)
        return painter.fontMetrics().horizontalAdvance(cut)
