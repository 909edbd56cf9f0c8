"""The console with a real engine, a real broker and a real game, on a real screen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.conftest import closing_console
from tests.patience import PATIENT
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.cli.play.headless import PlayFailed, played
from pitwall.console.shell.application import Console
from pitwall.console.shell.program import UnattendedRun
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.memories import EditResult, PutEntry
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.paths import DataFolder
from pitwall.core.settings import save_settings
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from workshop.fixtures.processes import KILLED_IN_WORDS, kill, wait_until_dead

pytestmark = pytest.mark.screen
_PATIENCE_MS = 90_000


@pytest.fixture
def console(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Console]:
    assert screen
    data = DataFolder(tmp_path)
    save_settings(data.settings, PATIENT.with_value("memory", "hint_at", 0.2))
    games = Registry(data).games
    with closing_console(lambda: Console(qapp, data, EngineSession, games, preflight=False)) as made:
        made.window.show()
        qtbot.waitExposed(made.window)
        yield made


def wait_for(bot: QtBot, console: Console, phase: Phase) -> None:
    bot.waitUntil(lambda: console.bridge.state.phase is phase, timeout=_PATIENCE_MS)


def test_it_plays_stops_at_once_and_comes_back_after_a_crash(console: Console, qtbot: QtBot) -> None:
    bridge = console.bridge
    bridge.open_game("flappy", seed=1)
    wait_for(qtbot, console, Phase.READY)
    bridge.start()
    wait_for(qtbot, console, Phase.PLAYING)
    qtbot.waitUntil(lambda: len(bridge.state.steps) >= 2, timeout=_PATIENCE_MS)
    assert bridge.last_frame is not None
    assert len(np.unique(bridge.last_frame.pixels.view(np.uint32))) > 10
    assert console.live.view.painted > 0
    assert bridge.state.run is not None

    bridge.emergency_stop()
    wait_for(qtbot, console, Phase.LATCHED)
    assert not bridge.state.held
    bridge.start()
    wait_for(qtbot, console, Phase.PLAYING)

    first = bridge.engine_pid
    assert first is not None
    kill(first)
    wait_for(qtbot, console, Phase.LOST)
    assert bridge.state.loss is not None
    assert KILLED_IN_WORDS in bridge.state.loss.message
    assert wait_until_dead(first, 10.0)
    bridge.restart()
    wait_for(qtbot, console, Phase.READY)
    assert bridge.engine_pid != first


def test_an_edit_on_the_console_changes_the_next_decisions_hints(console: Console, qtbot: QtBot) -> None:
    bridge = console.bridge
    bridge.open_game("flappy", seed=1)
    wait_for(qtbot, console, Phase.READY)
    bridge.start()
    wait_for(qtbot, console, Phase.PLAYING)
    qtbot.waitUntil(lambda: len(bridge.state.steps) >= 3, timeout=_PATIENCE_MS)
    asked = bridge.state.retrieval
    assert asked is not None
    mine = ActionMemory(
        state=asked.retrieval.query, action="glide", reward=1.0, successes=40, attempts=40, at_s=time.time()
    )
    answers: list[EditResult] = []
    put = PutEntry(game_id="flappy", content=mine, pinned=True, reason="gliding is calmer")
    memory_page(console).port.edit([put], answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=_PATIENCE_MS)
    assert answers[0].done, answers[0]

    def told() -> bool:
        newest = bridge.state.retrieval
        return newest is not None and any("glide" in hint for hint in newest.retrieval.hints)

    qtbot.waitUntil(told, timeout=_PATIENCE_MS)
    assert bridge.state.phase is Phase.PLAYING


def test_an_unknown_game_is_refused_with_the_nearest_name(console: Console, qtbot: QtBot) -> None:
    console.bridge.open_game("flapy")
    wait_for(qtbot, console, Phase.FAILED)
    text = f"{console.bridge.state.text} {console.bridge.state.fix}"
    assert "'flapy'" in text
    assert "'flappy'" in text


def test_a_play_that_ends_by_itself_ends_also_where_its_engine_dies(
    console: Console, qapp: QApplication
) -> None:
    unattended = UnattendedRun(qapp, console, commands.Start(seconds=600.0), None)
    console.bridge.open_game("flappy", seed=1)
    engine = console.bridge.engine_pid
    assert engine is not None
    kill(engine)
    limit = QTimer(singleShot=True, interval=_PATIENCE_MS)
    limit.timeout.connect(qapp.exit)
    limit.start()
    qapp.exec()  # the play ends the program's own loop; where none runs, no event is heard after it
    limit.stop()
    with pytest.raises(PlayFailed, match=KILLED_IN_WORDS):
        played(unattended.play.result)
