"""A layout that fills lines like words on a page: chips, key caps, game cards."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Widgets side by side, broken into lines.

    Args:
        gap: pixels between widgets and between lines.
        centred: centre each line.
    """

    def __init__(self, gap: int, *, centred: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._centred = centred
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize(0, 0)
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        top = rect.y()
        for line in self._lines(rect.width()):
            used = sum(item.sizeHint().width() for item in line) + self._gap * (len(line) - 1)
            left = rect.x() + (max(0, rect.width() - used) // 2 if self._centred else 0)
            tall = max(item.sizeHint().height() for item in line)
            for item in line:
                hint = item.sizeHint()
                if move:
                    item.setGeometry(QRect(QPoint(left, top + (tall - hint.height()) // 2), hint))
                left += hint.width() + self._gap
            top += tall + self._gap
        return max(0, top - rect.y() - self._gap)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():  # its widget is hidden
                continue
            wide = item.sizeHint().width()
            if not lines or left + wide > width:
                lines.append([])
                left = 0
            lines[-1].append(item)
            left += wide + self._gap
        return lines


class Flow(QWidget):
    """A widget with a flow layout, and the height it needs at its width."""

    def __init__(self, gap: int, *, centred: bool = False) -> None:
        super().__init__()
        self.flow = FlowLayout(gap, centred=centred)
        self.setLayout(self.flow)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
