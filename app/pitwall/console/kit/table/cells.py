"""The delegate that paints every cell of every table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from pitwall.console.kit.row_drawing import RowDrawing, font_of
from pitwall.console.kit.table.model import Index, TableModel
from pitwall.console.kit.theme import GAP, SMALL_PX

_LINE_PX = 19
_MARK_PX = 3


class Cells(RowDrawing):
    """Paints a row's ground and line, what its column draws, and one or two lines of text."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, TableModel)
        column, row = model.columns[index.column()], model.row_at(index.row())
        painter.save()
        self.ground(painter, option, index)
        room = self.room(option, index)
        if row is None:
            text = model.placeholder(index.row(), index.column())
            self.words(painter, room, text, "faint", px=column.px, right=column.number)
        else:
            if column.draw is not None:
                painter.setFont(font_of(column.px, column.bold_of(row)))
                room = column.draw(painter, room, row, self.look)
            if column.lower is not None:
                lower = QRect(room.left(), room.center().y() + 1, room.width(), _LINE_PX)
                text, tone = column.lower(row)
                self.words(painter, lower, text, tone, px=SMALL_PX, right=column.number)
                room = lower.translated(0, -_LINE_PX)
            text, tone, bold = column.text(row), column.tone_of(row), column.bold_of(row)
            self.words(painter, room, text, tone, px=column.px, bold=bold, right=column.number)
        painter.restore()

    def ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the background of a cell: the highlight of the row, the selection, the line below."""
        model: Any = index.model()
        row = model.row_at(index.row())
        area: QRect = option.rect
        lit = model.ground(row) if row is not None else ""
        if self.selected(option):
            painter.fillRect(area, self.look.colour(lit or "hover"))
            if index.column() == 0:
                mark = QRect(area.left(), area.top(), _MARK_PX, area.height())
                painter.fillRect(mark, self.look.colour("text"))
        elif lit:
            painter.fillRect(area, self.look.colour(lit))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), self.look.colour("line"))

    def selected(self, option: QStyleOptionViewItem) -> bool:
        state: QStyle.StateFlag = option.state
        return bool(state & QStyle.StateFlag.State_Selected)

    def room(self, option: QStyleOptionViewItem, _index: Index) -> QRect:
        """Return the part of a cell that is drawn into."""
        area: QRect = option.rect
        return area.adjusted(GAP, 0, -GAP, -1)
