"""The entries of one kind as a table, a page at a time, so that a hundred thousand rows scroll."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from pitwall.console.memory.format import named, provenance_text, title_of
from pitwall.console.memory.kinds import ACTIONS, KindTable
from pitwall.console.memory.reader import Portion
from pitwall.core.memories import MemoryEntry

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ENTRY = Qt.ItemDataRole.UserRole
"""The `MemoryEntry` behind a row; None until it was read."""
HIGHLIGHT = Qt.ItemDataRole.UserRole + 1
"""How a row is lit: "wrote", "retrieved", or None."""
Highlight = Literal["wrote", "retrieved"]

PAGE_ROWS = 200
LIT_S = 1.0
_MOST_PAGES = 40
_ASK_MS = 12
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_PLAIN = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_EDITABLE = _PLAIN | Qt.ItemFlag.ItemIsEditable


class EntriesModel(QAbstractTableModel):
    """Rows of one query, a page at a time as the view comes to them.

    Signals:
        portion_wanted(ticket, offset, limit): answer with `add`.
        cell_edited(entry, field, text): the operator typed into a cell of this entry, as it was then.
            Whoever takes it saves it.
    """

    portion_wanted = Signal(int, int, int)
    cell_edited = Signal(object, str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: KindTable = ACTIONS
        self.order = ""
        self.descending = True
        self._ticket = 0
        self._total = 0
        self._pages: OrderedDict[int, list[MemoryEntry]] = OrderedDict()
        self._stale: set[int] = set()
        self._names: dict[int, str] = {}
        self._wanted: list[int] = []
        self._asked: set[int] = set()
        self._editable: dict[int, str] = {}
        self._lit: dict[int, tuple[float, Highlight]] = {}
        self._ask = QTimer(self, singleShot=True, interval=_ASK_MS)
        self._ask.timeout.connect(self._ask_now)
        self._fade = QTimer(self, singleShot=True)
        self._fade.timeout.connect(self._put_out)

    # ---- what is shown

    @property
    def ticket(self) -> int:
        """Counts queries and renewals; answers to earlier ones are not taken."""
        return self._ticket

    def show(self, table: KindTable, order: str, descending: bool) -> int:
        """Turn to another query. Returns its ticket; rows come with `add`."""
        self.beginResetModel()
        self.table, self.order, self.descending = table, order, descending
        self._editable = {at: column.field for at, column in enumerate(table.columns) if column.field}
        self._ticket += 1
        self._total = 0
        self._pages.clear()
        self._stale.clear()
        self._names.clear()
        self._wanted.clear()
        self._asked.clear()
        self.endResetModel()
        return self._ticket

    def renew(self) -> None:
        """What was read may be old: it is read again as it comes into view, and shown until then."""
        self._ticket += 1
        self._stale.update(self._pages)
        self._asked.clear()
        if self._total:
            self.dataChanged.emit(self.index(0, 0), self.index(self._total - 1, self.columnCount() - 1))

    def add(self, ticket: int, portion: Portion) -> None:
        """Rows came; as many rows as there are in all by now."""
        if ticket != self._ticket:
            return
        self._resize(portion.total)
        page = portion.offset // PAGE_ROWS
        self._asked.discard(page)
        self._stale.discard(page)
        self._pages[page] = list(portion.entries)
        self._pages.move_to_end(page)
        self._names.update(portion.names)
        while len(self._pages) > _MOST_PAGES:
            gone, _ = self._pages.popitem(last=False)
            self._stale.discard(gone)
        last = min(portion.offset + PAGE_ROWS, self._total) - 1
        if last >= portion.offset:
            self.dataChanged.emit(self.index(portion.offset, 0), self.index(last, self.columnCount() - 1))

    def update(self, entries: Iterable[MemoryEntry]) -> None:
        """These changed: rows that show them show them as they are now, where they stand."""
        new = {entry.entry_id: entry for entry in entries}
        for row, entry in list(self.loaded()):
            if entry.entry_id in new:
                page, at = divmod(row, PAGE_ROWS)
                self._pages[page][at] = new[entry.entry_id]
                self._redraw(row)

    def light(self, entry_ids: Iterable[int], how: Highlight) -> None:
        """Light entries for a moment."""
        until = time.monotonic() + LIT_S
        for entry_id in entry_ids:
            self._lit[entry_id] = (until, how)
        self._redraw_lit()
        self._fade.start(int(LIT_S * 1000) + 20)

    # ---- asked

    def loaded(self) -> Iterator[tuple[int, MemoryEntry]]:
        """Rows that were read, with their entries."""
        for page, entries in self._pages.items():
            for at, entry in enumerate(entries):
                yield page * PAGE_ROWS + at, entry

    def row_of(self, entry_id: int) -> int | None:
        """The row of an entry; None where it was not read."""
        return next((row for row, entry in self.loaded() if entry.entry_id == entry_id), None)

    def known(self, row: int) -> MemoryEntry | None:
        """The entry of a row, without asking for it."""
        entries = self._pages.get(row // PAGE_ROWS, [])
        at = row % PAGE_ROWS
        return entries[at] if at < len(entries) else None

    def entry_at(self, row: int) -> MemoryEntry | None:
        """The entry of a row; None until it was read (and then it is asked for)."""
        page = row // PAGE_ROWS
        if page in self._pages:
            self._pages.move_to_end(page)
            if page not in self._stale:
                return self.known(row)
        if page not in self._asked and page not in self._wanted:
            self._wanted.append(page)
            if not self._ask.isActive():
                self._ask.start()
        return self.known(row)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._total

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.table.columns):
            return None
        column = self.table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            if column.order and column.order == self.order:
                return f"{column.title} {'↓' if self.descending else '↑'}"
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and column.order:
            return f"Sort by {column.title.lower()}"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = self.table.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        entry = self.entry_at(index.row())
        if role == ENTRY:
            return entry
        if entry is None:
            return "…" if role == Qt.ItemDataRole.DisplayRole and not index.column() else None
        if role == HIGHLIGHT:
            until, how = self._lit.get(entry.entry_id, (0.0, None))
            return how if until > time.monotonic() else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return column.text(entry, self._names)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.text(entry, self._names) if not column.number else provenance_text(entry.changed_by)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._said(entry, index.column())
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        # Qt asks this of every selected cell, several times: nothing is done here that can be known before.
        name = self._editable.get(index.column())
        if name is None:
            return _PLAIN
        entry = self.known(index.row())
        if entry is None or entry.forgotten or "\n" in str(getattr(entry.content, name)):
            return _PLAIN  # several lines are edited in the form
        return _EDITABLE

    # ---- inside

    def _said(self, entry: MemoryEntry, at: int) -> str:
        column = self.table.columns[at]
        text = f"{column.title}: {column.text(entry, self._names)}"
        if at:
            return text
        marks = [word for word, on in (("pinned", entry.pinned), ("forgotten", entry.forgotten)) if on]
        return ", ".join([named(entry), *marks, title_of(entry.content), text])

    def _resize(self, total: int) -> None:
        if total > self._total:
            self.beginInsertRows(QModelIndex(), self._total, total - 1)
            self._total = total
            self.endInsertRows()
        elif total < self._total:
            self.beginRemoveRows(QModelIndex(), total, self._total - 1)
            self._total = total
            self.endRemoveRows()

    def _redraw(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))

    def _redraw_lit(self) -> None:
        for row, entry in self.loaded():
            if entry.entry_id in self._lit:
                self._redraw(row)

    def _put_out(self) -> None:
        now = time.monotonic()
        self._redraw_lit()
        self._lit = {number: lit for number, lit in self._lit.items() if lit[0] > now}
        if self._lit:
            self._fade.start(100)

    def _ask_now(self) -> None:
        wanted, self._wanted = self._wanted[-4:], []
        for page in reversed(wanted):
            self._asked.add(page)
            self.portion_wanted.emit(self._ticket, page * PAGE_ROWS, PAGE_ROWS)
