"""An entry's history: who changed what, newest first, and the fields before and after."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.controls import LineButton
from pitwall.console.kit.elements import (
    Button,
    Card,
    Label,
    Rule,
    SectionTitle,
    clear_layout,
    column,
    holder,
    plain_tip,
    row,
)
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.core.memories import MemoryChange
from pitwall.core.quantities import age, ago, counted, seconds_since
from pitwall_evaluation.console.memory_changes.diff_table import DifferenceTable
from pitwall_evaluation.console.memory_changes.differences import differences
from pitwall_memory_editor.console.entries.step_link import StepLink
from pitwall_memory_editor.console.format import AUTHORS, change_words, provenance_text

_SHOWN = 6


class HistoryPanel(QWidget):
    """The newest changes of an entry; pressing one shows its fields before and after.

    Signals:
        more_wanted(count): read so many changes. step_wanted(run_id, step): show that step of the run.
    """

    more_wanted = Signal(int)
    step_wanted = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._title = SectionTitle("History")
        self._card = Card(gap=STEP)
        self.changes: tuple[MemoryChange, ...] = ()
        self._ages: list[tuple[Label, MemoryChange]] = []
        self._open: int | None = None
        self._asked = _SHOWN
        self.setLayout(column(self._title, self._card, gap=GAP))

    @property
    def wanted(self) -> int:
        """Return the number of changes to read, one more than are shown."""
        return self._asked + 1

    def start(self) -> None:
        """Prepare for another entry: few changes, all closed."""
        self._asked, self._open = _SHOWN, None
        self.show_changes(())

    def show_changes(self, changes: Sequence[MemoryChange]) -> None:
        """Show these, newest first."""
        self.changes = tuple(changes)
        self._fill()

    def show_ages(self) -> None:
        """Say again how long ago each change was."""
        for label, change in self._ages:
            label.set_text(age(seconds_since(change.at)))

    # ---- inside

    def _fill(self) -> None:
        clear_layout(self._card.body)
        self._ages = []
        shown = self.changes[: self._asked]
        more = len(self.changes) > len(shown)
        self._title.set_note(counted(len(shown), "change") + (" and more" if more else "") if shown else "")
        self.setVisible(bool(shown))
        now_s = time.time()
        for change in shown:
            self._card.body.addWidget(self._line(change, now_s))
            if change.change_id == self._open:
                self._card.body.addWidget(self._opened(change))
        if more:
            self._card.body.addLayout(row(Button("Earlier changes", self._more, kind="link"), None))

    def _line(self, change: MemoryChange, now_s: float) -> QWidget:
        line = f"{AUTHORS[change.by.author]} · {change_words(change)}"
        if change.undone:
            line += " (undone)"
        since_s = seconds_since(change.at, now_s)
        when = Label(age(since_s), "note")
        self._ages.append((when, change))
        button = LineButton(
            line,
            lambda: self._toggle(change.change_id),
            name=f"{line}, {ago(since_s)}",
            tip=plain_tip(f"{line}\n{provenance_text(change.by)}"),
        )
        button.setCheckable(True)
        button.setChecked(change.change_id == self._open)
        return holder(row(button, when, stretch=0))

    def _opened(self, change: MemoryChange) -> QWidget:
        before = change.before.content if change.before is not None else None
        after = change.after.content if change.after is not None else None
        label = Label(provenance_text(change.by), "note", wrap=True)
        inside = column(label, gap=STEP, margins=(PAD, 0, 0, STEP))
        if change.by.reason:
            inside.addWidget(Label(change.by.reason, "note", wrap=True))
        if before is not None and after is not None and (differing := differences(before, after)):
            inside.addWidget(DifferenceTable(differing))
        link = StepLink(change.by)
        link.wanted.connect(self.step_wanted)
        inside.addLayout(row(link, None))
        inside.addWidget(Rule())
        return holder(inside)

    def _toggle(self, change_id: int) -> None:
        self._open = None if self._open == change_id else change_id
        self._fill()

    def _more(self) -> None:
        self._asked *= 4
        self.more_wanted.emit(self.wanted)
