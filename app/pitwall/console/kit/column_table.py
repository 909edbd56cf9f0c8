"""Tables whose columns say what stands in a row: rows are chosen whole, Ctrl+C copies all of them as CSV."""

from __future__ import annotations

import csv
import io
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from pitwall.console.kit.theme import SMALL_PX, ui_font

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class Titled(Protocol):
    """A column, as far as every table needs it: its head, what that means, and its words for a row."""

    @property
    def title(self) -> str: ...
    @property
    def tip(self) -> str: ...
    @property
    def text(self) -> Callable[[Any], str]: ...


class ColumnModel(QAbstractTableModel):
    """What such tables share; a table of its own says its rows, its sides and what a cell looks like."""

    columns: Sequence[Any]

    @property
    @abstractmethod
    def shown(self) -> Sequence[Any]:
        """The rows as they stand."""

    @abstractmethod
    def to_right(self, column: Any) -> bool:
        """Whether a column, with its head, is set at the right, as numbers are."""

    def side(self, column: Any) -> int:
        """How a column is set."""
        return _RIGHT if self.to_right(column) else _LEFT

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column: Titled = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        return self.side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def copied(self, column: Titled, row: Any) -> str:
        """A cell's words in the CSV."""
        return column.text(row)

    def as_csv(self) -> str:
        """The table as it stands."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([column.title for column in self.columns])
        writer.writerows([self.copied(column, row) for column in self.columns] for row in self.shown)
        return out.getvalue()


def whole_rows(
    table: QTableView,
    row_height: int,
    chosen: QAbstractItemView.SelectionMode = QAbstractItemView.SelectionMode.SingleSelection,
) -> None:
    """Rows of one height, chosen whole; Tab leaves the table.

    Args:
        row_height: pixels. chosen: how many at once.
    """
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(chosen)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(row_height)
    table.horizontalHeader().setHighlightSections(False)


class ColumnTable(QTableView):
    """Shows a ColumnModel.

    Args:
        name, does: what assistive programs say of it. row_height: pixels.
    """

    def __init__(self, model: ColumnModel, name: str, does: str, row_height: int) -> None:
        super().__init__()
        model.setParent(self)
        self._copied = model
        self.setModel(model)
        self.setAccessibleName(name)
        self.setAccessibleDescription(does)
        whole_rows(self, row_height)
        self.setFont(ui_font(SMALL_PX))

    def sort_by_heads(self) -> None:
        """A click on a head sorts by it; a third one takes the order away again."""
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._copied.as_csv())
        else:
            super().keyPressEvent(event)


ROW = Qt.ItemDataRole.UserRole
"""The record behind a row."""
