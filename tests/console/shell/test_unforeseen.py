"""An error that nobody foresaw, in each task of the console, is a sentence in the window, which stays up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_session import ScriptedSession

from pitwall.console.shell.fault_bar import faults_shown
from pitwall.console.state.view_state import Phase
from pitwall_memory_editor.console import keeper as memory_keeper

Task = Callable[[ConsoleHarness, pytest.MonkeyPatch], str]


def _break(*_: Any, **__: Any) -> Any:
    raise RuntimeError("the wire broke.\nTraceback (most recent call last):\n  File 'x'")


def _newest_fault(room: ConsoleHarness) -> str:
    faults = room.console.bridge.state.faults
    room.bot.waitUntil(lambda: any("the wire broke" in fault.what for fault in faults))
    fault = next(fault for fault in faults if "the wire broke" in fault.what)
    return f"{fault.what} {fault.fix}"


def _loss(room: ConsoleHarness) -> str:
    room.wait_for(Phase.LOST)
    loss = room.console.bridge.state.loss
    assert loss is not None
    return f"{loss.message} {loss.fix}"


def _timer(room: ConsoleHarness, _: pytest.MonkeyPatch) -> str:
    QTimer.singleShot(0, room.console.window, _break)
    return _newest_fault(room)


def _thread(room: ConsoleHarness, _: pytest.MonkeyPatch) -> str:
    threading.Thread(target=_break).start()
    return _newest_fault(room)


def _work_aside(room: ConsoleHarness, _: pytest.MonkeyPatch) -> str:
    room.console.window.show_page("runs")
    room.console.runs._reading.ask(lambda _: _break(), lambda _: None)
    return _newest_fault(room)


def _start(room: ConsoleHarness, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(room.console.bridge, "_opener", _break)
    room.console.bridge.open_game("flappy")
    return _loss(room)


def _messages(room: ConsoleHarness, patch: pytest.MonkeyPatch) -> str:
    room.play()
    patch.setattr(ScriptedSession, "poll", _break)
    session = room.session
    session.tell("anything")
    sentence = _loss(room)
    room.bot.waitUntil(lambda: session.closed)  # the brokers let every key go as the engine ends
    return sentence


def _end(room: ConsoleHarness, patch: pytest.MonkeyPatch) -> str:
    room.play()
    patch.setattr(ScriptedSession, "close", _break)
    room.console.bridge.close_game()
    sentence = _newest_fault(room)
    room.wait_for(Phase.EMPTY)
    return sentence


def _keeper(room: ConsoleHarness, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(memory_keeper, "KeeperSession", _break)
    keeper = memory_keeper.Keeper(room.console.bridge.data)
    with room.bot.waitSignal(keeper.failed) as failed:
        keeper.start()
    assert not keeper.wanted
    keeper.close()
    return str(failed.args[0])


@pytest.mark.parametrize("task", [_timer, _thread, _work_aside, _start, _messages, _end, _keeper])
def test_an_error_that_nobody_foresaw_is_a_sentence_and_the_window_stays(
    room: ConsoleHarness, task: Task, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with room.bot.captureExceptions(), faults_shown(room.console.bridge.report):
        sentence = task(room, monkeypatch)
    assert "\n" not in sentence and "Traceback" not in sentence
    assert sentence.count(". ") >= 1, f"it says what to do: {sentence}"
    assert "Traceback" in caplog.text, "the log holds the rest"
    assert room.console.window.isVisible()
    monkeypatch.undo()
    room.console.bridge.state.faults.clear()
    room.console.bridge.open_game("flappy")
    room.wait_for(Phase.OPENING)
