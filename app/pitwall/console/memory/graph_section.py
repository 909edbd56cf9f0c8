"""The graph in its place on the memory page: read when it is in view, and kept up to date."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject

from pitwall.console.kit.theme import Look
from pitwall.console.memory.graph.model import GraphEntries
from pitwall.console.memory.graph.panel import GraphPanel
from pitwall.console.memory.kinds import GRAPH_KINDS
from pitwall.console.memory.page import MemoryPage
from pitwall.core.memories import MemoryEntry
from pitwall.core.retrieval import Retrieval
from pitwall.core.telemetry import Retrieved

_MOST_PATCHED = 2_000
"""More changes than this at once, and the whole graph is read anew."""
_KINDS = frozenset(kind.value for kind in GRAPH_KINDS)


class GraphSection(QObject):
    """Joins a memory page and a graph panel; whoever makes one keeps it.

    Attributes:
        panel: the graph with search, hops and legend.
    """

    def __init__(self, page: MemoryPage, look: Look) -> None:
        super().__init__(page)
        self._page = page
        self._game_id = ""
        self._stale = True
        self.panel = GraphPanel(look, page.bridge.data, self.load)
        page.set_graph(self.panel)
        self.panel.installEventFilter(self)
        page.game_chosen.connect(lambda *_: self._read_later())
        page.entry_chosen.connect(self._chosen_on_page)
        page.port.changed.connect(self._changed)
        page.port.retrieved.connect(self._retrieved)
        view = self.panel.view
        view.entry_chosen.connect(page.show_entry)
        view.edit_wanted.connect(page.show_entry)
        view.pin_wanted.connect(lambda entry_id, pinned: page.edits.pin([entry_id], pinned))
        view.forget_wanted.connect(lambda entry_id: page.edits.forget([entry_id], True))

    def load(self) -> None:
        """Read the graph of the page's game."""
        game_id = self._page.game_id
        self._stale = False
        if game_id != self._game_id:
            self._game_id = game_id
            self.panel.show_loading()
            self.panel.show_current(None)
            self.panel.light(())
        if not game_id:
            self.panel.show_graph(GraphEntries(game_id=""))
            return

        def take(entries: GraphEntries) -> None:
            if entries.game_id == self._page.game_id:
                self.panel.show_graph(entries)

        self._page.reading.ask(
            lambda reader: _read(game_id, *reader.graph(game_id)), take, self.panel.show_error
        )

    def close_jobs(self) -> None:
        """End what runs beside the window; before the data folder goes away."""
        self.panel.close_jobs()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._stale:
            self.load()
        return super().eventFilter(watched, event)

    # ---- what happens meanwhile

    def _read_later(self) -> None:
        """At once where the graph is in view, else when it comes into view."""
        self._stale = True
        if self.panel.isVisible():
            self.load()

    def _changed(self, entry_ids: Sequence[int], kinds: Sequence[str], _author: str) -> None:
        if kinds and not _KINDS & set(kinds):
            return
        if self._stale or not self.panel.isVisible() or not entry_ids or len(entry_ids) > _MOST_PATCHED:
            self._read_later()
            return
        game_id = self._game_id

        def take(entries: list[MemoryEntry]) -> None:
            if game_id == self._game_id:
                there = {entry.entry_id for entry in entries}
                mine = [entry for entry in entries if entry.game_id == game_id]
                self.panel.changed(mine, [entry_id for entry_id in entry_ids if entry_id not in there])

        self._page.reading.ask(lambda reader: reader.some(entry_ids), take)

    def _retrieved(self, note: Retrieved) -> None:
        current, lit = marks_of(note.retrieval)
        self.panel.show_current(current)
        self.panel.light(lit)

    def _chosen_on_page(self, entry: MemoryEntry | None) -> None:
        if entry is not None and entry.content.kind in _KINDS and self.panel.isVisible():
            self.panel.choose(entry.entry_id)


def marks_of(retrieval: Retrieval) -> tuple[int | None, tuple[int, ...]]:
    """The state that the agent is in, and the states and actions that a retrieval gave, best first.

    The agent's state is the node nearest to what was asked; None where none is near enough to count.
    """
    nodes = sorted(retrieval.graph, key=lambda support: -support.v)
    lit = [entry_id for support in nodes for entry_id in (support.node_id, support.edge_id)]
    return (nodes[0].node_id if nodes else None), tuple(one for one in lit if one is not None)


def _read(
    game_id: str, nodes: list[MemoryEntry], edges: list[MemoryEntry], likenesses: list[MemoryEntry]
) -> GraphEntries:
    return GraphEntries(game_id=game_id, nodes=nodes, edges=edges, likenesses=likenesses)
