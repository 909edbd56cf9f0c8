"""Words on the graph's actions: all of them among a few states, else those of the state that is looked at."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.pitwall_memory_editor.console.graph.graphs import edge, graph_of, node, shown

from pitwall.console.kit.language.catalogue import load_catalogue
from pitwall_memory_editor.console.graph.layout.positions import StatePositions
from pitwall_memory_editor.console.graph.legend import WORDS
from pitwall_memory_editor.console.graph.scene import Detail
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import VisibleGraph


def _view(qapp: QApplication, qtbot: QtBot, states: int) -> GraphView:
    made = np.random.default_rng(4)
    entries = [node(number) for number in range(1, states + 1)]
    ends = made.integers(1, states + 1, (5 * states // 2, 2)).tolist()
    entries += [edge(1_000 + number, first, second) for number, (first, second) in enumerate(ends)]
    part = VisibleGraph(graph_of(entries), StatePositions())
    part.hops = 6
    part.look_around([1])
    return shown(qapp, qtbot, part.scene())


def test_every_word_of_the_legend_is_german_on_a_german_page() -> None:
    german = load_catalogue("de")
    assert all(german.translated(words) != words for words in WORDS)


@pytest.mark.usefixtures("screen")
def test_thirty_states_show_the_actions_of_one_state_only(qapp: QApplication, qtbot: QtBot) -> None:
    view = _view(qapp, qtbot, 30)
    assert len(view.scene) > 20 and view.drawing.detail is Detail.CIRCLES
    assert view.drawing.line_words == []
    number = max(range(len(view.scene)), key=lambda number: len(view.scene.links_of(number)))
    own = view.drawing.own_line_words(number)
    assert own and {label.number for label in own} <= set(view.scene.links_of(number).tolist())
    before = view.grab().toImage()
    view.choose(view.scene.entry_id(number))
    qtbot.waitUntil(lambda: view.grab().toImage() != before)


@pytest.mark.usefixtures("screen")
def test_a_few_states_show_every_action(qapp: QApplication, qtbot: QtBot) -> None:
    view = _view(qapp, qtbot, 7)
    assert view.drawing.line_words
    assert view.drawing.own_line_words(0) == []
