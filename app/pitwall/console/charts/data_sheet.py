"""The table twin of charts: the same numbers as rows, to sort, to copy as CSV, to be read aloud."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QVBoxLayout, QWidget

from pitwall.console.charts.axes import Numbers
from pitwall.console.charts.data import cells
from pitwall.console.kit.column_table import whole_rows
from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.format import NONE, clock
from pitwall.console.kit.number_format import number
from pitwall.console.kit.theme import GAP

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
_ROW_HEIGHT = 26


def count_text(value: float) -> str:
    """A whole number: 51,200."""
    return f"{value:,.0f}" if math.isfinite(value) else NONE


def time_text(value: float) -> str:
    """Seconds as a time: 12:41."""
    return clock(value) if math.isfinite(value) else NONE


def clock_text(value: float) -> str:
    """Seconds since 1970 on the local clock."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value)) if math.isfinite(value) else NONE


@dataclass(frozen=True, slots=True)
class Column:
    """Describes one column of numbers.

    Attributes:
        title: with its unit. text: a number as it stands in a cell.
    """

    title: str
    text: Callable[[float], str] = number


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of numbers, each with a name.

    Attributes:
        first: title of the names' column. names: all there are. name_of: (n,), which of them a row has.
        numbers: (n, len(columns)), NaN where nothing was measured.
    """

    first: str = ""
    names: Sequence[str] = ()
    name_of: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    columns: Sequence[Column] = ()
    numbers: Numbers = field(default_factory=lambda: np.zeros((0, 0)))


class SheetModel(QAbstractTableModel):
    """A sheet in some order; cells are written when they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = Sheet()
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)
        self._by = (-1, False)

    def show_sheet(self, sheet: Sheet) -> None:
        """Show other rows, in the order that was chosen."""
        self.beginResetModel()
        same = len(sheet.columns) == len(self.sheet.columns)
        self.sheet = sheet
        if not same:
            self._by = (-1, False)
        self._arrange()
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.sheet.columns) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.sheet.columns[section - 1].title if section else self.sheet.first
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        at = self._order[index.row()]
        if not index.column():
            return self.sheet.names[self.sheet.name_of[at]]
        column = self.sheet.columns[index.column() - 1]
        return column.text(float(self.sheet.numbers[at, index.column() - 1]))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order rows by a column; what was not measured comes last either way. −1: as they came."""
        self.layoutAboutToBeChanged.emit()
        self._by = (column, order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.layoutChanged.emit()

    def as_csv(self, rows: Sequence[int] | None = None) -> str:
        """Rows of the table as CSV with a head, in the order they stand; None: all. Numbers in full."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([self.sheet.first, *(column.title for column in self.sheet.columns)])
        for at in self._order if rows is None else self._order[list(rows)]:
            writer.writerow([self.sheet.names[self.sheet.name_of[at]], *cells(*self.sheet.numbers[at])])
        return out.getvalue()

    def _arrange(self) -> None:
        column, down = self._by
        if column < 0:
            self._order = np.arange(len(self.sheet.numbers))
            return
        keys = self.sheet.numbers[:, column - 1] if column else self.sheet.name_of.astype(np.float64)
        self._order = np.argsort(np.where(np.isfinite(keys), -keys if down else keys, np.inf), kind="stable")


class SheetTable(QWidget):
    """A sheet in a table, with a line over it that counts rows and copies them.

    Args:
        name: for screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.model = SheetModel()
        self.view = _View(self)
        self.view.setModel(self.model)
        self.view.setAccessibleName(name)
        self._count = Label("", "note")
        self._copy = Button("Copy as CSV", self.copy, tip="The selected rows, or all of them")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addLayout(row(self._count, None, self._copy))
        layout.addWidget(self.view, 1)

    def show_sheet(self, sheet: Sheet) -> None:
        """Show other rows; where it was scrolled to stays."""
        fresh = [column.title for column in sheet.columns] != [
            column.title for column in self.model.sheet.columns
        ]
        bar = self.view.verticalScrollBar()
        place = bar.value()
        self.model.show_sheet(sheet)
        if fresh:
            self.view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.view.fit()
        bar.setValue(place)
        self._count.set_text(f"{len(sheet.numbers):,} row{'' if len(sheet.numbers) == 1 else 's'}")
        self._copy.setEnabled(bool(len(sheet.numbers)))

    def copy(self) -> None:
        """Put the selected rows, or all where none is, on the clipboard as CSV."""
        picked = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self.model.as_csv(picked or None))
        rows = len(picked) or self.model.rowCount()
        self._count.set_text(f"{rows:,} row{'' if rows == 1 else 's'} copied")


class _View(QTableView):
    def __init__(self, owner: SheetTable) -> None:
        super().__init__()
        self._owner = owner
        whole_rows(self, _ROW_HEIGHT, QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def fit(self) -> None:
        """Give each column the width of its title and of its widest cell among the first."""
        rows = min(40, self.model().rowCount())
        metrics = self.fontMetrics()
        for column in range(self.model().columnCount()):
            words = [str(self.model().headerData(column, Qt.Orientation.Horizontal) or "") + "  ▾"]
            words += [str(self.model().index(at, column).data() or "") for at in range(rows)]
            self.setColumnWidth(column, max(metrics.horizontalAdvance(text) for text in words) + 26)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._owner.copy()
        else:
            super().keyPressEvent(event)


def _side(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
