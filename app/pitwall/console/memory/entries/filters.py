"""Search and filters over a table of entries."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from pitwall.console.kit.elements import Button, Label, column, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import counted
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.memory.format import article
from pitwall.console.memory.kinds import KindTable
from pitwall.console.memory.reader import Query
from pitwall.core.memories import MemoryKind

_SEARCH_AFTER_MS = 180
_ANYONE = "by anyone"
_AUTHORS = {_ANYONE: "", "by the agent": "agent", "by you": "operator", "imported": "import"}
_SUCCESS: dict[str, object] = {"any success": None, "always succeeded": 1.0, "never succeeded": 0.0}
_STATUS = {"any status": "", "active": "active", "proposed": "proposed", "retired": "retired"}


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
        self.author = _choice("Written by", list(_AUTHORS))
        self.success = _choice("Success", list(_SUCCESS))
        self.status = _choice("Status", list(_STATUS))
        self.pinned = _toggle("Pinned", "Only pinned entries")
        self.forgotten = _toggle("Forgotten", "The forgotten entries, which can be restored")
        for box in (self.author, self.success, self.status):
            box.currentIndexChanged.connect(lambda *_: self.narrowed.emit())
        for button in (self.pinned, self.forgotten):
            button.toggled.connect(lambda *_: self.narrowed.emit())
        self._count = Label("", "note")
        self._changed = Button("", self.renew_wanted.emit, kind="link")
        self._changed.hide()
        self.add = Button("Add", self.add_wanted.emit)
        tools = Flow(STEP)
        for widget in (self.author, self.success, self.status, self.pinned, self.forgotten):
            tools.flow.addWidget(widget)
        first = row(self.search, tools, gap=GAP)
        first.setStretch(0, 2)
        first.setStretch(1, 5)
        self.where = Label("", "note")
        second = row(self._count, self._changed, None, self.where, gap=PAD)
        end = row(self.add, gap=GAP)
        line = row(gap=PAD)
        line.addLayout(first, 1)
        line.addLayout(end)
        layout = column(gap=STEP)
        layout.addLayout(line)
        layout.addLayout(second)
        layout.setContentsMargins(WIDE, PAD, PAD, STEP)
        self.setLayout(layout)
        self._quiet = False

    def show_table(self, table: KindTable) -> None:
        """Offer what this kind can be narrowed by."""
        self.success.setVisible(table.tried)
        self.status.setVisible(table.kind is MemoryKind.SKILL)
        self.add.setText(f"Add {article(table.one)} {table.one}")
        self.add.setAccessibleName(self.add.text())
        self.add.setToolTip(f"{self.add.text()} · Ctrl+N")
        self.search.setAccessibleName(f"Search the texts of {table.title}")

    def apply(self, query: Query) -> Query:
        """The query with what is entered here."""
        found: list[tuple[str, object]] = []
        if author := _AUTHORS[self.author.currentText()]:
            found.append(("author", author))
        if self.pinned.isChecked():
            found.append(("pinned", True))
        success = _SUCCESS[self.success.currentText()]
        if success is not None and not self.success.isHidden():
            found.append(("success_rate", success))
        status = _STATUS[self.status.currentText()]
        if status and not self.status.isHidden():
            found.append(("status", status))
        return replace(
            query,
            search=self.search.text().strip(),
            filters=tuple(found),
            forgotten=self.forgotten.isChecked(),
        )

    def clear(self) -> None:
        """Take every filter away; told once."""
        was = self.blockSignals(True)
        self.search.clear()
        for box in (self.author, self.success, self.status):
            box.setCurrentIndex(0)
        for button in (self.pinned, self.forgotten):
            button.setChecked(False)
        self._typed.stop()
        self.blockSignals(was)
        self.narrowed.emit()

    def show_count(self, total: int, table: KindTable, *, narrowed: bool, forgotten: bool) -> None:
        """How many there are, or match."""
        if forgotten:
            said = f"{total:,} forgotten"
        else:
            said = counted(total, "match", "matches") if narrowed else counted(total, table.one, _many(table))
        self._count.set_text(said)

    def show_changes(self, count: int) -> None:
        """So many entries changed while the rows were held still; 0 takes the line away."""
        self._changed.setText(f"{count:,} changed since · show")
        self._changed.setAccessibleName(f"{count:,} entries changed since: show the rows as they are now")
        self._changed.setVisible(count > 0)


def _choice(name: str, options: list[str]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.addItems(options)
    return box


def _toggle(text: str, tip: str) -> Button:
    button = Button(text, kind="filter", tip=tip)
    button.setCheckable(True)
    return button


def _many(table: KindTable) -> str:
    if table.one.endswith("ss"):
        return table.one + "es"
    return table.one + "s"
