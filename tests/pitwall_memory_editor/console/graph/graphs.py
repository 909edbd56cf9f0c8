"""Small graphs by hand, for the graph view's tests."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.kit.theme import Look, ThemeName
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import ActionEdge, Likeness, MemoryContent, StateNode
from pitwall_memory_editor.console.graph.layout.positions import StatePositions
from pitwall_memory_editor.console.graph.model import Graph, GraphEntries
from pitwall_memory_editor.console.graph.scene import Scene
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import VisibleGraph
from workshop.fixtures.random_graph import make_graph

BY = Provenance(author="agent", run_id=7, step=3)


def entry(
    entry_id: int, content: MemoryContent, *, pinned: bool = False, forgotten: bool = False
) -> MemoryEntry:
    return MemoryEntry(
        entry_id=entry_id,
        game_id="doom",
        content=content,
        provenance=BY,
        changed_by=BY,
        pinned=pinned,
        forgotten=forgotten,
    )


def node(entry_id: int, text: str = "", *, pinned: bool = False) -> MemoryEntry:
    return entry(entry_id, StateNode(text=text or f"playing room_{entry_id}"), pinned=pinned)


def edge(
    entry_id: int,
    source: int,
    target: int | None,
    action: str = "forward",
    *,
    tried: tuple[int, int] = (3, 4),
) -> MemoryEntry:
    """An action that succeeded so many times of so many."""
    good, all_of_them = tried
    content = ActionEdge(
        source=source,
        target=target,
        action=action,
        count=all_of_them,
        successes=good,
        attempts=all_of_them,
        reward=0.5,
    )
    return entry(entry_id, content)


def like(entry_id: int, first: int, second: int, cosine: float = 0.9) -> MemoryEntry:
    return entry(entry_id, Likeness(first=first, second=second, cosine=cosine))


def graph_of(entries: Iterable[MemoryEntry]) -> Graph:
    return Graph("doom", entries)


def entries_of(entries: Sequence[MemoryEntry]) -> GraphEntries:
    def kind(name: str) -> list[MemoryEntry]:
        return [entry for entry in entries if entry.content.kind == name]

    return GraphEntries(game_id="doom", nodes=kind("node"), edges=kind("edge"), likenesses=kind("likeness"))


def star(leaves: int) -> list[MemoryEntry]:
    """State 1 in the middle, states 2 … around it; actions have ids from 1001."""
    rim = range(2, leaves + 2)
    return [node(1, "playing hall"), *(node(n) for n in rim), *(edge(1000 + n, 1, n) for n in rim)]


def scene_around(graph: Graph, centre: int, hops: int = 1) -> Scene:
    looking = VisibleGraph(graph, StatePositions())
    looking.hops = hops
    looking.look_around([centre])
    return looking.scene()


def shown(
    qapp: QApplication,
    qtbot: QtBot,
    scene: Scene,
    *,
    theme: ThemeName = "dark",
    size: tuple[int, int] = (900, 560),
) -> GraphView:
    """A view in a real window, painted."""
    view = GraphView(Look(qapp, theme))
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    qtbot.waitExposed(view)
    view.show_scene(scene, fit=True)
    painted(qtbot, view)
    return view


def painted(qtbot: QtBot, view: GraphView) -> None:
    """Wait until nothing is left to be painted, and the scale is the one that is wanted."""
    frames = view.frames

    def done() -> bool:
        return view.complete and view.drawing.scale == view.camera.scale and view.frames > frames

    view.update()
    qtbot.waitUntil(done)


def spot(view: GraphView, entry_id: int) -> QPointF:
    """Where a state is drawn in the view."""
    return view.camera.on_screen(view.scene.places[view.scene.number_of(entry_id)])


def scratch(folder: Path, name: str, text: str) -> str:
    """An executable script."""
    if sys.platform == "win32":
        pytest.skip("a shell's script is no program on Windows")
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def generated(nodes: int, edges: int, likenesses: int = 0) -> GraphEntries:
    """The benchmark's graph as entries, states from 1."""
    made = make_graph(nodes, edges, likenesses)
    contents: list[MemoryContent] = [*made.nodes, *made.edges, *made.likenesses]
    return entries_of([entry(number, content) for number, content in enumerate(contents, 1)])
