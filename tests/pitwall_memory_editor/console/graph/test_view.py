"""The painted graph in a real window: what is seen, hit, walked through and asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.pitwall_memory_editor.console.graph.graphs import (
    edge,
    entry,
    generated,
    graph_of,
    like,
    node,
    painted,
    scene_around,
    shown,
    spot,
    star,
)

from pitwall.console.kit.theme import DARK, LIGHT
from pitwall.core.memory_kinds import ActionEdge
from pitwall_memory_editor.console.graph.layout.arrange import first_look
from pitwall_memory_editor.console.graph.layout.positions import StatePositions
from pitwall_memory_editor.console.graph.menu import entry_menu
from pitwall_memory_editor.console.graph.model import Graph
from pitwall_memory_editor.console.graph.painting.labels import LabelSpace, state_labels
from pitwall_memory_editor.console.graph.painting.line_index import LineIndex
from pitwall_memory_editor.console.graph.painting.primitives import draw_lines
from pitwall_memory_editor.console.graph.scene import Detail, Scene
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import WHOLE, VisibleGraph

pytestmark = pytest.mark.screen

SMALL = [*star(6), like(3000, 2, 5, 0.93), edge(1100, 4, 1, "turn <i>left</i>", tried=(0, 5))]


@dataclass
class Heard:
    """What a view's signals told."""

    chosen: list[Any]
    expand: list[Any]
    edit: list[Any]
    placed: list[Any]

    @classmethod
    def of(cls, view: GraphView) -> Heard:
        heard = cls([], [], [], [])
        view.entry_chosen.connect(heard.chosen.append)
        view.expand_wanted.connect(heard.expand.append)
        view.edit_wanted.connect(heard.edit.append)
        view.placed.connect(lambda *text: heard.placed.append(text))
        return heard


@pytest.fixture
def show(screen: str, qapp: QApplication, qtbot: QtBot) -> Callable[..., GraphView]:
    assert screen
    return lambda scene, **how: shown(qapp, qtbot, scene, **how)


def whole_scene(graph: Graph) -> Scene:
    looking = VisibleGraph(graph, StatePositions())
    looking.use_whole(first_look(graph).places)
    looking.use_hops(WHOLE)
    return looking.scene()


def image_of(view: GraphView) -> QImage:
    return view.grab().toImage()


def near_pixels(image: QImage, at: QPointF, colour: str, reach: int = 9, slack: int = 12) -> int:
    """How many pixels around a point have about this colour."""
    wanted = QColor(colour)
    count = 0
    for x in range(int(at.x()) - reach, int(at.x()) + reach + 1):
        for y in range(int(at.y()) - reach, int(at.y()) + reach + 1):
            seen = image.pixelColor(x, y)
            parts = zip(seen.getRgb(), wanted.getRgb(), strict=True)  # type: ignore[call-overload]
            count += all(abs(a - b) <= slack for a, b in parts)
    return count


def detail(view: GraphView) -> Detail:
    return view.drawing.detail


