"""Why retrieved and the layers in their places on the memory page."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, column, row
from pitwall.console.kit.page import LIVE_PAGE
from pitwall.console.kit.theme import Look
from pitwall.console.memory.layers.panel import LayersPanel
from pitwall.console.memory.page import MemoryPage
from pitwall.console.memory.why.candidate_detail import ScoreTable
from pitwall.console.memory.why.columns import became_text
from pitwall.console.memory.why.panel import WhyPanel
from pitwall.console.memory.why.rows import rows_of
from pitwall.console.state.view_state import Part
from pitwall.core.memories import MemoryEntry

WHY, LAYERS = "why", "layers"
"""Keys of the page's segments."""


class WhySection(QObject):
    """Joins a memory page with its two views and a card beside the tables; whoever makes one keeps it.

    Attributes:
        why, layers: the views. card: why the chosen entry was retrieved last.

    Signals:
        step_wanted(run_id, step): inspect the decision; run_id 0 for what plays no run.
    """

    step_wanted = Signal(int, int)

    def __init__(self, page: MemoryPage, look: Look) -> None:
        super().__init__(page)
        self._page = page
        bridge, port, reading = page.bridge, page.port, page.reading
        self.why = WhyPanel(bridge, look, port, reading)
        self.layers = LayersPanel(bridge, look, port, reading)
        self.card = EntryWhy(look)
        page.add_view(WHY, "Why", self.why, "What the memory was asked before a decision, and what if")
        page.add_view(LAYERS, "Layers", self.layers, "What the next prompt is made of, and other caps")
        self._title = page.add_panel("Last retrieval", self.card)
        self._entry: MemoryEntry | None = None
        self.why.entry_wanted.connect(page.show_entry)
        self.why.node_wanted.connect(page.show_entry)
        self.why.step_wanted.connect(self.step_wanted)
        for view in (self.why, self.layers):
            view.live_wanted.connect(lambda: page.page_wanted.emit(LIVE_PAGE))
        self.card.whole_wanted.connect(self._show_whole)
        page.game_chosen.connect(self.layers.use_game)
        page.entry_chosen.connect(self._entry_chosen)
        bridge.changed.connect(self._refresh)
        if page.game_id:
            self.layers.use_game(page.game_id)
        self._show_card()

    def show_step(self, run_id: int, step: int) -> None:
        """Show why a step's hints were told; run_id 0: of what plays."""
        self.why.show_step(run_id, step)
        self._page.show_segment(WHY)

    def close_reading(self) -> None:
        """Read no more; before the data folder goes away."""
        self.why.close_reading()
        self.layers.close_reading()

    # ---- the card

    def _entry_chosen(self, entry: MemoryEntry | None) -> None:
        self._entry = entry
        self._show_card()

    def _refresh(self, changed: Part) -> None:
        if changed & Part.MEMORY and self._page.isVisible():
            self._show_card()

    def _show_card(self) -> None:
        newest = self._page.bridge.state.retrieval
        number = self._entry.entry_id if self._entry is not None else 0
        rows = rows_of(newest.retrieval, newest.retrieval) if newest is not None else ()
        found = next((one for one in rows if one.candidate.entry_id == number), None)
        shown = newest is not None and found is not None
        self._title.setVisible(shown)
        self.card.setVisible(shown)
        if newest is None or found is None:
            return
        self._title.set_note(f"step {newest.retrieval.step:,} · rank {found.rank} of {len(rows)}")
        self.card.score.show_candidate(found.candidate, newest.retrieval.weights)
        self.card.became.set_text(became_text(found))

    def _show_whole(self) -> None:
        newest = self._page.bridge.state.retrieval
        if newest is not None and self._entry is not None:
            self.show_step(0, newest.retrieval.step)
            self.why.view.table.choose(self._entry.entry_id)


class EntryWhy(QWidget):
    """One candidate's figures, for the column beside the tables.

    Signals:
        whole_wanted(): the whole retrieval, and what if.
    """

    whole_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.score = ScoreTable(look, compact=True)
        self.became = Label("", "dim")
        link = Button("All candidates, and what if", self.whole_wanted.emit, kind="link")
        self.setLayout(column(Card(self.score, self.became, row(link, None)), gap=0))
