"""Rows that are read a page at a time as the view comes to them, so that a hundred thousand scroll."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from pitwall.console.kit.table.model import NOWHERE, Column, Index, Row, TableModel

_MOST_PAGES = 40
_PAGES_AT_ONCE = 4
_ASK_AFTER_MS = 12


class PagedModel(TableModel[Row]):
    """Rows of one query; only those in view are asked for, and the pages seen last are kept.

    Args:
        page_rows: rows that are asked for at once.

    Signals:
        page_wanted(ticket, offset, limit): answer with `add_page`.
    """

    page_wanted = Signal(int, int, int)

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], Hashable],
        parent: QObject | None = None,
        *,
        page_rows: int = 200,
    ) -> None:
        super().__init__(columns, key, parent)
        self._page_rows = page_rows
        self._ticket = self._total = 0
        self._pages: OrderedDict[int, list[Row | None]] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: list[int] = []
        self._asked: set[int] = set()
        self._ask = QTimer(self, singleShot=True, interval=_ASK_AFTER_MS)
        self._ask.timeout.connect(self._ask_now)

    # ---- what is shown

    @property
    def ticket(self) -> int:
        """Return the counts queries and renewals; answers to earlier ones are not taken."""
        return self._ticket

    def restart(self, columns: Sequence[Column[Row]] | None = None, total: int = 0) -> int:
        """Turn to another query of so many rows, as far as known; returns its ticket."""
        self.beginResetModel()
        self.columns = columns if columns is not None else self.columns
        self._ticket += 1
        self._total = total
        self._pages.clear()
        self._stale.clear()
        self._wanted.clear()
        self._asked.clear()
        self.endResetModel()
        return self._ticket

    def renew(self) -> None:
        """Mark all rows as stale: each is read again when it comes into view, and shown until then."""
        self._ticket += 1
        self._stale.update(self._pages)
        self._asked.clear()
        self._redraw(0, self._total - 1)

    def add_page(
        self, ticket: int, offset: int, rows: Sequence[Row | None], total: int | None = None
    ) -> None:
        """Take the answer to `page_wanted`.

        Args:
            rows: None for a row that will never exist.
            total: the number of rows by now, where it was counted.
        """
        if ticket != self._ticket:
            return
        self.resize(self._total if total is None else total)
        page = offset // self._page_rows
        self._asked.discard(page)
        self._pages[page] = list(rows)
        self._pages.move_to_end(page)
        while len(self._pages) > _MOST_PAGES:
            gone, _ = self._pages.popitem(last=False)
            self._stale.discard(gone)
        self._redraw(offset, min(offset + self._page_rows, self._total) - 1)

    def resize(self, total: int) -> None:
        """Change the number of rows; a page that was not full is read again."""
        if total > self._total:
            self._stale.add(self._total // self._page_rows)
            self.beginInsertRows(NOWHERE, self._total, total - 1)
            self._total = total
            self.endInsertRows()
        elif total < self._total:
            self.beginRemoveRows(NOWHERE, total, self._total - 1)
            self._total = total
            self.endRemoveRows()

    def append(self, row: Row) -> None:
        """Append a row; it need not be read where the rest of its page was read."""
        page, at = divmod(self._total, self._page_rows)
        known = self._pages.setdefault(page, []) if at == 0 else self._pages.get(page, [])
        if len(known) != at:
            self.resize(self._total + 1)
            return
        self.beginInsertRows(NOWHERE, self._total, self._total)
        self._total += 1
        known.append(row)
        self.endInsertRows()

    def update(self, rows: Iterable[Row]) -> None:
        """Replace changed records where they are shown."""
        new = {self.key(row): row for row in rows}
        for at, known in list(self.loaded()):
            if self.key(known) in new:
                page, place = divmod(at, self._page_rows)
                self._pages[page][place] = new[self.key(known)]
                self._redraw(at, at)

    # ---- asked

    def loaded(self) -> Iterator[tuple[int, Row]]:
        """Yield the places that were read, with their records."""
        for page, rows in self._pages.items():
            for at, row in enumerate(rows):
                if row is not None:
                    yield page * self._page_rows + at, row

    def known(self, at: int) -> Row | None:
        """Return the record of a row without requesting it."""
        rows = self._pages.get(at // self._page_rows, [])
        place = at % self._page_rows
        return rows[place] if at >= 0 and place < len(rows) else None

    def row_at(self, at: int) -> Row | None:
        """Return the record of a row; an unread one is requested and None is returned."""
        if not 0 <= at < self._total:
            return None
        page = at // self._page_rows
        if page in self._pages:
            self._pages.move_to_end(page)
            if page not in self._stale:
                return self.known(at)
        if page not in self._asked:
            if page in self._wanted:
                self._wanted.remove(page)
            self._wanted.append(page)
            if not self._ask.isActive():
                self._ask.start()
        return self.known(at)

    def place_of(self, key: Hashable) -> int | None:
        """Return the index of the row with a key; None if it was not read."""
        return next((at for at, row in self.loaded() if self.key(row) == key), None)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Do nothing: the reader returns the rows in order."""

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self._total

    # ---- inside

    def _ask_now(self) -> None:
        wanted, self._wanted = self._wanted[-_PAGES_AT_ONCE:], []
        for page in reversed(wanted):
            self._asked.add(page)
            self._stale.discard(page)
            self.page_wanted.emit(self._ticket, page * self._page_rows, self._page_rows)
