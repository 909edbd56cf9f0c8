"""The graph on the memory page: read from a real memory, kept up to date, its wishes done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import record_run
from tests.console.scripted_session import STATE, opened, state
from tests.pitwall_memory_editor.console.stores import GAME, StoreSession, agent, fill

from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import ActionEdge, StateNode
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import GraphSupport, Retrieval
from pitwall.core.telemetry import MemoryChanged, Retrieved
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall_memory_editor.console.graph.memory_graph import marks_of
from pitwall_memory_editor.console.graph.menu import entry_menu
from pitwall_memory_editor.console.graph.panel import GraphPanel
from pitwall_memory_editor.console.page import GRAPH, MemoryPage

pytestmark = pytest.mark.screen
_WAIT_MS = 90_000


class GraphHarness:
    """A page with its graph, and the engine that holds the memory."""

    def __init__(self, data: DataFolder, qapp: QApplication, bot: QtBot) -> None:
        self.sessions: list[StoreSession] = []

        def opener(*asked: object) -> StoreSession:
            self.sessions.append(StoreSession(*asked))  # type: ignore[arg-type]
            return self.sessions[-1]

        self.bot = bot
        look = Look(qapp, "dark")
        self.bridge = Bridge(data, opener, lambda: ())
        self.page = MemoryPage(self.bridge, look)
        self.reader = MemoryReader(data)
        bot.addWidget(self.page)
        self.page.resize(1216, 660)
        self.page.show()
        self.page.opened()

    @property
    def panel(self) -> GraphPanel:
        return self.page.graph

    def wait(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=_WAIT_MS)

    def play(self) -> StoreSession:
        self.bridge.open_game(GAME)
        self.wait(lambda: bool(self.sessions))
        self.sessions[-1].tell(opened(), state(STATE.PLAYING))
        self.wait(lambda: self.page.port.place == "engine")
        self.bridge.flush()
        return self.sessions[-1]

    def open_graph(self) -> None:
        self.page.show_segment(GRAPH)
        self.wait(lambda: len(self.panel.view.scene) > 1)

    def nodes(self) -> list[int]:
        return [entry.entry_id for entry in self.reader.graph(GAME)[0]]

    def close(self) -> None:
        self.page.close_reading()
        self.bridge.shutdown()


@pytest.fixture
def desk(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[GraphHarness]:
    assert screen
    data = DataFolder(tmp_path)
    fill(data, 10)
    made = GraphHarness(data, qapp, qtbot)
    made.wait(lambda: made.page.game_id == GAME)
    yield made
    made.close()


def test_it_is_read_when_it_comes_into_view(desk: GraphHarness) -> None:
    assert not desk.panel.isVisible()
    assert len(desk.panel.view.scene.graph) == 0
    desk.open_graph()
    assert desk.panel.isVisible()
    assert sorted(desk.nodes()) == desk.panel.view.scene.graph.ids.tolist()


def test_what_is_chosen_in_the_graph_opens_beside_it(desk: GraphHarness) -> None:
    desk.open_graph()
    node = desk.nodes()[3]
    desk.panel.view.entry_chosen.emit(node)
    desk.wait(lambda: desk.page.detail.entry is not None and desk.page.detail.entry.entry_id == node)
    edge = desk.reader.graph(GAME)[1][4].entry_id
    desk.panel.view.entry_chosen.emit(edge)
    desk.wait(lambda: desk.page.detail.entry is not None and desk.page.detail.entry.entry_id == edge)
    assert desk.page.entries.query.kind is MemoryKind.EDGE
    assert desk.panel.isVisible()
    desk.wait(lambda: desk.panel.view.chosen == edge)


def test_pin_and_forget_from_the_menu_are_done_and_shown(desk: GraphHarness) -> None:
    desk.play()
    desk.open_graph()
    view = desk.panel.view
    node, other = (view.scene.entry_id(number) for number in (0, 1))
    _choose(desk, node, "Pin")
    desk.wait(lambda: view.scene.graph.entries[node].pinned)
    stored = desk.reader.entry(node)
    assert stored is not None
    assert stored.pinned
    _choose(desk, other, "Forget")
    desk.wait(lambda: other not in view.scene.graph.entries)
    stored = desk.reader.entry(other)
    assert stored is not None
    assert stored.forgotten


def test_a_states_card_shows_the_frame_of_its_step_and_facts_in_lines(desk: GraphHarness) -> None:
    run_id = record_run(desk.page.bridge.data, 4, frames=4)
    with MemoryStore.open(desk.page.bridge.data, role="test") as store:
        state = StateNode(text="wood_4 near_table food_2 playing")
        (written,) = store.write([AgentWrite(game_id=GAME, content=state, provenance=agent(run_id, 2))])
    assert written is not None
    desk.open_graph()
    view = desk.panel.view
    desk.panel.look_around(written.entry_id)
    view.zoom_by(2 / view.camera.scale)
    desk.wait(lambda: written.entry_id in view.thumbnails.pictures)
    number = view.scene.number_of(written.entry_id)
    desk.wait(lambda: view.drawing.picture(number) is not None)
    assert view.drawing.words(number)[0].splitlines() == ["wood = 4", "near table", "food = 2"]
    card = view.drawing.chip(number)
    assert card.height() > view.drawing.words(number)[0].count("\n") * 14
    desk.wait(lambda: view.complete)
    corner = view.camera.on_screen(view.scene.places[number])
    seen = view.grab().toImage().pixelColor((corner + QPointF(12 - card.width() / 2, 0)).toPoint())
    assert seen.blue() == 2, "the second step's frame"
    others = [n for n in range(len(view.scene)) if n != number]
    assert all(view.drawing.picture(other) is None for other in others), "no frame was kept of those"


def _choose(desk: GraphHarness, entry_id: int, begins: str) -> None:
    menu = entry_menu(desk.panel.view, entry_id)
    next(action for action in menu.actions() if action.text().startswith(begins)).trigger()


def test_what_the_agent_learns_appears_as_it_plays(desk: GraphHarness) -> None:
    engine = desk.play()
    desk.open_graph()
    view = desk.panel.view
    centre = view.scene.entry_id(0)
    (node,) = engine.store.write(
        [AgentWrite(game_id=GAME, content=StateNode(text="a new place"), provenance=agent())]
    )
    assert node is not None
    content = ActionEdge(source=centre, target=node.entry_id, action="flap", count=9, successes=9, attempts=9)
    (edge,) = engine.store.write([AgentWrite(game_id=GAME, content=content, provenance=agent())])
    assert edge is not None
    engine.tell(
        MemoryChanged(entry_ids=(node.entry_id, edge.entry_id), kinds=("node", "edge"), author="agent")
    )
    desk.wait(lambda: view.scene.number_of(node.entry_id) >= 0)
    assert view.scene.line_of(edge.entry_id) >= 0


def test_the_last_retrieval_is_lit(desk: GraphHarness) -> None:
    engine = desk.play()
    desk.open_graph()
    view = desk.panel.view
    graph = view.scene.graph
    edge = graph.entries[int(graph.edge_ids[view.scene.links.edge[1]])]
    assert isinstance(edge.content, ActionEdge)
    source = edge.content.source
    support = GraphSupport(node_id=source, edge_id=edge.entry_id, action="flap", v=0.97, rho=0.5, score=0.78)
    engine.tell(Retrieved(retrieval=Retrieval(step=4, query="gap ahead", graph=(support,))))
    desk.wait(lambda: view.current == source)
    assert view.marks.current == view.scene.number_of(source) >= 0
    assert view.marks.lit == {view.marks.current: 1}
    assert view.marks.lit_lines == {view.scene.line_of(edge.entry_id)}


def test_a_retrieval_marks_its_nearest_state_first() -> None:
    def support(node_id: int, v: float, edge_id: int | None = None) -> GraphSupport:
        return GraphSupport(node_id=node_id, edge_id=edge_id, action="", v=v, rho=0.0, score=0.0)

    asked = Retrieval(step=1, query="", graph=(support(5, 0.9, 50), support(6, 0.99)))
    assert marks_of(asked) == (6, (6, 5, 50))
    assert marks_of(Retrieval(step=1, query="")) == (None, ())
