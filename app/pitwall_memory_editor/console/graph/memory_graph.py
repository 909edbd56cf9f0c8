"""The graph of the memory: read when it is in view, and kept up to date."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent

from pitwall.console.kit.theme import Look
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.retrieval import Retrieval
from pitwall.core.telemetry import Retrieved
from pitwall.memory.reader import MemoryReader
from pitwall_memory_editor.console.entries.step_link import kept_frames, place_of
from pitwall_memory_editor.console.graph.model import GraphEntries
from pitwall_memory_editor.console.graph.panel import GraphPanel
from pitwall_memory_editor.console.graph.thumbnails import small
from pitwall_memory_editor.console.kinds import GRAPH_KINDS
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import MemoryReadWorker

_MOST_STATES = 10_000
"""Most states that the window draws smoothly; of a larger graph it shows those that changed last."""
_MOST_PATCHED = 2_000
"""If more entries change at once, the whole graph is read again."""
_KINDS = frozenset(kind.value for kind in GRAPH_KINDS)


class MemoryGraph(GraphPanel):
    """Shows the graph of one game's memory."""

    def __init__(self, look: Look, reading: MemoryReadWorker, port: MemoryPort) -> None:
        super().__init__(look, reading.data, self.load)
        self._reading = reading
        self._game_id = ""
        self._stale = True
        self.view.thumbnails.wanted.connect(self._read_frames)
        port.changed.connect(self._entries_changed)
        port.retrieved.connect(self._retrieved)

    def use_game(self, game_id: str) -> None:
        """Show another game's graph."""
        self._game_id = game_id
        self.view.thumbnails.forget()
        self.show_loading()
        self.show_current(None)
        self.light(())
        self._read_later()

    def load(self) -> None:
        """Read the graph."""
        game_id = self._game_id
        self._stale = False
        if not game_id:
            self.show_graph(GraphEntries(game_id=""))
            return

        def take(entries: GraphEntries) -> None:
            if game_id == self._game_id:
                self.left_out = entries.left_out
                self.show_graph(entries)

        def read(reader: MemoryReader) -> GraphEntries:
            nodes, edges, likenesses = reader.graph(game_id, most_states=_MOST_STATES)
            states = reader.counts(game_id)[MemoryKind.NODE]
            left_out = max(0, states - len(nodes)) if states > _MOST_STATES else 0
            return GraphEntries(
                game_id=game_id, nodes=nodes, edges=edges, likenesses=likenesses, left_out=left_out
            )

        self._reading.ask(read, take, self.show_error)

    def choose_entry(self, entry: MemoryEntry | None) -> None:
        """Choose the entry that was chosen in a table, if the graph contains it."""
        if entry is not None and entry.content.kind in _KINDS and self.isVisible():
            self.choose(entry.entry_id)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.load()

    # ---- what happens meanwhile

    def _read_later(self) -> None:
        """Read at once if the graph is in view, else when it comes into view."""
        self._stale = True
        if self.isVisible():
            self.load()

    def _entries_changed(self, entry_ids: Sequence[int], kinds: Sequence[str], _author: str) -> None:
        if kinds and not _KINDS & set(kinds):
            return
        if self._stale or not self.isVisible() or not entry_ids or len(entry_ids) > _MOST_PATCHED:
            self._read_later()
            return
        game_id = self._game_id

        def take(entries: list[MemoryEntry]) -> None:
            if game_id == self._game_id:
                there = {entry.entry_id for entry in entries}
                mine = [entry for entry in entries if entry.game_id == game_id]
                self.changed(mine, [entry_id for entry_id in entry_ids if entry_id not in there])

        self._reading.ask(lambda reader: reader.some(entry_ids), take)

    def _read_frames(self, entry_ids: Sequence[int]) -> None:
        """Read the frames of the steps that states were met at."""
        entries = self.view.scene.graph.entries
        known = (entries[entry_id] for entry_id in entry_ids if entry_id in entries)
        places = {entry.entry_id: place_of(entry.provenance, entry.changed_by) for entry in known}
        steps = {entry_id: place for entry_id, place in places.items() if all(place)}
        data, take = self._reading.data, self.view.thumbnails.take
        if steps:
            self._reading.ask(lambda _: small(kept_frames(data, steps)), take)

    def _retrieved(self, note: Retrieved) -> None:
        current, lit = marks_of(note.retrieval)
        self.show_current(current)
        self.light(lit)


def marks_of(retrieval: Retrieval) -> tuple[int | None, tuple[int, ...]]:
    """Return the agent's state, and the states and actions of a retrieval, best first.

    The agent's state is the node nearest to the query; None if no node is near enough.
    """
    nodes = sorted(retrieval.graph, key=lambda support: -support.v)
    lit = [entry_id for support in nodes for entry_id in (support.node_id, support.edge_id)]
    return (nodes[0].node_id if nodes else None), tuple(number for number in lit if number is not None)
