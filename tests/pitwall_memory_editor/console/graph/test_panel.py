"""The panel around the graph: states, hops, search, following the agent, arranging, places that are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from tests.pitwall_memory_editor.console.graph.graphs import edge, entries_of, generated, node, painted, star

from pitwall.console.kit.theme import Look
from pitwall.core.errors import DataFolderError
from pitwall.core.memories import MemoryEntry
from pitwall.core.paths import DataFolder
from pitwall_memory_editor.console.graph.model import GraphEntries
from pitwall_memory_editor.console.graph.panel import GraphPanel
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import WHOLE
from workshop.fixtures.random_graph import GAME, make_graph, write_memory

pytestmark = pytest.mark.screen

TOWN: list[MemoryEntry] = [
    *star(30),
    *(node(n, f"playing cellar_{n}") for n in range(100, 130)),
    *(edge(2000 + n, n, n + 1, "dig") for n in range(100, 129)),
]
"""A star of 31 states around state 1, and a chain of 30 that it does not know."""


class PanelMaker:
    """Makes panels on one data folder."""

    def __init__(self, app: QApplication, bot: QtBot, data: DataFolder) -> None:
        self.app, self.bot, self.data = app, bot, data
        self.loads: list[int] = []
        self.made: list[GraphPanel] = []

    def new(self) -> GraphPanel:
        panel = GraphPanel(Look(self.app), self.data, lambda: self.loads.append(1))
        panel.resize(1000, 560)
        panel.show()
        self.bot.waitExposed(panel)
        self.made.append(panel)
        return panel

    def showing(self, entries: GraphEntries) -> GraphPanel:
        panel = self.new()
        panel.show_graph(entries)
        self.bot.waitUntil(lambda: len(panel.view.scene) > 0)
        painted(self.bot, panel.view)
        return panel


@pytest.fixture
def panels(screen: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[PanelMaker]:
    assert screen
    made = PanelMaker(qapp, qtbot, DataFolder(tmp_path))
    yield made
    for panel in made.made:
        panel.close_jobs()
        shiboken6.delete(panel)


def said(widget: QWidget) -> str:
    return "\n".join(
        label.accessibleName() or label.text() for label in widget.findChildren(QLabel) if label.isVisible()
    )


def in_view(view: GraphView) -> set[int]:
    return {view.scene.entry_id(number) for number in range(len(view.scene))}


def places(view: GraphView) -> dict[int, tuple[float, ...]]:
    return {view.scene.entry_id(n): tuple(view.scene.places[n].tolist()) for n in range(len(view.scene))}


def arranging(panel: GraphPanel) -> bool:
    return panel.arranging.running


def button(panel: GraphPanel, name: str) -> QAbstractButton:
    return next(b for b in panel.findChildren(QAbstractButton) if b.accessibleName() == name)


# ---- states


def test_an_empty_memory_says_what_will_be_there(panels: PanelMaker) -> None:
    panel = panels.new()
    assert "Reading the graph" in said(panel)
    panel.show_graph(entries_of([]))
    panels.bot.waitUntil(lambda: "The graph grows as actions succeed" in said(panel))


def test_the_first_state_fills_the_empty_panel(panels: PanelMaker) -> None:
    panel = panels.new()
    panel.show_graph(entries_of([]))
    panels.bot.waitUntil(lambda: "The graph grows" in said(panel))
    panel.changed([node(1), node(2), edge(10, 1, 2)])
    panels.bot.waitUntil(lambda: in_view(panel.view) == {1, 2})
    assert panel.view.isVisible()


def test_an_error_can_be_tried_again(panels: PanelMaker) -> None:
    panel = panels.new()
    panel.show_error(DataFolderError("the memory is locked.", "Close the other console."))
    assert "The memory is locked." in said(panel)
    assert "Close the other console." in said(panel)
    button(panel, "Try again").click()
    assert panels.loads == [1]
    assert "Reading the graph" in said(panel)


# ---- where one looks


def test_it_opens_around_the_busiest_state_or_the_agents(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    assert 1 in in_view(panel.view)
    assert "around the busiest state · 13 of 61 states" in said(panel)
    other = panels.new()
    other.show_current(110)
    other.show_graph(entries_of(TOWN))
    panels.bot.waitUntil(lambda: len(other.view.scene) > 0)
    assert in_view(other.view) == {108, 109, 110, 111, 112}
    assert "around now" in said(other)


def test_it_follows_the_agent_until_it_is_told_not_to(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    panel.show_current(105)
    panels.bot.waitUntil(lambda: 105 in in_view(panel.view))
    assert panel.view.scene.number_of(105) == panel.view.marks.current
    panel.follow.setChecked(False)
    panel.show_current(1)
    panels.bot.wait(900)
    assert 1 not in in_view(panel.view)
    assert "the agent is in a state out of view" in said(panel)
    panel.follow.setChecked(True)
    assert 1 in in_view(panel.view)


def test_hops_widen_it_and_the_whole_graph_is_arranged_beside(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    panel.look_around(110)
    panel.use_hops(1)
    assert in_view(panel.view) == {109, 110, 111}
    text: list[Any] = []
    panel.arranging.progressed.connect(lambda values, _: text.append(values))
    panel.use_hops(WHOLE)
    panels.bot.waitUntil(lambda: len(panel.view.scene) == 61)
    panels.bot.waitUntil(lambda: not panel.arranging.running)
    assert text[0] == "Arranging 61 states"
    assert "61 states · 59 actions" in said(panel)
    panel.use_hops(2)
    assert in_view(panel.view) == {108, 109, 110, 111, 112}


def test_arranging_shows_that_it_is_on_and_can_be_cancelled(panels: PanelMaker) -> None:
    panel = panels.showing(generated(4_000, 16_000))
    shown: list[str] = []

    def watch(_what: str, _share: object) -> None:
        shown.append(said(panel))

    panel.arranging.progressed.connect(watch)
    panel.use_hops(WHOLE)
    assert arranging(panel)
    assert any("Arranging 4,000 states" in text for text in shown)
    button(panel, "Cancel the arranging").click()
    assert not arranging(panel)
    assert "Arranging 4,000" not in said(panel)
    panels.bot.wait(300)
    assert 0 < len(panel.view.scene) < 100  # nothing of the whole was there yet: back to the neighbourhood
    assert "of 4,000 states" in said(panel)


def test_more_is_expanded_where_it_is_asked_for(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    before = places(panel.view)
    panel.view.expand_wanted.emit(1)
    after = places(panel.view)
    assert len(after) == len(before) + 12
    assert {entry_id: after[entry_id] for entry_id in before} == before
    assert panel.view.chosen == 1


# ---- search


def test_search_goes_from_match_to_match(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    chosen: list[int] = []
    panel.view.entry_chosen.connect(chosen.append)
    panel.view.setFocus()
    QTest.keyClick(panel.view, Qt.Key.Key_Slash)
    assert panel.search.hasFocus()
    QTest.keyClicks(panel.search, "cellar_12")
    panels.bot.waitUntil(lambda: bool(chosen))
    assert "1 of 10" in said(panel)
    assert panel.view.chosen == chosen[0]
    assert 120 <= chosen[0] < 130
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert len(set(chosen)) == 2
    assert "2 of 10" in said(panel)
    panel.search.setText("nowhere at all")
    panels.bot.waitUntil(lambda: "no state has all of these words" in said(panel))


def test_an_entry_chosen_in_a_table_can_be_brought_into_view(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    assert 115 not in in_view(panel.view)
    panel.choose(115)
    assert 115 not in in_view(panel.view)  # a table that chooses its first row moves nothing
    button(panel, "Show chosen").click()
    assert panel.view.scene.number_of(115) == panel.view.marks.chosen
    panel.choose(2103)
    button(panel, "Show chosen").click()
    assert panel.view.chosen == 2103
    assert {103, 104} <= in_view(panel.view)
    panel.choose(2104)
    assert not button(panel, "Show chosen").isVisible()
    assert panel.view.marks.line == panel.view.scene.line_of(2104)


# ---- changes and places


def test_changes_come_without_moving_anything(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    before = places(panel.view)
    view = (panel.view.camera.scale, panel.view.camera.corner)
    panel.changed([node(500), edge(5000, 1, 500, tried=(90, 90))])
    panel.changed([edge(1002, 1, 2, tried=(0, 40))], gone=[3])
    panels.bot.waitUntil(lambda: 500 in in_view(panel.view))
    panels.bot.waitUntil(lambda: 3 not in in_view(panel.view))
    after = places(panel.view)
    assert {entry_id: after[entry_id] for entry_id in before if entry_id != 3} == {
        entry_id: place for entry_id, place in before.items() if entry_id != 3
    }
    assert (panel.view.camera.scale, panel.view.camera.corner) == view
    line = panel.view.scene.line_of(1002)
    assert panel.view.scene.rates[line] == 0.0


def test_places_outlive_the_console(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    panel.view.placed.emit(5, 777.0, -333.0)
    panel.use_hops(WHOLE)
    panels.bot.waitUntil(lambda: not panel.arranging.running)
    arranged = places(panel.view)
    panel.close_jobs()
    assert json.loads(panels.data.graph_places("doom").read_text(encoding="utf-8"))["version"] == 1
    again = panels.showing(entries_of(TOWN))
    assert places(again.view)[5] == (777.0, -333.0)
    assert 5 in again.view.held
    again.use_hops(WHOLE)
    assert not again.arranging.running
    for entry_id, place in places(again.view).items():
        assert place == pytest.approx(arranged[entry_id], abs=0.06)


def test_another_game_is_another_graph(panels: PanelMaker) -> None:
    panel = panels.showing(entries_of(TOWN))
    other = GraphEntries(game_id="../evil", nodes=[node(900), node(901)], edges=[edge(902, 900, 901)])
    panel.show_graph(other)
    panels.bot.waitUntil(lambda: in_view(panel.view) == {900, 901})
    panel.view.placed.emit(900, 1.0, 2.0)
    panel.close_jobs()
    kept = panels.data.graph_places("../evil")
    assert kept.is_file()
    assert kept.resolve().parent == panels.data.root / "graph"


# ---- for the benchmark


@pytest.mark.usefixtures("screen")
def test_the_trial_measures(tmp_path: Path) -> None:
    write_memory(DataFolder(tmp_path), make_graph(300, 900, 50))
    command = [
        sys.executable,
        "-m",
        "workshop.benchmarks.memory.graph_window",
        "--data",
        str(tmp_path),
        "--game",
        GAME,
    ]
    command += ["--seconds", "0.2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    result = json.loads(done.stdout)
    assert result["near_s"] > 0
    assert result["arranged_s"] >= result["first_s"] > 0
    assert result["shown"]["states"] == 300
    assert set(result["frames_ms"]) == {"all of it", "a quarter", "with circles", "with chips", "floor"}
    assert all(np.array(times).min() > 0 for times in result["frames_ms"].values())
    assert all(0 < share <= 1 for share in result["whole_frames"].values())
