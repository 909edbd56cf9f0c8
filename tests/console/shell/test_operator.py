"""The operator's hands in the console while the agent plays a real game: the run does not suffer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget
from tests.console.conftest import closing_console
from tests.console.game_window import xdotool
from tests.patience import PATIENT, needs_hands
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.live.signals.strip_chart import StripChart
from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core.paths import DataFolder
from pitwall.core.settings import save_settings
from pitwall.core.telemetry import FrameNote, MemoryEdited
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from workshop.fixtures.scripted_operator import ScriptedOperator

pytestmark = pytest.mark.screen


@pytest.fixture
def console(screen: str, tmp_path: Path, qapp: QApplication) -> Iterator[Console]:
    assert screen
    data = DataFolder(tmp_path)
    save_settings(
        data.settings, PATIENT.with_value("broker", "own_seat", False)
    )  # one keyboard is shared here
    games = Registry(data).games
    with closing_console(lambda: Console(qapp, data, EngineSession, games, preflight=False)) as made:
        made.window.setGeometry(340, 40, 1240, 800)
        made.window.show()
        yield made


@pytest.fixture
def operator(console: Console) -> Iterator[ScriptedOperator]:
    assert console
    made = ScriptedOperator()
    yield made
    made.close()


def _seen(console: Console, name: str) -> QWidget:
    """Return the visible part whose accessible name begins with a text."""
    parts = console.window.findChildren(QWidget)
    return next(part for part in parts if part.isVisible() and part.accessibleName().startswith(name))


def _line_place(console: Console) -> tuple[StripChart, QPoint]:
    """Find a threshold's line like a person does: where the pointer becomes a handle."""
    chart = console.window.findChildren(StripChart)[0]
    for y in range(chart.height()):
        place = QPoint(chart.width() // 2, y)
        QTest.mouseMove(chart.viewport(), place)
        if chart.viewport().cursor().shape() is Qt.CursorShape.SplitVCursor:
            return chart, place
    raise AssertionError("no threshold can be dragged")


def test_the_start_key_works_in_the_game_and_the_bird_lives_while_the_operator_works(
    console: Console, operator: ScriptedOperator
) -> None:
    needs_hands()
    bridge, state = console.bridge, console.bridge.state
    records: list[object] = []
    bridge.received.connect(records.append)
    bridge.open_game("flappy", seed=1)
    assert operator.until(lambda: state.phase is Phase.READY)
    assert state.window is not None
    assert state.window.window is not None
    xdotool("windowfocus", "--sync", str(state.window.window.native_id))
    assert operator.until(lambda: not console.window.isActiveWindow())
    operator.type(bridge.settings.hotkeys.start)  # heard although the game has the keyboard
    assert operator.until(lambda: state.phase is Phase.PLAYING and len(state.steps) > 4)
    thresholds = state.thresholds

    chart, place = _line_place(console)
    operator.drag(chart, place, place + QPoint(0, 12))
    assert operator.until(lambda: state.thresholds != thresholds, 5.0)
    for page in ("Runs", "Settings", "Memory"):
        operator.click(_seen(console, page))
        operator.rest(0.3)
        assert (state.phase, console.window.keyboard.lent) == (Phase.PLAYING, False)

    def tables() -> list[QTableView]:
        return [table for table in memory_page(console).findChildren(QTableView) if table.isVisible()]

    assert operator.until(lambda: any(table.model().rowCount() > 0 for table in tables()))
    (table,) = tables()
    operator.click(table.viewport(), QPoint(40, 8))
    fields = memory_page(console).detail.findChildren(QLineEdit)
    field = next(field for field in fields if field.isVisible() and field.accessibleName() == "Source tag")
    operator.click(field)
    assert operator.until(lambda: field.hasFocus() and state.phase is Phase.WAITING)
    steps = len(state.steps)
    assert "paused by its own key" in state.text
    operator.type("p")
    assert "p" in field.text()
    assert len(state.steps) <= steps + 1
    operator.click(_seen(console, "Save the entry"))
    assert operator.until(
        lambda: any(isinstance(record, MemoryEdited) for record in records) and state.phase is Phase.PLAYING
    )
    assert operator.until(lambda: len(state.steps) > steps + 2)
    bridge.stop()
    assert operator.until(lambda: state.ended is not None)
    kinds = {event.kind for event in state.events}
    assert not kinds & {"takeover", "paused", "stopped"}
    notes = [record for record in records if isinstance(record, FrameNote)]
    assert not any(
        reading.value for note in notes for reading in note.readings if reading.name == "game_over"
    )
    assert operator.landed == operator.clicks
