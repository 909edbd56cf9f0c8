"""The rows of a table: typed columns, an order, a filter, and the same rows as CSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter

from pitwall.console.kit.elements import plain_tip
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import SMALL_PX, Look
from pitwall.store.csv_text import csv_text, shown_cell

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ROW = Qt.ItemDataRole.UserRole
"""The record behind a row; None where it was not read yet."""
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column of a table.

    Attributes:
        title: its head, with the unit. text: of a cell.
        key: a stable name, where the title may change.
        number: set at the right, with tabular figures.
        tip: what the head's tool tip explains. sort: value it is ordered by (None or NaN come last);
            without it, its text. descends: the first click on the head puts the greatest first.
        cell_tip: tool tip of a cell; without it, the text of a cell that is no number.
        spoken: what a screen reader says of a cell; without it, title and text.
        exact: the cell in the CSV; without it, its text.
        tone: colour of the palette. lower: a second line as (text, colour).
        width: pixels; 0: as wide as its widest text. stretch: share of the room that is left over.
        least_room: the table is at least so wide in pixels, or the column is left out.
        draw: paints into the cell (painter, room, row, look) and returns the room left for the text.
    """

    title: str
    text: Callable[[Row], str]
    key: str = ""
    number: bool = False
    tip: str = ""
    sort: Callable[[Row], Any] | None = None
    descends: bool = False
    cell_tip: Callable[[Row], str] | None = None
    spoken: Callable[[Row], str] | None = None
    exact: Callable[[Row], str] | None = None
    tone: str | Callable[[Row], str] = "text"
    bold: bool | Callable[[Row], bool] = False
    px: int = SMALL_PX
    lower: Callable[[Row], tuple[str, str]] | None = None
    width: int = 0
    stretch: int = 0
    least_room: int = 0
    draw: Callable[[QPainter, QRect, Row, Look], QRect] | None = None

    @property
    def side(self) -> int:
        """Return the alignment of its head and cells."""
        return RIGHT if self.number else LEFT

    def tone_of(self, row: Row) -> str:
        return self.tone(row) if callable(self.tone) else self.tone

    def bold_of(self, row: Row) -> bool:
        return self.bold(row) if callable(self.bold) else self.bold

    def sort_value(self, row: Row) -> Any:
        return self.sort(row) if self.sort is not None else self.text(row).casefold()


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows in the operator's order.

    Args:
        key: returns what identifies a row when rows are replaced.

    Attributes:
        rows: filtered and sorted.
    """

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = columns
        self.key = key
        self.rows: Sequence[Row] = ()
        self._given: Sequence[Row] = ()
        self._keep: Callable[[Row], bool] | None = None
        self._order = (-1, False)

    # ---- what is shown

    def show(self, rows: Sequence[Row], columns: Sequence[Column[Row]] | None = None) -> None:
        """Show other rows in the order and filter that were chosen; rows that stay are not disturbed."""
        self._given = rows
        if columns is not None and columns is not self.columns:
            titles = [column.title for column in self.columns]
            if [column.title for column in columns] != titles:
                self._order = (-1, False)
            self.beginResetModel()
            self.columns = columns
            self.rows = self._arranged()
            self.endResetModel()
        else:
            self._replace(self._arranged())

    def filter(self, keep: Callable[[Row], bool] | None) -> None:
        """Show only some of the rows; None: all of them."""
        self._keep = keep
        self._replace(self._arranged())

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order rows by a column; unknown values come last either way. −1: as they were given."""
        self.layoutAboutToBeChanged.emit()
        held = [(index, self.key(self.rows[index.row()])) for index in self.persistentIndexList()]
        self._order = (column, order == Qt.SortOrder.DescendingOrder)
        self.rows = self._arranged()
        places = {self.key(row): at for at, row in enumerate(self.rows)}
        self.changePersistentIndexList(
            [index for index, _ in held],
            [self.index(places[key], index.column()) for index, key in held],
        )
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, len(self.columns) - 1))

    # ---- asked

    @property
    def order(self) -> tuple[int, bool]:
        """Return the column that orders the rows (−1: none), and whether the order descends."""
        return self._order

    def row_at(self, at: int) -> Row | None:
        """Return the record of a row; None where it was not read yet."""
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def known(self, at: int) -> Row | None:
        """Return the record of a row without requesting an unread one."""
        return self.row_at(at)

    def place_of(self, key: Hashable) -> int | None:
        """Return the index of the row with a key; None if it is not shown."""
        return next((at for at, row in enumerate(self.rows) if self.key(row) == key), None)

    def placeholder(self, at: int, column: int) -> str:
        """Return the text of a cell whose row was not read yet."""
        return "…" if at >= 0 and column == 0 else ""

    def ground(self, _row: Row) -> str:
        """Colour that a row is lit with; empty: none."""
        return ""

    def as_csv(self, places: Iterable[int] | None = None) -> str:
        """Return rows by their places, or all, as CSV with a header; rows that were not read are left out."""
        known = (self.known(at) for at in (range(self.rowCount()) if places is None else places))
        rows = (
            [(column.exact or column.text)(row) for column in self.columns]
            for row in known
            if row is not None
        )
        return csv_text([column.title for column in self.columns], rows, shown_cell)

    # ---- Qt's own

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                by, down = self.order
                title = spoken(column.title)
                return f"{title} {'↓' if down else '↑'}" if section == by else title
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(spoken(column.tip)) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return column.side
            case Qt.ItemDataRole.InitialSortOrderRole:
                order = Qt.SortOrder.DescendingOrder if column.descends else Qt.SortOrder.AscendingOrder
                return order.value
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, row = self.columns[index.column()], self.row_at(index.row())
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.side
        if row is None:
            wanted = role == Qt.ItemDataRole.DisplayRole
            return self.placeholder(index.row(), index.column()) if wanted else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return spoken(column.text(row))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(spoken(self._tip(column, row))) or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(column, row)
        return None

    # ---- inside

    @staticmethod
    def _tip(column: Column[Row], row: Row) -> str:
        if column.cell_tip is not None:
            return column.cell_tip(row)
        return "" if column.number else column.text(row)

    @staticmethod
    def _spoken(column: Column[Row], row: Row) -> str:
        if column.spoken is not None:
            return column.spoken(row)
        lower = column.lower(row)[0] if column.lower is not None else ""
        return f"{column.title}: {', '.join(filter(None, (column.text(row), lower)))}"

    def _arranged(self) -> Sequence[Row]:
        keep = self._keep
        rows = self._given if keep is None else [row for row in self._given if keep(row)]
        by, down = self._order
        if not 0 <= by < len(self.columns):
            return list(rows)
        value = self.columns[by].sort_value
        known = [row for row in rows if _known(value(row))]
        unknown = [row for row in rows if not _known(value(row))]
        return sorted(known, key=value, reverse=down) + unknown

    def _replace(self, new: Sequence[Row]) -> None:
        """Replace the rows with the smallest change for the view.

        Rows before or after the present ones are inserted, and rows that vanished at the end are removed.
        Any other change is a reset.
        """
        old = self.rows
        keys = [self.key(row) for row in new]
        before = [self.key(row) for row in old]
        top = keys.index(before[0]) if before and before[0] in keys else -1
        both = min(len(before), len(keys) - top)
        if top < 0 or keys[top : top + both] != before[:both]:
            if new or old:
                self.beginResetModel()
                self.rows = new
                self.endResetModel()
            return
        if both < len(self.rows):
            self.beginRemoveRows(NOWHERE, both, len(self.rows) - 1)
            self.rows = self.rows[:both]
            self.endRemoveRows()
        self._insert(0, new[:top])
        changed = [at for at in range(top, top + both) if new[at] != self.rows[at]]
        self.rows = [*new[: top + both]]
        self._insert(top + both, new[top + both :])
        if changed:
            self._redraw(changed[0], changed[-1])

    def _insert(self, at: int, rows: Sequence[Row]) -> None:
        if rows:
            self.beginInsertRows(NOWHERE, at, at + len(rows) - 1)
            self.rows = [*self.rows[:at], *rows, *self.rows[at:]]
            self.endInsertRows()

    def _redraw(self, first: int, last: int) -> None:
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))


def _known(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))