def click(view: GraphView, at: QPointF, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    QTest.mouseClick(view, button, Qt.KeyboardModifier.NoModifier, at.toPoint())


def key(view: GraphView, which: Qt.Key, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(view, which, modifier)


# ---- what is seen


@pytest.mark.parametrize(("theme", "ground", "chip"), [("dark", DARK, DARK), ("light", LIGHT, LIGHT)])
def test_states_and_actions_are_painted(
    show: Callable[..., GraphView], theme: str, ground: Any, chip: Any
) -> None:
    view = show(scene_around(graph_of(SMALL), 1), theme=theme)
    image = image_of(view)
    for entry_id in (2, 3, 4):
        assert near_pixels(image, spot(view, entry_id), chip.raised) > 40
    middle = (spot(view, 1) + spot(view, 3)) / 2
    assert near_pixels(image, middle, ground.background, 14) < 29 * 29  # a line or its words run there
    assert image.pixelColor(4, 4) == QColor(ground.background)


def test_success_is_told_by_colour_and_by_a_dash(show: Callable[..., GraphView]) -> None:
    good, bad = edge(10, 1, 2, tried=(9, 9)), edge(11, 3, 4, tried=(0, 9))
    scene = scene_around(graph_of([*(node(n) for n in (1, 2, 3, 4)), good, bad, like(12, 1, 3)]), 1, 3)
    view = show(scene)
    pens = dict(zip(("good", "bad"), (_pen_of(view, 10), _pen_of(view, 11)), strict=True))
    assert pens["good"].color() == QColor(DARK.ok)
    assert pens["bad"].color() == QColor(DARK.stop)
    assert not pens["good"].dashPattern()
    assert pens["bad"].dashPattern()


def _pen_of(view: GraphView, entry_id: int) -> Any:
    drawing, line = view.drawing, view.scene.line_of(entry_id)
    at = int(np.flatnonzero(drawing.order == line)[0])
    return next(pen for begin, end, pen in drawing.runs if begin <= at < end)


def test_the_agents_state_says_now_and_a_retrieval_its_rank(
    show: Callable[..., GraphView], qtbot: QtBot
) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    before = image_of(view)
    assert near_pixels(before, spot(view, 1), DARK.reactive) == 0
    view.show_current(1)
    view.light([3, 1003, 2])
    painted(qtbot, view)
    after = image_of(view)
    assert near_pixels(after, spot(view, 1), DARK.reactive) > 100
    assert near_pixels(after, spot(view, 3), DARK.reactive_soft) > 60
    numbers = {view.scene.entry_id(number): rank for number, rank in view.marks.lit.items()}
    assert numbers == {3: 1, 2: 2}
    assert view.marks.lit_lines == {view.scene.line_of(1003)}
    view.show_current(None)
    view.light([])
    painted(qtbot, view)
    assert image_of(view) == before


@pytest.mark.parametrize("scale", [0.02, 0.3, 0.8, 2.2])
def test_panning_shows_the_same_picture_further_on(
    show: Callable[..., GraphView], qtbot: QtBot, scale: float
) -> None:
    view = show(whole_scene(Graph.of(generated(400, 1_500, 80))))
    view.zoom_by(scale / view.camera.scale)
    painted(qtbot, view)
    before = image_of(view)
    for _ in range(6):
        view.pan_by(-37, 21)
        view.repaint()
    painted(qtbot, view)
    after = image_of(view)
    dx, dy = 6 * 37, 6 * 21
    width, height = view.width() - dx - 2, view.height() - dy - 2  # without the frame of the focus
    assert before.copy(dx + 1, 1, width, height) == after.copy(1, dy + 1, width, height)


def test_details_come_with_the_zoom(show: Callable[..., GraphView], qtbot: QtBot) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    seen = []
    for scale in (0.1, 0.5, 1.5):
        view.zoom_by(scale / view.camera.scale)
        painted(qtbot, view)
        seen.append(detail(view))
    assert seen == [Detail.DOTS, Detail.CIRCLES, Detail.CHIPS]
    chip = view.drawing.chip(view.scene.number_of(2))
    assert chip.width() > 60


def test_words_stay_in_sight_where_the_whole_scene_is_seen(show: Callable[..., GraphView]) -> None:
    far = [node(number, f"far_from_every_other_state_{number}") for number in range(2, 42)]
    graph = graph_of([node(1), *far, *(edge(1000 + item.entry_id, 1, item.entry_id) for item in far)])
    view = show(scene_around(graph, 1), size=(420, 330))
    assert detail(view) is Detail.CIRCLES
    sight = view.camera.view()
    words = view.drawing.state_words(sight)
    assert words
    assert [word.text for word in words if word.box[0] < sight.left() or word.box[2] > sight.right()] == []


def test_the_wheel_zooms_about_the_pointer(show: Callable[..., GraphView], qtbot: QtBot) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    at = spot(view, 3)
    turn = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    before = view.camera.scale
    QApplication.sendEvent(view, turn)
    assert view.camera.scale == pytest.approx(before * 1.25**2)
    way = spot(view, 3) - at
    assert abs(way.x()) <= 1
    assert abs(way.y()) <= 1
    painted(qtbot, view)


def test_ten_thousand_states_are_painted(show: Callable[..., GraphView], qtbot: QtBot) -> None:
    view = show(whole_scene(Graph.of(generated(10_000, 50_000, 2_000))))
    assert detail(view) is Detail.DOTS
    image = image_of(view).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32)
    assert len(np.unique(pixels)) > 50
    view.zoom_by(0.6 / view.camera.scale)
    painted(qtbot, view)
    assert detail(view) is Detail.CIRCLES
    assert view.drawing.state_words(view.camera.view())
    number = view.scene.number_of(5_000)
    view.choose(5_000, bring=True)
    painted(qtbot, view)
    assert view.rect().contains(spot(view, 5_000).toPoint())
    assert view.marks.chosen == number


def test_words_that_all_states_have_are_left_out() -> None:
    scene = scene_around(graph_of([*star(8), node(20, "playing")]), 1)
    assert scene.telling(scene.number_of(3)) == "room = 3"
    assert scene.text(scene.number_of(3)) == "playing room_3"


# ---- hit


def test_a_click_chooses_a_state_an_action_a_likeness_or_nothing(show: Callable[..., GraphView]) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    heard = Heard.of(view)
    click(view, spot(view, 3))
    assert view.chosen == 3
    click(view, spot(view, 1) * 0.35 + spot(view, 6) * 0.65)
    assert view.chosen == 1006
    click(view, spot(view, 2) * 0.5 + spot(view, 5) * 0.5)
    assert view.chosen in (3000, 1002, 1005, 1)  # the likeness, or what lies across its middle
    click(view, QPointF(3, 3))
    assert view.chosen not in (3, 1006)
    assert heard.chosen[:2] == [3, 1006]


def test_clicking_a_line_again_goes_through_its_actions(show: Callable[..., GraphView]) -> None:
    several = [edge(10, 1, 2, "use", tried=(1, 9)), edge(11, 1, 2, "fire", tried=(1, 5)), edge(12, 1, 2)]
    view = show(scene_around(graph_of([node(1), node(2), *several]), 1))
    middle = spot(view, 1) * 0.5 + spot(view, 2) * 0.5
    seen = []
    for _ in range(4):
        click(view, middle)
        seen.append(view.chosen)
    assert seen == [10, 11, 12, 10]


def test_more_is_shown_by_a_click_on_its_number(show: Callable[..., GraphView]) -> None:
    view = show(scene_around(graph_of(star(40)), 1))
    heard = Heard.of(view)
    pill = view.drawing.more_pill(view.scene.number_of(1))
    assert not pill.isEmpty()
    click(view, pill.center() - view.camera.corner)
    assert heard.expand == [1]
    assert "28 more neighbours" in view.words_at(pill.center() - view.camera.corner)


def test_a_double_click_opens(show: Callable[..., GraphView]) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    heard = Heard.of(view)
    QTest.mouseDClick(
        view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot(view, 4).toPoint()
    )
    assert heard.edit == [4]


def test_tool_tips_are_plain_text(show: Callable[..., GraphView]) -> None:
    evil = "<img src='file:///etc/passwd'> & <b>bold</b>"
    view = show(scene_around(graph_of([node(1, evil), node(2), edge(10, 1, 2, evil)]), 1))
    words = view.words_at(spot(view, 1))
    assert evil in words
    assert "agent · run 7" in words
    assert "success 0.75 (3 of 4)" in view.words_at(spot(view, 1) * 0.5 + spot(view, 2) * 0.5)


def test_a_state_is_dragged_and_the_ground_too(show: Callable[..., GraphView], qtbot: QtBot) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    heard = Heard.of(view)
    drag(view, spot(view, 3), QPoint(60, 40))
    (text,) = heard.placed
    assert text[0] == 3
    assert view.scene.places[view.scene.number_of(3)].tolist() == pytest.approx(text[1:])
    painted(qtbot, view)
    before = spot(view, 1)
    drag(view, QPointF(6, 6), QPoint(50, 30))
    assert spot(view, 1) - before == QPointF(50, 30)
    assert heard.chosen == []


def drag(view: GraphView, at: QPointF, way: QPoint) -> None:
    begin = at.toPoint()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, begin)
    for share in (0.5, 1.0):
        QTest.mouseMove(view, begin + way * share)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, begin + way)


