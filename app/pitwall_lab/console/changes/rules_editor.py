"""An editor of a module's rules, with two lines for each rule: condition; action and cooldown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from pitwall.console.kit.elements import Button, Label, column, plain_tip, row, set_property
from pitwall.console.kit.theme import STEP, Look, mono_font
from pitwall.games.schema.modules import Module, Rule
from pitwall_lab.console.changes.checks import ENDS, RuleFault

_WHEN, _ACTION, _COOLDOWN = (0, 0), (1, 0), (1, 1)
"""Row within the rule, and column, of each cell: the condition has a line of its own."""
_LINES = 2
_NAMES = {_WHEN: "when", _ACTION: "action", _COOLDOWN: "cooldown in ms"}
_MOST_COOLDOWN_MS = 60_000


class RulesEditor(QWidget):
    """An editor of rules. Signals: edited(): the operator changed something. check_wanted()."""

    edited = Signal()
    check_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._module: Module | None = None
        self._filling = False
        self.table = _RulesTable()
        self.table.itemChanged.connect(self._changed)
        self.table.delete_wanted.connect(self.remove)
        self.ends = QLineEdit()
        self.ends.setFont(mono_font())
        self.ends.setAccessibleName("Ends when, a condition")
        self.ends.setToolTip("The module ends as soon as this condition holds")
        self.ends.textEdited.connect(self._changed)
        tools = row(
            Button("Add", self.add, kind="quiet", name="Add a rule below the chosen one"),
            Button("Remove", self.remove, kind="quiet", name="Remove the chosen rule"),
            Button("↑", lambda: self.shift(-1), kind="quiet", name="Move the chosen rule up"),
            Button("↓", lambda: self.shift(1), kind="quiet", name="Move the chosen rule down"),
            None,
            gap=STEP,
        )
        self.setLayout(column(self.table, tools, Label("Ends when", "dim"), self.ends, gap=STEP, stretch=0))

    def text(self) -> str:
        """Return the rules as JSON of a `Module`."""
        return self.module().model_dump_json() if self._module is not None else ""

    def module(self) -> Module:
        """Return the module with the edited rules."""
        assert self._module is not None
        return self._module.model_copy(update={"rules": self._rules(), "ends": self.ends.text().strip()})

    def _rules(self) -> list[Rule]:
        return [
            Rule(when=self._cell(at, _WHEN), action=self._cell(at, _ACTION), cooldown_ms=self._cooldown(at))
            for at in range(self.table.rowCount() // _LINES)
        ]

    def fill(self, text: str) -> None:
        """Show the rules of a `Module` in JSON without a signal."""
        if not text or (self._module is not None and text == self.text()):
            return
        self._module = Module.model_validate_json(text)
        self.ends.setText(self._module.ends)
        self._fill(self._module.rules)
        self.mark(())

    def mark(self, faults: Sequence[RuleFault]) -> None:
        """Mark the faulty cells, with the fault as their tool tip."""
        wrong = {(fault.rule, fault.column): str(fault) for fault in faults}
        self._filling = True
        for at in range(self.table.rowCount() // _LINES):
            for column_at, place in enumerate((_WHEN, _ACTION)):
                item = self._item(at, place)
                if item is not None:
                    why = wrong.get((at, column_at), "")
                    item.setToolTip(plain_tip(why or item.text()))
                    item.setForeground(self._look.colour("stop" if why else "text"))
        self._filling = False
        why = wrong.get((ENDS, 0), "")
        set_property(self.ends, "fault", "yes" if why else "no")
        self.ends.setToolTip(plain_tip(why) or "The module ends as soon as this condition holds")

    # ---- what the operator does

    def add(self) -> None:
        """Add a copy of the chosen rule below it, or the first rule."""
        at, rules = self.current, self._rules()
        new = rules[at] if 0 <= at < len(rules) else Rule(when="true", action="", cooldown_ms=0)
        self._show([*rules[: at + 1], new, *rules[at + 1 :]], at + 1)

    def remove(self) -> None:
        at, rules = self.current, self._rules()
        if 0 <= at < len(rules):
            self._show([*rules[:at], *rules[at + 1 :]], min(at, len(rules) - 2))

    def shift(self, by: int) -> None:
        """Move the chosen rule up or down; the first rule whose condition holds acts."""
        at, rules = self.current, self._rules()
        if 0 <= at < len(rules) and 0 <= at + by < len(rules):
            rules.insert(at + by, rules.pop(at))
            self._show(rules, at + by)

    # ---- inside

    def _show(self, rules: Sequence[Rule], chosen: int) -> None:
        self._fill(rules)
        self.table.setCurrentCell(_LINES * chosen, 0)
        self.edited.emit()

    def _fill(self, rules: Sequence[Rule]) -> None:
        self._filling = True
        self.table.setRowCount(_LINES * len(rules))
        for at, rule in enumerate(rules):
            self._put(at, rule)
        self._filling = False

    @property
    def current(self) -> int:
        """Return the chosen rule's place from 0; −1 for none."""
        at = self.table.currentRow()
        return at // _LINES if at >= 0 else -1

    def _item(self, at: int, place: tuple[int, int]) -> QTableWidgetItem | None:
        return self.table.item(_LINES * at + place[0], place[1])

    def _put(self, at: int, rule: Rule) -> None:
        self.table.setSpan(_LINES * at, 0, 1, 2)
        texts = ((_WHEN, rule.when), (_ACTION, rule.action), (_COOLDOWN, f"{rule.cooldown_ms} ms"))
        for place, text in texts:
            item = self._item(at, place)
            if item is None:
                item = QTableWidgetItem()
                item.setFont(mono_font())
                self.table.setItem(_LINES * at + place[0], place[1], item)
            item.setText(text)
            item.setToolTip(plain_tip(text))
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, f"Rule {at + 1}, {_NAMES[place]}")
        for line, text in enumerate((str(at + 1), "→")):
            self.table.setVerticalHeaderItem(_LINES * at + line, QTableWidgetItem(text))

    def _cell(self, at: int, place: tuple[int, int]) -> str:
        item = self._item(at, place)
        return item.text().strip() if item is not None else ""

    def _cooldown(self, at: int) -> int:
        text = self._cell(at, _COOLDOWN).removesuffix("ms").strip()
        return min(int(text), _MOST_COOLDOWN_MS) if text.isdecimal() else 0

    def _changed(self, item: object = None) -> None:
        if self._filling:
            return
        if isinstance(item, QTableWidgetItem) and (item.row() % _LINES, item.column()) == _COOLDOWN:
            self._filling = True
            item.setText(f"{self._cooldown(item.row() // _LINES)} ms")
            self._filling = False
        self.edited.emit()


class _RulesTable(QTableWidget):
    delete_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(0, 2)
        self.setAccessibleName("Rules; the first whose condition holds acts")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.horizontalHeader()
        head.hide()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.setColumnWidth(1, 96)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.state() != QAbstractItemView.State.EditingState:
            self.delete_wanted.emit()
            event.accept()
        else:
            super().keyPressEvent(event)
