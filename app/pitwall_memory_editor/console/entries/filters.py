"""Search and filters over a table of entries."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import SearchField, Toggle
from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.form.fields import OptionLike
from pitwall.console.kit.form.inputs import Combo
from pitwall.console.kit.theme import PAD, STEP, WIDE
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import fields_of
from pitwall.core.quantities import counted
from pitwall_memory_editor.console.format import article
from pitwall_memory_editor.console.kinds import KindTable
from pitwall_memory_editor.console.reader import Query

_SEARCH_AFTER_MS = 180
_AUTHORS = ((None, "by anyone"), ("agent", "by the agent"), ("operator", "by you"), ("import", "imported"))
_SUCCESS = ((None, "any success"), (1.0, "always succeeded"), (0.0, "never succeeded"))
_STATUS: tuple[OptionLike, ...] = ((None, "any status"), *fields_of("skill")["status"].options)


class FilterBar(QWidget):
    """Words, and what else narrows the table.

    Signals:
        narrowed(): `apply` gives another query now. add_wanted(): a new entry. renew_wanted(): show
            what changed since.
    """

    narrowed = Signal()
    add_wanted = Signal()
    renew_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = SearchField("Search   Ctrl+F", "Search the texts of these entries")
        self.search.setMinimumWidth(150)
        self._typed = QTimer(self, singleShot=True, interval=_SEARCH_AFTER_MS)
        self._typed.timeout.connect(self.narrowed)
        self.search.textChanged.connect(self._typed.start)
        self.author = Combo("Written by", _AUTHORS, tip="Written by")
        self._success = Combo("Success", _SUCCESS, tip="Success")
        self._status = Combo("Status", _STATUS, tip="Status")
        self._pinned = Toggle("Pinned", "Only pinned entries")
        self._forgotten = Toggle("Forgotten", "The forgotten entries, which can be restored")
        self._combos = {"author": self.author, "success_rate": self._success, "status": self._status}
        for box in self._combos.values():
            box.chosen.connect(lambda _: self.narrowed.emit())
        for button in (self._pinned, self._forgotten):
            button.toggled.connect(lambda _: self.narrowed.emit())
        self._count, self.where = Label("", "note"), Label("", "note")
        self._changed = Button("", self.renew_wanted.emit, kind="link")
        self._changed.hide()
        self.add = Button("Add", self.add_wanted.emit)
        tools = Flow(STEP)
        for widget in (*self._combos.values(), self._pinned, self._forgotten):
            tools.flow.addWidget(widget)
        line = row(self.search, tools, self.add)
        line.setStretch(0, 2)
        line.setStretch(1, 5)
        below = row(self._count, self._changed, None, self.where, gap=PAD)
        self.setLayout(column(line, below, gap=STEP, margins=(WIDE, PAD, PAD, STEP)))

    def show_table(self, table: KindTable) -> None:
        """Show the filters that apply to this kind."""
        self._success.setVisible(table.tried)
        self._status.setVisible(table.kind is MemoryKind.SKILL)
        self.add.setText(f"Add {article(table.facts.noun)} {table.facts.noun}")
        self.add.setAccessibleName(self.add.text())
        self.add.setToolTip(f"{self.add.text()} · Ctrl+N")
        self.search.setAccessibleName(f"Search the texts of {table.facts.title}")

    def apply(self, query: Query) -> Query:
        """Return the query with the search words and filters of this bar."""
        chosen = [
            (name, box.current)
            for name, box in self._combos.items()
            if box.current is not None and not box.isHidden()
        ]
        return replace(
            query,
            search=self.search.text().strip(),
            filters=(*chosen, *([("pinned", True)] if self._pinned.isChecked() else [])),
            forgotten=self._forgotten.isChecked(),
        )

    def clear(self) -> None:
        """Remove all filters, with one signal."""
        with QSignalBlocker(self):
            self.search.clear()
            for box in self._combos.values():
                box.choose(None)
            for button in (self._pinned, self._forgotten):
                button.setChecked(False)
            self._typed.stop()
        self.narrowed.emit()

    def show_count(self, total: int, table: KindTable, *, narrowed: bool, forgotten: bool) -> None:
        """Show the number of entries, or of matches."""
        if forgotten:
            text = f"{total:,} forgotten"
        else:
            text = (
                counted(total, "match", "matches")
                if narrowed
                else counted(total, table.facts.noun, table.facts.plural)
            )
        self._count.set_text(text)

    def hide_count(self) -> None:
        """Show no number while other entries are read."""
        self._count.set_text("")

    def show_changes(self, count: int) -> None:
        """Offer to show the entries that changed while the rows were held still; 0 hides the offer."""
        self._changed.setText(f"{count:,} changed since · show")
        self._changed.setAccessibleName(f"{count:,} entries changed since: show the rows as they are now")
        self._changed.setVisible(count > 0)