# ---- keys


def test_arrows_walk_to_neighbours_and_enter_opens(show: Callable[..., GraphView]) -> None:
    chain = [*(node(n) for n in range(1, 5)), *(edge(100 + n, n, n + 1) for n in range(1, 4))]
    view = show(scene_around(graph_of(chain), 1, 3))
    heard = Heard.of(view)
    view.show_current(1)
    key(view, Qt.Key.Key_Right)
    assert view.chosen == 1  # the first key chooses the agent's state
    for _ in range(3):
        way = spot(view, (view.chosen or 0) + 1) - spot(view, view.chosen or 0)
        sideways = abs(way.x()) > abs(way.y())
        right, down = Qt.Key.Key_Right, Qt.Key.Key_Down
        left, up = Qt.Key.Key_Left, Qt.Key.Key_Up
        key(view, (right if way.x() > 0 else left) if sideways else (down if way.y() > 0 else up))
    assert heard.chosen == [1, 2, 3, 4]
    key(view, Qt.Key.Key_Return)
    assert heard.edit == [4]
    key(view, Qt.Key.Key_E)
    assert heard.expand == [4]
    key(view, Qt.Key.Key_Escape)
    assert view.chosen is None


def test_keys_zoom_fit_pan_and_search(show: Callable[..., GraphView], qtbot: QtBot) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    fitted = view.camera.scale
    key(view, Qt.Key.Key_Plus)
    assert view.camera.scale == pytest.approx(fitted * 1.25)
    key(view, Qt.Key.Key_Minus)
    key(view, Qt.Key.Key_Minus)
    assert view.camera.scale == pytest.approx(fitted / 1.25)
    before = spot(view, 1)
    key(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert spot(view, 1).x() == pytest.approx(before.x() - 60, abs=1)
    key(view, Qt.Key.Key_F)
    assert view.camera.scale == pytest.approx(fitted)
    with qtbot.waitSignal(view.search_wanted):
        key(view, Qt.Key.Key_Slash)


def test_what_is_chosen_is_said_for_those_who_cannot_see_it(show: Callable[..., GraphView]) -> None:
    view = show(scene_around(graph_of(SMALL), 1))
    assert "the tables show the same" in view.accessibleName()
    assert view.accessibleDescription().startswith("7 of 7 states shown")
    view.choose(4)
    answer = view.accessibleDescription()
    assert "Chosen: playing room_4" in answer
    assert "turn <i>left</i> 0.00" in answer


def test_the_menu_asks_and_does_nothing_by_itself(show: Callable[..., GraphView]) -> None:
    view = show(scene_around(graph_of([node(1, pinned=True), node(2), edge(10, 1, 2)]), 1))
    text: list[Any] = []
    view.pin_wanted.connect(lambda *values: text.append(("pin", *values)))
    view.forget_wanted.connect(lambda *values: text.append(("forget", *values)))
    view.let_go.connect(lambda *values: text.append(("let go", *values)))
    view.centre_wanted.connect(lambda *values: text.append(("centre", *values)))
    view.held = frozenset({1})
    for action in entry_menu(view, 1).actions():
        if re.match("Unpin|Forget|Let|Look", action.text()):
            action.trigger()
    assert text == [("centre", 1), ("pin", 1, False), ("forget", 1), ("let go", 1)]
    assert [a.text().split("\t")[0] for a in entry_menu(view, 10).actions() if a.text()] == [
        "Open in the table",
        "Pin: the agent never changes it",
        "Forget",
    ]


# ---- pieces


def test_every_line_that_touches_an_area_is_found() -> None:
    made = np.random.default_rng(3)
    ends = made.uniform(-400, 400, (3_000, 4))
    reach = LineIndex(ends)
    for area in (QRectF(0, 0, 256, 256), QRectF(-256, 256, 256, 256), QRectF(1_000, 1_000, 10, 10)):
        result = set(reach.touching(area).tolist())
        share = np.linspace(0, 1, 200)[None, :]
        x = ends[:, :1] + (ends[:, 2:3] - ends[:, :1]) * share
        y = ends[:, 1:2] + (ends[:, 3:] - ends[:, 1:2]) * share
        inside = ((x > area.left()) & (x < area.right()) & (y > area.top()) & (y < area.bottom())).any(axis=1)
        assert set(np.flatnonzero(inside).tolist()) <= result
        assert len(result) < 0.75 * len(ends)


def test_many_lines_are_drawn_as_they_would_be_one_by_one(qapp: QApplication) -> None:
    assert qapp
    ends = np.random.default_rng(5).uniform(0, 100, (200, 4)).round()
    images = []
    for at_once in (True, False):
        image = QImage(100, 100, QImage.Format.Format_RGB32)
        image.fill(QColor("black"))
        painter = QPainter(image)
        painter.setPen(QColor("white"))
        if at_once:
            draw_lines(painter, ends)
        else:
            for x0, y0, x1, y1 in ends:
                painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
        painter.end()
        images.append(image)
    assert images[0] == images[1]


def test_no_words_lie_on_others() -> None:
    made = np.random.default_rng(2)
    at = made.uniform(0, 600, (300, 2))
    labels = state_labels(
        np.arange(300),
        at,
        made.random(300),
        np.full(300, 5.0),
        lambda number: (f"state {number}", 70.0),
        LabelSpace(within=(0, 0, 600, 600)),
        height=14,
    )
    assert 30 < len(labels) < 300
    boxes = [label.box for label in labels]
    assert all(min(box) >= 0 and max(box) <= 600 for box in boxes)
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            assert left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom


def test_two_ways_and_several_actions_are_bundled() -> None:
    there = [edge(10, 1, 2, "use", tried=(1, 2)), edge(11, 1, 2, "fire", tried=(1, 9))]
    back = edge(12, 2, 1)
    lost = entry(13, ActionEdge(source=2, target=None, action="jump", count=1))
    scene = scene_around(graph_of([node(1), node(2), *there, back, edge(14, 1, 1), lost]), 1)
    assert len(scene.links) == 2
    assert scene.two_way.all()
    busy = scene.line_of(10)
    assert scene.graph.edge_ids[scene.links.members(busy)].tolist() == [11, 10]
    assert scene.links.others[busy] == 1
    assert (len(scene.loops), len(scene.open_ends)) == (1, 1)


def test_words_that_set_states_apart_come_first() -> None:
    here = [node(n, f"playing hall ammo_{n}") for n in range(1, 8)]
    there = [node(n, f"playing pit ammo_{n}") for n in range(8, 11)]
    joined = [edge(100 + n, 1, n) for n in range(2, 11)]
    scene = scene_around(graph_of([*here, *there, *joined]), 1)
    assert scene.telling(scene.number_of(2)) == "ammo = 2 · hall"
    assert scene.telling(scene.number_of(9)) == "ammo = 9 · pit"
