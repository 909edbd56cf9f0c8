"""The candidates of a retrieval: a row each, every figure a column that sorts, and moves in the ranking."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.console.kit.table.model import TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.console.memory.why.columns import candidate_columns
from pitwall.console.memory.why.rows import CandidateRow
from pitwall.core.retrieval import MemoryWeights


class CandidatesTable(Table[CandidateRow]):
    """Chooses the first candidate where the operator has chosen none."""

    def __init__(self, look: Look) -> None:
        columns = candidate_columns(MemoryWeights())
        self._chosen_by_hand = 0
        self._showing = False
        super().__init__(
            look,
            TableModel(columns, key=lambda row: row.candidate.entry_id),
            "Candidates of the retrieval",
            "Arrow keys choose one; Enter shows its entry",
            first=True,
        )
        self.chosen.connect(self._remember)

    def show_candidates(
        self, rows: Sequence[CandidateRow], weights: MemoryWeights, *, anew: bool = False
    ) -> None:
        """Show candidates; the choice stays with its entry, or goes to the first.

        Args:
            weights: that they were ranked with.
            anew: another retrieval: only a candidate that the operator chose stays chosen.
        """
        self._showing = True
        self.show_rows(rows, candidate_columns(weights), chosen=self._chosen_by_hand if anew else None)
        self.chosen.emit(self.current)
        self._showing = False

    def _remember(self, row: CandidateRow | None) -> None:
        if row is not None and not self._showing:
            self._chosen_by_hand = row.candidate.entry_id
