"""The entries of one kind: a table with search, filters and actions on the selected rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column
from pitwall.console.kit.notification import Notification
from pitwall.console.kit.panes import ReadStack
from pitwall.console.kit.theme import Look
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.entries.bulk import BulkBar, purge_dialog
from pitwall_memory_editor.console.entries.filters import FilterBar
from pitwall_memory_editor.console.entries.model import FIRST_ORDER, PAGE_ROWS, Highlight
from pitwall_memory_editor.console.entries.table import EntriesTable
from pitwall_memory_editor.console.kinds import GAME, TABLES, KindTable, with_text
from pitwall_memory_editor.console.reader import EVERY_GAME, MemoryReadWorker, Portion, Query, portion
from pitwall_memory_editor.game_rules import Rules, check

_RENEW_MS = 400
"""Shortest time between two reads: the agent may write several times a second."""
_MOVED = "The rows changed while they were read, so nothing was done. Select them again."


class EntriesView(QWidget):
    """Shows one kind of entries of a game as a table that can be searched, filtered and edited.

    Attributes:
        query, kind_table: query and table in view. rules: rules of the game.

    Signals:
        chosen(entry): the current row's entry, or None. add_wanted(): write a new one.
        live_wanted(): show the Live page.
    """

    chosen = Signal(object)
    add_wanted = Signal()
    live_wanted = Signal()

    def __init__(self, look: Look, reading: MemoryReadWorker, commands: MemoryCommands) -> None:
        super().__init__()
        self._reading = reading
        self._commands = commands
        self.rules = Rules(game_id="")
        self.kind_table = TABLES[MemoryKind.ACTION]
        self.query = Query(game_id="", kind=MemoryKind.ACTION)
        self._orders: dict[str, tuple[str, bool]] = {}
        self._asked = 0
        self._answered = 0
        self._chosen_id: int | None = None
        self._since: set[int] = set()
        self._bulk_number = 0
        self.filters = FilterBar()
        self.table = EntriesTable(look, self._judge)
        self.bulk = BulkBar()
        self._build()
        self._connect()
        self._renewal = QTimer(self, singleShot=True, interval=_RENEW_MS)
        self._renewal.timeout.connect(self.renew)

    # ---- what is shown

    def use_rules(self, rules: Rules) -> None:
        """Set the rules that cells are checked against."""
        self.rules = rules

    def show_kind(self, table: KindTable, game_id: str) -> None:
        """Turn to a kind of entries of a game, or of all games."""
        if game_id == EVERY_GAME:
            table = replace(table, columns=(*table.columns, GAME))
        same = (table.kind, game_id) == (self.query.kind, self.query.game_id)
        self.kind_table = table
        self.filters.show_table(table)
        owner = "all games" if game_id == EVERY_GAME else game_id or "no game"
        self.table.setAccessibleName(f"{table.facts.title} of {owner}")
        order, descending = self._orders.get(table.kind, (FIRST_ORDER, True))
        self.query = Query(game_id=game_id, kind=table.kind, order=order, descending=descending)
        if not same:
            self._chosen_id = None
            self.filters.hide_count()
            self._stack.show_reading()
        self.read()

    def read(self) -> None:
        """Read the query again, from the first row."""
        self.query = self.filters.apply(self.query)
        self._asked += 1
        number, query, table = self._asked, self.query, self.kind_table
        self.filters.setVisible(bool(query.game_id))

        def show(rows: Portion) -> None:
            if number == self._asked:
                self._answered = number
                self._show(table, query, rows)

        def fail(error: PitwallError) -> None:
            self._answered = max(self._answered, number)
            self._stack.show_error(error)

        def know(games: bool) -> None:
            if number == self._asked and not games:  # else the page turns to one of them
                self._answered = number
                self._show_nothing()

        if query.game_id:
            self._reading.ask(lambda reader: portion(reader, query, 0, PAGE_ROWS), show, fail)
        else:
            self._reading.ask(lambda reader: bool(reader.games()), know, fail)

    def renew(self) -> None:
        """Read the rows again at their places after a change."""
        self._renewal.stop()
        self._since.clear()
        self.filters.show_changes(0)
        if self.table.entries.rowCount() and self._answered == self._asked:
            self.table.entries.renew()
            self.table.viewport().update()
        else:
            self.read()  # also where a read is under way: it may have been done before the change

    def entries_changed(self, entry_ids: Sequence[int], kinds: Sequence[str], author: str) -> None:
        """Show changes that were committed by anybody.

        Rows are held still while the operator works on them.
        """
        if kinds and self.query.kind.value not in kinds:
            return
        shown = {entry.entry_id for _, entry in self.table.entries.loaded()}
        known = shown.intersection(entry_ids)
        if known:
            self._reading.ask(lambda reader: reader.some(known), self.table.entries.update)
        if self.table.editing:
            self._hold(entry_ids)
        elif author == "operator" or not entry_ids:
            self.renew()
        elif self.table.at_top and self.table.picked_count() <= 1:
            if not self._renewal.isActive():
                self._renewal.start()
        else:
            self._hold(entry_ids)

    def light(self, entry_ids: Iterable[int], how: Highlight) -> None:
        """Light rows for a moment."""
        self.table.entries.light(entry_ids, how)

    def choose_entry(self, entry_id: int) -> None:
        """Make an entry the current row, where its row was read."""
        self._chosen_id = entry_id
        row = self.table.entries.place_of(entry_id)
        if row is not None and row != self.table.currentIndex().row():
            self.table.choose_row(row)

    # ---- parts

    def _build(self) -> None:
        self._empty_add = PrimaryButton("Add", self.add_wanted.emit)
        self._empty = EmptyState("", "", self._empty_add)
        self._no_match = EmptyState("", "", Button("Show all of them", self.filters.clear))
        self._no_game = EmptyState(
            "Nothing is remembered yet",
            "While the agent plays it writes here what its actions did, and what it learnt from runs. "
            "All of it can be searched, edited, pinned and forgotten.",
            PrimaryButton("Choose a game", self.live_wanted.emit),
        )
        parts = (self._empty, self._no_match, self._no_game, self.table)
        self._stack = ReadStack("Reading the memory …", *parts, again=self.read)
        self.setLayout(column(self.filters, self._stack, self.bulk, gap=0, stretch=1))

    def _connect(self) -> None:
        entries, table = self.table.entries, self.table
        entries.page_wanted.connect(self._read_portion)
        entries.cell_edited.connect(self._save_cell)
        table.chosen.connect(self._choose)
        table.picked.connect(self._show_picked)
        entries.sort_wanted.connect(self._sort)
        table.forget_wanted.connect(lambda: self.do("restore" if self.query.forgotten else "forget"))
        table.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.filters.narrowed.connect(self.read)
        self.filters.add_wanted.connect(self.add_wanted)
        self.filters.renew_wanted.connect(self.renew)
        self.bulk.action_wanted.connect(self.do)
        self.bulk.cleared.connect(self._select_one)
        self.bulk.cancelled.connect(self._cancel_bulk)

    # ---- answers

    def _show(self, table: KindTable, query: Query, rows: Portion) -> None:
        entries = self.table.entries
        self._since.clear()
        self.filters.show_changes(0)
        ticket = self.table.begin(table, query.order, query.descending)
        self._take(ticket, rows)
        self.table.scrollToTop()
        if rows.total:
            row = entries.place_of(self._chosen_id) if self._chosen_id is not None else None
            self.table.choose_row(row or 0)
        else:
            self._chosen_id = None
            self.chosen.emit(None)

    def _take(self, ticket: int, rows: Portion) -> None:
        self.table.entries.add(ticket, rows)
        if ticket != self.table.entries.ticket:
            return
        query = self.query
        self.filters.show_count(
            rows.total, self.kind_table, narrowed=query.narrowed, forgotten=query.forgotten
        )
        if rows.total:
            self._stack.setCurrentWidget(self.table)
        elif query.narrowed:
            self._say_no_match(query)
            self._stack.setCurrentWidget(self._no_match)
        else:
            self._empty.say(f"{self.kind_table.facts.title}: nothing yet", self.kind_table.facts.purpose)
            self._empty_add.setText(self.filters.add.text())
            self._empty_add.setAccessibleName(self.filters.add.text())
            self._stack.setCurrentWidget(self._empty)
        if self._chosen_id is not None:
            self.table.follow(self._chosen_id)

    def _say_no_match(self, query: Query) -> None:
        if query.forgotten and not query.search and not query.filters:
            self._no_match.say(
                "Nothing is forgotten", "What is forgotten waits here until it is removed for good."
            )
        else:
            self._no_match.say(
                "No entry matches", "The search looks for every word in the entries' texts, in any case."
            )

    def _show_nothing(self) -> None:
        self.table.begin(self.kind_table, self.query.order, self.query.descending)
        self.filters.show_count(0, self.kind_table, narrowed=False, forgotten=False)
        self._stack.setCurrentWidget(self._no_game)
        self._chosen_id = None
        self.chosen.emit(None)

    def _read_portion(self, ticket: int, offset: int, limit: int) -> None:
        query = self.query
        self._reading.ask(
            lambda reader: portion(reader, query, offset, limit),
            lambda rows: self._take(ticket, rows),
            self._stack.show_error,
        )

    # ---- the operator

    def _choose(self, entry: MemoryEntry | None) -> None:
        if entry is not None:
            self._chosen_id = entry.entry_id
            self.chosen.emit(entry)

    def _sort(self, order: str, descending: bool) -> None:
        self._orders[self.query.kind] = (order, descending)
        self.query = replace(self.query, order=order, descending=descending)
        self.read()

    def _scrolled(self, _value: int) -> None:
        if self._since and self.table.at_top and not self.table.editing and self.table.picked_count() <= 1:
            self.renew()

    def _hold(self, entry_ids: Sequence[int]) -> None:
        self._since.update(entry_ids)
        self.filters.show_changes(len(self._since))

    def _judge(self, entry: MemoryEntry, name: str, text: str) -> str:
        try:
            content = with_text(entry.content, name, text)
        except ValueError as error:
            return str(error)
        before = check(entry.content, self.rules)
        return next((f for n, f in check(content, self.rules).items() if n == name or n not in before), "")

    def _save_cell(self, entry: MemoryEntry, name: str, text: str) -> None:
        if fault := self._judge(entry, name, text):
            self._commands.notified.emit(Notification(f"Not saved: {fault}", done=False))
            return
        content = with_text(entry.content, name, text)
        if content != entry.content:
            self._commands.put(entry.game_id, content, entry)

    # ---- several

    def do(self, action: str) -> None:
        """Apply an action to the selected rows: pin, unpin, forget, restore, purge."""
        self.picked_ids(lambda ids: self._do(action, ids))

    def picked_ids(self, take: Callable[[list[int]], object]) -> None:
        """Give the ids of the selected rows to `take`; rows that were not read yet are read for it."""
        ranges = self.table.picked_rows()
        entries = self.table.entries
        known = [
            entry.entry_id
            for first, last in ranges
            for row in range(first, last + 1)
            if (entry := entries.known(row)) is not None
        ]
        count = self.table.picked_count()
        if len(known) == count:
            take(known)
            return
        self._bulk_number += 1
        number, query, total = self._bulk_number, self.query, entries.rowCount()
        held = {row: entry.entry_id for row, entry in entries.loaded()}
        self.bulk.show_reading(count)

        def take_ids(portions: list[Portion]) -> None:
            self.bulk.show_reading(0)
            if number != self._bulk_number:
                return
            rows = {
                part.offset + at: entry.entry_id for part in portions for at, entry in enumerate(part.entries)
            }
            moved = any(held.get(row, entry_id) != entry_id for row, entry_id in rows.items())
            if moved and count < total:
                self._commands.notified.emit(Notification(_MOVED, done=False))
                self.renew()
            else:
                take(list(rows.values()))

        self._reading.ask(
            lambda reader: [portion(reader, query, first, last - first + 1) for first, last in ranges],
            take_ids,
        )

    def _do(self, action: str, ids: list[int]) -> None:
        match action:
            case "pin" | "unpin":
                self._commands.pin(ids, action == "pin")
            case "forget" | "restore":
                self._commands.forget(ids, action == "forget")
            case "purge" if ids:
                dialog = purge_dialog(len(ids), self)
                dialog.confirmed.connect(lambda: self._commands.purge(ids))
                dialog.open()

    def _show_picked(self) -> None:
        self.bulk.show_picked(self.table.picked_count(), forgotten=self.query.forgotten)

    def _select_one(self) -> None:
        if self.table.currentIndex().isValid():
            self.table.selectRow(self.table.currentIndex().row())

    def _cancel_bulk(self) -> None:
        self._bulk_number += 1
        self.bulk.show_reading(0)
