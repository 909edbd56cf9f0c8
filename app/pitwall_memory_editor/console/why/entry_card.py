"""Tells why the chosen entry was retrieved last, beside the tables."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, row
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.core.memories import MemoryEntry
from pitwall_memory_editor.console.why.candidate_detail import ScoreTable
from pitwall_memory_editor.console.why.columns import became_text
from pitwall_memory_editor.console.why.rows import rows_of


class EntryWhy(QWidget):
    """Shows a candidate's figures in the newest retrieval; hidden where the entry is no candidate.

    Signals:
        whole_wanted(step, entry_id): the whole retrieval, and what if.
    """

    whole_wanted = Signal(int, int)

    def __init__(self, look: Look, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._place = (0, 0)
        self._title = SectionTitle("Last retrieval")
        self._score = ScoreTable(look, compact=True)
        self._became = Label("", "dim")
        link = Button(
            "All candidates, and what if", lambda: self.whole_wanted.emit(*self._place), kind="link"
        )
        self.setLayout(column(self._title, Card(self._score, self._became, row(link, None))))
        self.hide()

    def show_entry(self, entry: MemoryEntry | None) -> None:
        """Show how an entry came by its rank."""
        newest = self._bridge.state.retrieval
        rows = rows_of(newest.retrieval, newest.retrieval) if newest is not None else ()
        number = entry.entry_id if entry is not None else 0
        match = next((row for row in rows if row.candidate.entry_id == number), None)
        self.setVisible(match is not None)
        if newest is None or match is None:
            return
        self._place = (newest.retrieval.step, number)
        self._title.set_note(f"step {newest.retrieval.step:,} · rank {match.rank} of {len(rows)}")
        self._score.show_candidate(match.candidate, newest.retrieval.weights)
        self._became.set_text(became_text(match))
