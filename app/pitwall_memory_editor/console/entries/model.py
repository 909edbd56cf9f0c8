"""The entries of one kind as a paged table: marked, lit where they were just written, edited in cells."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QPainter

from pitwall.console.kit.row_drawing import draw_chips
from pitwall.console.kit.table.model import Index
from pitwall.console.kit.table.paged import PagedModel
from pitwall.console.kit.theme import Look
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall_memory_editor.console.format import named, provenance_text
from pitwall_memory_editor.console.kinds import TABLES, EntryColumn, KindTable
from pitwall_memory_editor.console.reader import Portion
from pitwall_memory_editor.console.state_facts import telling_facts

Highlight = Literal["wrote", "retrieved"]

PAGE_ROWS = 200
FIRST_ORDER = "changed_at"
"""Column by which a new table is sorted, newest first."""
LIT_S = 1.0
_PLAIN = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_EDITABLE = _PLAIN | Qt.ItemFlag.ItemIsEditable
_LIT_GROUND = {"wrote": "ok_soft", "retrieved": "reactive_soft"}
_LIT_SIGN = {"wrote": ("mdi6.pencil", "ok"), "retrieved": ("mdi6.magnify", "reactive")}
_SIGN_PX = 14
_SIGN_ROOM_PX = 18


class EntriesModel(PagedModel[MemoryEntry]):
    """Rows of one query, read page by page as the view needs them.

    Attributes:
        table: the kind's table. sorted_by, descending: current order.

    Signals:
        cell_edited(entry, field, text): the operator typed into a cell of this entry. The receiver saves it.
        sort_wanted(order, descending): read the rows in another order.
    """

    cell_edited = Signal(object, str, str)
    sort_wanted = Signal(str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), lambda entry: entry.entry_id, parent, page_rows=PAGE_ROWS)
        self.table: KindTable = TABLES[MemoryKind.ACTION]
        self.sorted_by = ""
        self.descending = True
        self._names: dict[int, str] = {}
        self._seen: Counter[str] = Counter()
        self._counted = 0
        self._editable: dict[int, str] = {}
        self._lit: dict[int, tuple[float, Highlight]] = {}
        self._fade = QTimer(self, singleShot=True)
        self._fade.timeout.connect(self._put_out)

    # ---- what is shown

    def begin(self, table: KindTable, order: str, descending: bool) -> int:
        """Turn to another query; returns its ticket. Rows come with `add`."""
        self.table, self.sorted_by, self.descending = table, order, descending
        self._editable = {at: column.edits for at, column in enumerate(table.columns) if column.edits}
        self._names.clear()
        self._seen.clear()
        self._counted = 0
        return self.restart([self._column(at, column) for at, column in enumerate(table.columns)])

    def add(self, ticket: int, portion: Portion) -> None:
        """Add a page of rows and the current number of all rows."""
        if ticket == self.ticket:
            self._names.update(portion.names)
            self._count(portion)
            self.add_page(ticket, portion.offset, portion.entries, portion.total)

    def light(self, entry_ids: Iterable[int], how: Highlight) -> None:
        """Light entries for a moment."""
        until = time.monotonic() + LIT_S
        for entry_id in entry_ids:
            self._lit[entry_id] = (until, how)
        self._redraw_lit()
        self._fade.start(int(LIT_S * 1000) + 20)

    # ---- asked

    @property
    def order(self) -> tuple[int, bool]:
        orders = [column.order for column in self.table.columns]
        at = orders.index(self.sorted_by) if self.sorted_by in orders else -1
        return at, self.descending

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Request another order; −1: the kind's first order."""
        columns = self.table.columns
        wanted = columns[column].order if 0 <= column < len(columns) else FIRST_ORDER
        descending = column < 0 or order == Qt.SortOrder.DescendingOrder
        if wanted and (wanted, descending) != (self.sorted_by, self.descending):
            self.sort_wanted.emit(wanted, descending)

    def highlight(self, entry: MemoryEntry | None) -> Highlight | None:
        """Return why an entry is highlighted now; None if it is not."""
        until, how = self._lit.get(entry.entry_id if entry is not None else 0, (0.0, None))
        return how if until > time.monotonic() else None

    def ground(self, row: MemoryEntry) -> str:
        return _LIT_GROUND.get(self.highlight(row) or "", "")

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

    def _column(self, at: int, column: EntryColumn) -> EntryColumn:
        """Make a kind's column one of this table: with the states' words, and marks before the first text."""

        def text(entry: MemoryEntry) -> str:
            state = getattr(entry.content, column.state) if column.state else None
            return self._names.get(state or 0) or column.text(entry)

        def spoken(entry: MemoryEntry) -> str:
            marks = [word for word, on in (("pinned", entry.pinned), ("forgotten", entry.forgotten)) if on]
            spoken_text = f"{column.title}: {text(entry)}"
            return spoken_text if at else ", ".join([named(entry), *marks, entry.content.words, spoken_text])

        def draw(painter: QPainter, room: QRect, entry: MemoryEntry, look: Look) -> QRect:
            room = room if at else self._draw_sign(painter, room, entry, look)
            shown = telling_facts(text(entry), self._seen, self._counted) if states and self._counted else []
            return draw_chips(painter, room, shown, look) if shown else room

        states = bool(column.state) or (at == 0 and self.table.facts.tells_state)
        return replace(
            column,
            text=text,
            tip=f"Sort by {column.title.lower()}" if column.order else "",
            descends=column.number,
            cell_tip=(lambda entry: provenance_text(entry.changed_by)) if column.number else None,
            spoken=spoken,
            tone=lambda entry: "faint" if entry.forgotten else column.tone_of(entry),
            draw=draw,
        )

    def _count(self, portion: Portion) -> None:
        """Count the states that contain each word."""
        texts: list[str] = []
        if self.table.facts.tells_state:
            texts = [entry.content.label for entry in portion.entries]
        texts += portion.names.values()
        self._counted += len(texts)
        self._seen.update(word for text in texts for word in set(text.split()))

    def _draw_sign(self, painter: QPainter, room: QRect, entry: MemoryEntry, look: Look) -> QRect:
        """Draw what an entry is marked by before its first text."""
        lit = self.highlight(entry)
        name, tone = ("", "")
        if lit is not None:
            name, tone = _LIT_SIGN[lit]
        elif entry.pinned:
            name, tone = "mdi6.pin", "text"
        elif entry.forgotten:
            name, tone = "mdi6.eye-off-outline", "faint"
        if name:
            place = QRect(room.left(), room.top() + (room.height() - _SIGN_PX) // 2, _SIGN_PX, _SIGN_PX)
            look.icon(name, tone).paint(painter, place)
        return room.adjusted(_SIGN_ROOM_PX, 0, 0, 0)

    def _redraw_lit(self) -> None:
        for row, entry in self.loaded():
            if entry.entry_id in self._lit:
                self._redraw(row, row)

    def _put_out(self) -> None:
        now = time.monotonic()
        self._redraw_lit()
        self._lit = {number: lit for number, lit in self._lit.items() if lit[0] > now}
        if self._lit:
            self._fade.start(100)
