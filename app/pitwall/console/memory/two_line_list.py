"""A list of two-line rows: what it is, and the figures under it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pitwall.console.kit.theme import PAD, SMALL_PX, TEXT_PX, Look, ui_font

_HEIGHT = 50
_LINE = 18
_BELOW = Qt.ItemDataRole.UserRole


class TwoLineList(QListWidget):
    """Rows are chosen one at a time."""

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Delegate(look, self))
        look.changed.connect(self.viewport().update)

    def add(self, title: str, below: str) -> None:
        """One more row, at the end."""
        item = QListWidgetItem(title)
        item.setData(_BELOW, below)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}, {below}")
        item.setToolTip(f"{title}\n{below}")
        self.addItem(item)

    def below(self, at: int) -> str:
        """The second line of a row."""
        return str(self.item(at).data(_BELOW))


class _Delegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QListWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(160, _HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        look = self._look
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, look.colour("hover"))
            painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), look.colour("text"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, look.colour("raised"))
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), look.colour("line"))
        inside = area.adjusted(PAD, 7, -PAD, -7)
        lines = (
            (str(index.data()), TEXT_PX, "text", True),
            (str(index.data(_BELOW)), SMALL_PX, "dim", False),
        )
        for at, (text, pixels, tone, bold) in enumerate(lines):
            painter.setFont(ui_font(pixels, bold=bold))
            painter.setPen(look.colour(tone))
            place = QRect(inside.left(), inside.top() + at * _LINE, inside.width(), _LINE)
            cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
        painter.restore()
