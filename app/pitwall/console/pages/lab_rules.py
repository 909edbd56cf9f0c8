"""A module's rules as a table to edit: when, action, cooldown; the first that holds acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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

from pitwall.console.pages.lab_rules_check import ENDS, RuleFault
from pitwall.console.theme import STEP, Look, mono_font
from pitwall.console.widgets.panels import Button, Label, column, plain_tip, row, set_property
from pitwall.games.modules import Module, Rule

_WHEN, _ACTION, _COOLDOWN = range(3)
_TITLES = ("When", "Action", "Cooldown, ms")
_MOST_COOLDOWN_MS = 60_000


class RulesEditor(QWidget):
    """Signals: edited(): the operator changed something. check_wanted()."""

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
        self.ends.setToolTip("The module ends as soon as this holds")
        self.ends.textEdited.connect(self._changed)
        tools = row(
            Button("Add", self.add, kind="quiet", name="Add a rule below the chosen one"),
            Button("Remove", self.remove, kind="quiet", name="Remove the chosen rule"),
            Button("↑", lambda: self.shift(-1), kind="quiet", name="Move the chosen rule up"),
            Button("↓", lambda: self.shift(1), kind="quiet", name="Move the chosen rule down"),
            None,
            gap=STEP,
        )
        layout = column(self.table, gap=STEP)
        layout.addLayout(tools)
        layout.addWidget(Label("Ends when", "dim"))
        layout.addWidget(self.ends)
        layout.setStretch(0, 1)
        self.setLayout(layout)

    def text(self) -> str:
        """The rules as they stand, as JSON of a `Module`."""
        return self.module().model_dump_json() if self._module is not None else ""

    def module(self) -> Module:
        """The module with the rules as they stand."""
        assert self._module is not None
        rules = [
            Rule(when=self._cell(at, _WHEN), action=self._cell(at, _ACTION), cooldown_ms=self._cooldown(at))
            for at in range(self.table.rowCount())
        ]
        return self._module.model_copy(update={"rules": rules, "ends": self.ends.text().strip()})

    def fill(self, text: str) -> None:
        """Show the rules of a `Module` in JSON, telling nothing."""
        if not text or (self._module is not None and text == self.text()):
            return
        self._module = Module.model_validate_json(text)
        self._filling = True
        self.ends.setText(self._module.ends)
        self.table.setRowCount(len(self._module.rules))
        for at, rule in enumerate(self._module.rules):
            self._put(at, rule)
        self._filling = False
        self.mark(())

    def mark(self, faults: Sequence[RuleFault]) -> None:
        """Mark the cells at fault, with what is wrong as their tool tip."""
        wrong = {(fault.rule, fault.column): str(fault) for fault in faults}
        self._filling = True
        for at in range(self.table.rowCount()):
            for place in (_WHEN, _ACTION):
                item = self.table.item(at, place)
                if item is not None:
                    why = wrong.get((at, place), "")
                    item.setToolTip(plain_tip(why or item.text()))
                    item.setForeground(self._look.colour("stop" if why else "text"))
        self._filling = False
        why = wrong.get((ENDS, 0), "")
        set_property(self.ends, "fault", "yes" if why else "no")
        self.ends.setToolTip(plain_tip(why) or "The module ends as soon as this holds")

    # ---- what the operator does

    def add(self) -> None:
        """A copy of the chosen rule below it, or the first rule."""
        at = self.table.currentRow()
        rules = list(self.module().rules)
        new = rules[at] if 0 <= at < len(rules) else Rule(when="true", action="", cooldown_ms=0)
        self._change(lambda: rules.insert(at + 1, new), rules, at + 1)

    def remove(self) -> None:
        at = self.table.currentRow()
        rules = list(self.module().rules)
        if 0 <= at < len(rules):
            self._change(lambda: rules.pop(at), rules, min(at, len(rules) - 2))

    def shift(self, by: int) -> None:
        """Move the chosen rule up or down: the first that holds acts."""
        at = self.table.currentRow()
        rules = list(self.module().rules)
        if 0 <= at < len(rules) and 0 <= at + by < len(rules):
            self._change(lambda: rules.insert(at + by, rules.pop(at)), rules, at + by)

    # ---- inside

    def _change(self, do: Callable[[], object], rules: list[Rule], then: int) -> None:
        ends, module = self.ends.text(), self.module()
        do()
        self._module = module
        self._filling = True
        self.table.setRowCount(len(rules))
        for at, rule in enumerate(rules):
            self._put(at, rule)
        self.ends.setText(ends)
        self._filling = False
        self.table.setCurrentCell(then, max(0, self.table.currentColumn()))
        self.edited.emit()

    def _put(self, at: int, rule: Rule) -> None:
        for place, text in enumerate((rule.when, rule.action, str(rule.cooldown_ms))):
            item = self.table.item(at, place)
            if item is None:
                item = QTableWidgetItem()
                item.setFont(mono_font())
                if place == _COOLDOWN:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(at, place, item)
            item.setText(text)
            item.setToolTip(plain_tip(text))

    def _cell(self, at: int, place: int) -> str:
        item = self.table.item(at, place)
        return item.text().strip() if item is not None else ""

    def _cooldown(self, at: int) -> int:
        text = self._cell(at, _COOLDOWN).removesuffix("ms").strip()
        return min(int(text), _MOST_COOLDOWN_MS) if text.isdecimal() else 0

    def _changed(self, item: object = None) -> None:
        if self._filling:
            return
        if isinstance(item, QTableWidgetItem) and item.column() == _COOLDOWN:
            self._filling = True
            item.setText(str(self._cooldown(item.row())))
            self._filling = False
        self.edited.emit()


class _RulesTable(QTableWidget):
    delete_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(0, len(_TITLES))
        self.setHorizontalHeaderLabels(list(_TITLES))
        self.setAccessibleName("Rules; the first that holds acts")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(_WHEN, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_ACTION, QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(_COOLDOWN, QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(_ACTION, 76)
        self.setColumnWidth(_COOLDOWN, 92)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.state() != QAbstractItemView.State.EditingState:
            self.delete_wanted.emit()
            event.accept()
        else:
            super().keyPressEvent(event)
