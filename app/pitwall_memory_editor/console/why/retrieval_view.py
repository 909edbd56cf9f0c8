"""A retrieval as a whole: query, outcome, formula of the score, candidates."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.elements import Chip, EmptyState, Label, SectionTitle, clear_layout, column, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.table.model import TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import GAP, STEP, WIDE, Look
from pitwall.core.retrieval import MemoryWeights, Retrieval
from pitwall_memory_editor.console.why.columns import candidate_columns
from pitwall_memory_editor.console.why.format import formulas, outcome, size_words
from pitwall_memory_editor.console.why.rows import CandidateRow, summary_of
from pitwall_memory_editor.console.why.score_bar import PartsLegend

_MOST_WORDS = 40
_ROOMY = 230
"""Height in pixels below which the formula gives way to the table; the outcome's tool tip has it too."""


class RetrievalView(QWidget):
    """Shows a retrieval.

    Signals:
        chosen(row): the `CandidateRow` that is now chosen, or None. entry_wanted(entry_id): show this entry.
    """

    chosen = Signal(object)
    entry_wanted = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._query: tuple[str, ...] = ()
        self._chosen_by_hand = 0
        self._showing = False
        columns = candidate_columns(MemoryWeights(), advanced=False)
        self.table: Table[CandidateRow] = Table(
            look,
            TableModel(columns, key=lambda row: row.candidate.entry_id),
            "Candidates of the retrieval",
            "Arrow keys choose one; Enter shows its entry",
            first=True,
        )
        self.table.chosen.connect(self._remember)
        self.table.chosen.connect(self.chosen)
        self.table.opened.connect(lambda row: self.entry_wanted.emit(row.candidate.entry_id))
        self._asked = Flow(STEP)
        self._asked.setAccessibleName("The state that was asked with")
        self._outcome = Chip("")
        self._size = Label("", "note")
        self._formula = Label("", "note", wrap=True)
        self._changes = Label("", "strong")
        self._changes.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.table.set_empty(
            EmptyState(
                "No candidate",
                "The action bank holds nothing of this game yet, or is switched off. What an action did is "
                "written there after each action whose outcome is known.",
            )
        )
        became = row(self._outcome, self._changes, PartsLegend(look), self._size, gap=WIDE, stretch=2)
        head = column(self._asked, became, self._formula, margins=(WIDE, STEP, WIDE, GAP))
        self.setLayout(column(head, self.table, gap=0, stretch=1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._formula.setVisible(self.height() >= _ROOMY)

    def show_retrieval(
        self, retrieval: Retrieval, rows: Sequence[CandidateRow], *, advanced: bool, anew: bool = False
    ) -> None:
        """Show a retrieval.

        Args:
            retrieval: the recorded retrieval, or the tried one.
            rows: its candidates, with their earlier ranks.
            advanced: each figure has its column.
            anew: it differs from the retrieval that was shown before.
        """
        self._show_query(retrieval.query)
        self._outcome.set_text(("✓ " if retrieval.hints or retrieval.acted else "○ ") + outcome(retrieval))
        self._outcome.set_tone("ok" if retrieval.hints or retrieval.acted else "neutral")
        self._size.set_text(size_words(retrieval))
        self._size.setToolTip(f"Embedder: {retrieval.embedder}" if retrieval.embedder else "")
        self._formula.set_text(formulas(retrieval.weights))
        self._outcome.setToolTip(formulas(retrieval.weights))
        self._changes.set_text(summary_of(tuple(rows)))
        self._showing = True
        columns = candidate_columns(retrieval.weights, advanced=advanced)
        self.table.show_rows(rows, columns, chosen=self._chosen_by_hand if anew else None)
        self.table.chosen.emit(self.table.current)
        self._showing = False

    def _remember(self, row: CandidateRow | None) -> None:
        """Keep the operator's choice of a candidate for the next retrieval."""
        if row is not None and not self._showing:
            self._chosen_by_hand = row.candidate.entry_id

    def _show_query(self, query: str) -> None:
        words = tuple(query.split()[:_MOST_WORDS])
        if words == self._query and self._asked.flow.count():
            return
        self._query = words
        clear_layout(self._asked.flow)
        self._asked.flow.addWidget(SectionTitle("Asked with"))
        for word in words:
            self._asked.flow.addWidget(Chip(word))
        if not words:
            self._asked.flow.addWidget(Label("no words: no field said anything", "dim"))
        self._asked.updateGeometry()
