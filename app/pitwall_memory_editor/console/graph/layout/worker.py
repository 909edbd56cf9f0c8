"""Slow work on the graph beside the window: building it from entries, arranging all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.paths import DataFolder
from pitwall_memory_editor.console.graph.layout.arrange import (
    Arranged,
    OnProgress,
    Stopped,
    arrange,
    first_look,
)
from pitwall_memory_editor.console.graph.layout.forces import Points
from pitwall_memory_editor.console.graph.layout.positions import (
    StatePositions,
    load_positions,
    save_positions,
)
from pitwall_memory_editor.console.graph.model import Graph, GraphEntries

_GATHER_MS = 150
"""Changes that come within this time are worked in together."""


class LayoutWorker(QObject):
    """Builds and arranges graphs in two threads.

    Signals:
        opened(graph, places): a graph was built from all its entries. patched(graph): it changed.
        progressed(stage, share): progress of the layout; share is None if unknown.
        arranged(arranged): places of the whole graph; a rough picture comes first if requested.
        ended(): no layout is running any more. failed(error): a `PitwallError`.
    """

    opened = Signal(object, object)
    patched = Signal(object)
    progressed = Signal(str, object)
    arranged = Signal(object)
    ended = Signal()
    failed = Signal(object)

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._builder = BackgroundWorker("graph", self)
        self._layout = BackgroundWorker("graph layout", self)
        self._stop = Event()
        self._running = False
        self._graph = Graph()
        self._waiting: dict[int, MemoryEntry | None] = {}
        self._building = 0
        self._patching = False
        self._unkept: dict[Path, StatePositions] = {}
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self._patch)
        for aside in (self._builder, self._layout):
            aside.failed.connect(self.failed)

    @property
    def running(self) -> bool:
        """Return whether a layout is running."""
        return self._running

    # ---- building

    def open(self, entries: GraphEntries) -> None:
        """Build a graph from all its entries."""
        self.stop()
        self._waiting = {}
        self._building += 1
        number = self._building
        file = self._data.graph_places(entries.game_id)

        def build() -> tuple[Graph, StatePositions]:
            return Graph.of(entries).prepared(), load_positions(file)

        def take(built: tuple[Graph, StatePositions]) -> None:
            if number == self._building:  # else another one was asked for since
                self._graph, places = built
                self.opened.emit(self._graph, places)
                self._builder.ask(self._graph.prepare_search, lambda _: None)
                self._gather.start()

        self._builder.ask(build, take)

    def change(self, entries: Sequence[MemoryEntry], gone: Sequence[int]) -> None:
        """Apply changed, new and forgotten entries, and removed ids."""
        self._waiting.update({entry.entry_id: entry for entry in entries})
        self._waiting.update(dict.fromkeys(gone))
        if not self._gather.isActive():
            self._gather.start()

    def _patch(self) -> None:
        if not self._waiting or self._patching:
            return  # what comes back then looks again
        waiting, self._waiting = self._waiting, {}
        self._patching = True
        graph, number = self._graph, self._building
        changed = [entry for entry in waiting.values() if entry is not None]
        gone = [entry_id for entry_id, entry in waiting.items() if entry is None]

        def take(patched: Graph) -> None:
            self._patching = False
            if number == self._building:  # else the graph was built anew, with these changes in it
                self._graph = patched
                self._builder.ask(patched.prepare_search, lambda _: None)
                self.patched.emit(patched)
            self._gather.start()

        self._builder.ask(lambda: graph.patched(changed, gone).prepared(), take)

    # ---- arranging

    def arrange(self, graph: Graph, before: Points | None) -> None:
        """Arrange a whole graph; without earlier places (`before`) a rough picture comes at once."""
        self.stop()
        stop = self._stop = Event()
        self._running = True
        self.progressed.emit(f"Arranging {len(graph):,} states", None)

        def tell(stage: str, share: float | None) -> None:
            if not stop.is_set():
                self.progressed.emit(stage, share)  # from the layout's thread: Qt queues it

        def take(arranged: Arranged | None) -> None:
            if stop is not self._stop or stop.is_set():
                return
            self._running = arranged is not None and arranged.means == "rough"
            if arranged is not None:
                self.arranged.emit(arranged)
            if arranged is not None and arranged.means == "rough":
                go_on(arranged.places)
            else:
                self.ended.emit()

        def fail(error: PitwallError) -> None:
            if stop is self._stop:
                self._running = False
                self.failed.emit(error)
                self.ended.emit()

        def go_on(places: Points) -> None:
            self._layout.ask(lambda: _arranged(graph, places, tell, stop.is_set), take, fail)

        if before is None:
            self._layout.ask(lambda: first_look(graph), take, fail)
        else:
            go_on(before)

    def stop(self) -> None:
        """Give up the arranging; the picture stays."""
        self._stop.set()
        if self._running:
            self._running = False
            self.ended.emit()

    def keep(self, places: StatePositions) -> None:
        """Write places down."""
        file = self._data.graph_places(self._graph.game_id)
        copy = StatePositions(
            {scope: dict(held) for scope, held in places.held.items()}, dict(places.arranged)
        )
        self._unkept[file] = copy

        def write() -> None:
            save_positions(file, copy)
            if self._unkept.get(file) is copy:
                del self._unkept[file]

        self._builder.ask(write, lambda _: None)

    def close(self) -> None:
        """End both threads after their present job, and write down unkept places."""
        self._gather.stop()
        self._stop.set()
        self._layout.close()
        self._builder.close()
        for file, places in self._unkept.items():
            save_positions(file, places)
        self._unkept = {}


def _arranged(
    graph: Graph, before: Points, on_progress: OnProgress, stop: Callable[[], bool]
) -> Arranged | None:
    try:
        return arrange(graph, before=before, on_progress=on_progress, stop=stop)
    except Stopped:
        return None
