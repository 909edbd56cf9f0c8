"""An error that nobody foresaw, in each task beside the loop, becomes a sentence and stops nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from tests.engine.recording.test_demonstration_recorder import Player
from tests.engine.recording.test_recorder import MANIFEST, PIXELS, _committed, _step

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import GuardedGame, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import RecordingSettings, Settings
from pitwall.core.telemetry import Fault, StepNote
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.engine.decision.rolling_rounds import RollingRounds, _Round
from pitwall.engine.recall.memory_worker import MemoryWorker, Refused
from pitwall.engine.recording.recorder import Recorder
from pitwall.engine.session import fair_play
from pitwall.engine.session.game_clock import GameClock
from pitwall.host.requests.faults import fault_of
from pitwall.link.game_control import GameControl
from pitwall.memory.store import MemoryStore
from pitwall.store.film_writer import FilmWriter

Task = Callable[[DataFolder, pytest.MonkeyPatch], str]


def _break(*_: Any, **__: Any) -> Any:
    raise RuntimeError("the codec broke.\nTraceback (most recent call last):\n  File 'x'")


def _film(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(FilmWriter, "add", _break)
    recorder = Recorder(data)
    recorder.begin(MANIFEST, RecordingSettings(video=True, sound=False))
    recorder.video(NS_PER_S, PIXELS)
    recorder.step(_step(1), PIXELS)
    fault, note = _committed(recorder, 2)
    recorder.close()
    assert isinstance(note, StepNote), "the run goes on without its film"
    assert isinstance(fault, Fault)
    return f"{fault.what} {fault.fix}"


def _room_for_films(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr("pitwall.engine.recording.recorder.drop_old_films", _break)
    recorder = Recorder(data)
    recorder.begin(MANIFEST, RecordingSettings(video=True, sound=False))
    recorder.step(_step(1), PIXELS)
    fault, note = _committed(recorder, 2)
    recorder.close()
    assert isinstance(note, StepNote)
    assert isinstance(fault, Fault)
    return f"{fault.what} {fault.fix}"


def _refused(worker: MemoryWorker) -> PitwallError:
    notes: list[Any] = []
    while not any(isinstance(note, Refused) for note in notes):
        notes += worker.done()
        time.sleep(0.005)
    worker.close()
    return next(note.error for note in notes if isinstance(note, Refused))


def _memory_opens(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(MemoryStore, "entries", _break)
    worker = MemoryWorker(data, "ball")
    assert worker.snapshot(0.2) == ""
    return str(_refused(worker))


def _memory_writes(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(MemoryStore, "write", _break)
    worker = MemoryWorker(data, "ball")
    worker.write(())
    return str(_refused(worker))


def _demonstration(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(DemonstrationWriter, "picture", _break)
    player = Player(data)
    player.see(0, 10)
    while (fault := player.recorder.fault()) is None:
        time.sleep(0.005)
    assert player.recorder.close(), "what could be written was kept"
    return str(fault)


def _anti_cheat(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(fair_play, "_LOOK_EVERY_S", 0.001)
    patch.setattr(fair_play.FairPlay, "_look", _break)
    watch = fair_play.FairPlay(data.root)
    watch.watch(1)
    while True:
        try:
            watch.require_still()
        except GuardedGame as error:
            watch.stop()
            watch.require_still()
            return str(error)
        time.sleep(0.005)


def _clock(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(GameControl, "ask", _break)
    clock = GameClock(data.root / "c.sock")
    clock.hold()
    while not clock.settled:
        time.sleep(0.005)
    problem = clock.problem
    clock.close()
    return str(problem)


def _host(_data: DataFolder, _patch: pytest.MonkeyPatch) -> str:
    try:
        _break()
    except RuntimeError as error:
        fault = fault_of(1, error)
    assert "Traceback" in fault.traceback
    logging.getLogger("pitwall.host").error("%s", fault.traceback)
    return f"{fault.what} Unload a model."


@pytest.mark.parametrize(
    "task",
    [_film, _room_for_films, _memory_opens, _memory_writes, _demonstration, _anti_cheat, _clock, _host],
)
def test_an_error_that_nobody_foresaw_becomes_a_sentence(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sentence = task(DataFolder(tmp_path), monkeypatch)
    assert "\n" not in sentence and "Traceback" not in sentence
    assert sentence.count(". ") >= 1, f"it says what to do: {sentence}"
    assert "the codec broke" in caplog.text and "Traceback" in caplog.text, "the log holds the rest"


def test_a_round_whose_picture_could_not_be_made_is_told_without_it() -> None:
    rounds = RollingRounds(Settings, {})
    picture: Future[Any] = Future()
    picture.set_exception(RuntimeError("no picture"))
    rounds._rounds.append(_Round(step=1, state="a state", answer="an answer", picture=picture))
    earlier = rounds.recent(sees=True)
    rounds.close()
    assert not earlier.pictures and [message.image for message in earlier.messages] == [False, False]
