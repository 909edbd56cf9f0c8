"""A page's panes stay where they were put: borders and sides are kept in the settings, and reset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QSplitter, QWidget
from pytestqt.qtbot import QtBot
from tests.console.scripted_session import ScriptedOpener

from pitwall.console.kit.elements import column
from pitwall.console.kit.kept_panes import KeptPanes
from pitwall.console.kit.panes import Pane, Panes, split
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.pane_layout import PaneLayout, layouts_text, parse_layouts
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings


@pytest.mark.parametrize("text", ["", "runs=~", "inspector=0.200,0.500,0.300 runs=~0.700,0.300"])
def test_layouts_are_one_line_of_settings(text: str) -> None:
    assert layouts_text(parse_layouts(text)) == text


@pytest.mark.parametrize("text", ["runs=0.9,0.9", "runs=.,.", "runs=0.001,0.999", "junk", "=~"])
def test_a_layout_that_makes_no_sense_is_as_delivered(text: str) -> None:
    assert parse_layouts(text).get("runs", PaneLayout()) == PaneLayout()


class Room:
    """A page with two panes that have a name, and three that fold into tabs."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge, self.page = bridge, QWidget()
        self.list, self.detail = QWidget(), QWidget()
        self.two = split(self.list, self.detail, sizes=(200, 800), stretch=1, keep="runs")
        self.three = Panes(
            *(Pane(title, QWidget(), width) for title, width in (("a", 150), ("b", 0), ("c", 250))),
            fold_below=500,
            keep="inspector",
        )
        self.page.setLayout(column(self.two, self.three))
        self.kept = KeptPanes(bridge, self.page)
        self.page.resize(1000, 600)

    @property
    def text(self) -> str:
        return load_settings(self.bridge.data.settings).console.pane_layout


@pytest.fixture
def bridge(screen: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Bridge]:
    assert screen and qtbot
    made = Bridge(DataFolder(tmp_path), ScriptedOpener(), list)
    yield made
    made.shutdown()


@pytest.fixture
def room(bridge: Bridge, qtbot: QtBot) -> Iterator[Room]:
    made = Room(bridge)
    made.page.show()
    qtbot.waitExposed(made.page)
    qtbot.wait(50)
    yield made
    shiboken6.delete(made.page)


def _drag(splitter: QSplitter, to: int) -> None:
    splitter.handle(1).moveSplitter(to)
    splitter.splitterMoved.emit(to, 1)


def test_borders_and_sides_are_kept_for_the_next_page(room: Room, bridge: Bridge, qtbot: QtBot) -> None:
    assert abs(room.list.width() - 200) < 20
    _drag(room.two, 400)
    qtbot.waitUntil(lambda: room.text.startswith("runs=0.4"))
    room.kept.turn("runs")
    assert room.list.x() > room.detail.x() and abs(room.list.width() - 400) < 20
    room.kept.turn("inspector")
    assert "inspector=~" in room.text and "runs=~0." in room.text

    later = Room(bridge)
    later.page.show()
    qtbot.waitUntil(lambda: later.list.x() > later.detail.x() and abs(later.list.width() - 400) < 20)
    assert later.three.splitter.sizes()[0] > 200, "the pane of 250 pixels stands first"
    later.page.resize(400, 600)
    qtbot.waitUntil(lambda: later.three.tabs.isVisible())
    later.page.resize(1000, 600)
    qtbot.waitUntil(lambda: not later.three.tabs.isVisible() and later.three.splitter.sizes()[0] > 200)
    later.kept.reset()
    assert later.list.x() == 0 and abs(later.list.width() - 200) < 20
    assert later.three.splitter.sizes()[0] < 200
    assert later.text == ""
    shiboken6.delete(later.page)


def test_a_layout_follows_the_settings(room: Room, bridge: Bridge, qtbot: QtBot) -> None:
    bridge.save_settings(bridge.settings.with_value("console", "pane_layout", "runs=~0.250,0.750 other=~"))
    qtbot.waitUntil(lambda: room.list.x() > 200 and room.list.width() > 700)
    room.kept.reset()
    assert room.text == "other=~", "another page's panes stay"
