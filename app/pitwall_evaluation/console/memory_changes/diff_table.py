"""The differences of two snapshots as a table, and the chosen entry's fields before and after."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QWidget

from pitwall.console.kit.elements import EmptyState, Label, clear_layout, column, holder
from pitwall.console.kit.panes import scrolled, split
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, STEP, WIDE, Look
from pitwall.memory.reader import DiffRow
from pitwall_evaluation.console.memory_changes.differences import Difference, cut, differences

_SIGNS = {"added": "+ added", "removed": "− removed", "changed": "~ changed"}
_TONES = {"added": "ok", "removed": "stop", "changed": "text"}


def _kind(row: DiffRow) -> str:
    entry = row.after or row.before
    return entry.content.facts.noun if entry is not None else ""


def _title(row: DiffRow) -> str:
    entry = row.after or row.before
    return cut(entry.content.words, 200) if entry is not None else ""


def _changes(row: DiffRow) -> str:
    if row.before is None or row.after is None:
        return ""
    titles = [difference.title.lower() for difference in differences(row.before.content, row.after.content)]
    if row.before.pinned != row.after.pinned:
        titles.append("pinned" if row.after.pinned else "unpinned")
    return ", ".join(titles) or "where it came from"


_COLUMNS: tuple[Column[DiffRow], ...] = (
    Column("Change", lambda row: _SIGNS[row.change], tone=lambda row: _TONES[row.change], width=96),
    Column("Kind", _kind, tone="dim", width=84),
    Column("Entry", _title, stretch=1),
    Column("What", _changes, tone="dim", width=240),
)


class DifferenceTable(QWidget):
    """Fields before and after, one under another: what went with −, what came with +."""

    def __init__(self, differing: Sequence[Difference]) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(STEP // 2)
        grid.setColumnStretch(1, 1)
        at = 0
        for difference in differing:
            grid.addWidget(Label(difference.title, "note"), at, 0, 1, 2)
            at += 1
            for sign, text, kind in (("−", difference.before, "gone"), ("+", difference.after, "came")):
                if not text:
                    continue
                mark = Label(sign, kind)
                words = Label(text, kind, wrap=True)
                words.setAccessibleName(
                    f"{difference.title}, {'before' if kind == 'gone' else 'after'}: {text}"
                )
                grid.addWidget(mark, at, 0)
                grid.addWidget(words, at, 1)
                at += 1


class DiffTable(QWidget):
    """Rows of a diff, and the chosen one in full."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        model = TableModel(_COLUMNS, lambda row: row.entry_id, self)
        self.table = Table(look, model, "What differs", row_height=30, first=True)
        self._empty = EmptyState("Comparing …", "")
        self.table.set_empty(self._empty)
        self.table.chosen.connect(self._show_chosen)
        self._detail = column(gap=GAP, margins=(WIDE, GAP, WIDE, GAP))
        fields = scrolled(holder(self._detail), "The chosen difference")
        self.setLayout(column(split(self.table, fields, sizes=(360, 160), vertical=True), gap=0))

    def show_rows(self, rows: Sequence[DiffRow]) -> None:
        """Show these; the first is chosen."""
        self._empty.say("Nothing differs", "Both hold the same entries.")
        self.table.show_rows(rows)

    def _show_chosen(self, row: DiffRow | None) -> None:
        clear_layout(self._detail)
        if row is None:
            return
        before = row.before.content if row.before is not None else None
        after = row.after.content if row.after is not None else None
        title = f"{_kind(row)} {row.entry_id} · {_SIGNS[row.change]}"
        self._detail.addWidget(Label(title, "strong", wrap=True))
        self._detail.addWidget(DifferenceTable(differences(before, after)))
        self._detail.addStretch(1)


def counts_of(rows: Sequence[DiffRow]) -> str:
    """Count what differs: "+ 3 added · ~ 1 changed"."""
    counts = [
        f"{sign} {sum(row.change == change for row in rows):,} {change}"
        for sign, change in (("+", "added"), ("−", "removed"), ("~", "changed"))
        if any(row.change == change for row in rows)
    ]
    return " · ".join(counts) or "nothing differs"
