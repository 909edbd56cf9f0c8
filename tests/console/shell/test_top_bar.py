"""The bar above the pages: whose score it is, who drives; and the notice of the first start's checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.conftest import ConsoleHarness, closing_console
from tests.console.scripted_session import GAMES, STATE, ScriptedOpener, began, note, opened, state

from pitwall.console.shell.application import Console
from pitwall.console.shell.top_bar import TopBar
from pitwall.console.state.view_state import Phase
from pitwall.core.clock import now_ns
from pitwall.core.observations import Reading
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ProbeResult


def _read_score(room: ConsoleHarness, score: int, frame_id: int) -> None:
    room.session.tell(note(now_ns(), frame_id, readings=(Reading(name="score", value=score),)))
    room.bot.waitUntil(
        lambda: (last := room.console.bridge.state.note) is not None and last.frame_id == frame_id
    )
    bar = room.console.window.findChild(TopBar)
    assert bar is not None
    bar.score.show_score()


def test_the_score_says_which_is_the_best_of_the_run(room: ConsoleHarness) -> None:
    room.console.window.resize(1600, 900)
    room.console.bridge.open_game("flappy")
    fields = {**opened().fields, "score": ""}
    room.session.tell(
        replace(opened(), fields=fields, score_field="score"), began(now_ns()), state(STATE.PLAYING)
    )
    room.wait_for(Phase.PLAYING)
    bar = room.console.window.findChild(TopBar)
    assert bar is not None
    for frame_id, score in enumerate((0, 3, 3, 7, 7), 1):
        _read_score(room, score, frame_id)
    assert bar.score.text() == "Score 7"
    for frame_id, score in enumerate((0, 0, 2, 2), 6):
        _read_score(room, score, frame_id)
    assert bar.score.text() == "Score 2 · best 7"
    assert bar.score.toolTip() == "Score now, and the best of this run, 7: as read from the screen"
    assert bar.score.accessibleName() == "Score 2 · best 7, as read from the screen"


def test_while_a_person_drives_the_pill_says_so(room: ConsoleHarness) -> None:
    room.play()
    bar = room.console.window.findChild(TopBar)
    assert bar is not None
    room.session.tell(state(STATE.PAUSED, "takeover", "You took over."))
    room.wait_for(Phase.PAUSED)
    assert bar._state.text() == "✋ YOU DRIVE"
    room.session.tell(state(STATE.PAUSED, "operator", "You paused the agent."))
    room.bot.waitUntil(lambda: "PAUSED" in bar._state.text())


def test_the_notice_of_the_first_checks_goes_as_play_begins(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    opener = ScriptedOpener()
    made = closing_console(lambda: Console(qapp, DataFolder(tmp_path), opener, lambda: GAMES))
    with made as console:
        console.window.show()
        bridge = console.bridge
        bridge.open_game("flappy")
        opener.last.tell(opened(), state(STATE.READY))
        qtbot.waitUntil(lambda: bridge.state.phase is Phase.READY)
        bar = console.window.findChild(TopBar)
        assert bar is not None
        bar.start.click()
        qtbot.waitUntil(lambda: bool(bridge.state.faults))
        (notice,) = bridge.state.faults
        assert notice.what.startswith("Before the agent plays, the console checks")
        for name in ("capture", "leak", "input", "stop"):
            bridge.probe_done.emit(ProbeResult(name=name, passed=True, text=f"{name} works"))
        qtbot.waitUntil(lambda: bridge.state.phase is Phase.PLAYING)
        assert not bridge.state.faults
