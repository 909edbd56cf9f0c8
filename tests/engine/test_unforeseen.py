"""An error that nobody foresaw, in each task beside the loop, becomes a sentence and stops nothing."""

from __future__ import annotations

import ast
import logging
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.engine.inference.test_model_calls import Desk, _ask
from tests.engine.inference.test_module_manager import Rig, until
from tests.engine.recording.test_demonstration_recorder import Player
from tests.engine.recording.test_recorder import MANIFEST, PIXELS, _committed, _step
from tests.gsm.policies import LEARNED, keep, linear_policy

from pitwall import engine
from pitwall.core.calls import Purpose
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import GuardedGame, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import RecordingSettings, Settings
from pitwall.core.telemetry import Fault, StepNote
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.engine.decision.rolling_rounds import RollingRounds, _Round
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.engine.loop import standstill as standstill_module
from pitwall.engine.loop.standstill import Standstill
from pitwall.engine.loop.teaching import Corrections
from pitwall.engine.recall.memory_worker import MemoryWorker, Refused
from pitwall.engine.recording import sound
from pitwall.engine.recording.demonstration_recorder import DemonstrationRecorder
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.recording.recorder import Recorder
from pitwall.engine.session import fair_play
from pitwall.engine.session.game_clock import GameClock
from pitwall.host.requests.faults import fault_of
from pitwall.link.game_control import GameControl
from pitwall.memory.store import MemoryStore
from pitwall.models.spec import ModelSpec
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


def _sound(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(sound, "_COMMAND", (sys.executable, "-c", "print('x' * 99_999)"))
    recorder = Recorder(data)
    heard = sound.SoundCapture(_break, lost=recorder._sound_lost)
    heard._thread.join()
    heard.close()
    (fault,) = recorder.committed()
    recorder.close()
    assert isinstance(fault, Fault)
    return f"{fault.what} {fault.fix}"


def _module(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(ModuleManager, "_made", _break)
    host = HostLink(data.root / "logs")
    rig = Rig(data.root, host)
    driving = rig.driving()
    rig.folder.promote(keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED)).version)
    until(driving, lambda: bool(rig.faults))
    host.close()
    assert driving.modules["fly"].act({"height": 90.0, "fallen": 0}, 0) == "rest", "the rules drive"
    return str(rig.faults[0])


def _model_picture(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    return _asked(data, patch, broken=1)


def _model_earlier_picture(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    return _asked(data, patch, broken=0)


def _asked(data: DataFolder, patch: pytest.MonkeyPatch, *, broken: int) -> str:
    """Ask a model with the pictures before and now, of which one breaks."""
    turns = iter((False, True) if broken else (True, False))
    patch.setattr(
        "pitwall.engine.inference.model_calls.encode_jpeg",
        lambda *_: _break() if next(turns) else (b"jpeg", 8, 8),
    )
    host = HostLink(data.root / "logs")
    spec = ModelSpec(name="sees", kind="gguf", sees=True)
    desk = Desk(host, {"sees": SimpleNamespace(spec=spec)}, strategic="sees")  # type: ignore[dict-item]
    desk.picture = desk.before = np.zeros((8, 8, 4), np.uint8)
    answer = desk.wait(desk.calls.ask(replace(_ask("now", Purpose.PLAN, image=True), before=True)))
    desk.calls.close()
    host.close()
    return answer.problem


def _correction(data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    events: list[str] = []
    out = RunOutlets(tell=_break, on_event=lambda _, text: events.append(text), on_stuck=_break)
    corrections = Corrections(SimpleNamespace(), data, 1, out, beside=_break)  # type: ignore[arg-type]
    corrections._recorder = recorder = Player(data).recorder
    with patch.context() as broken:
        broken.setattr(DemonstrationRecorder, "close", _break)
        corrections.close()
    recorder.close()
    return events[-1]


def _frozen_game(_data: DataFolder, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(standstill_module, "answers", _break)
    game = SimpleNamespace(profile=SimpleNamespace(game=SimpleNamespace(name="Kite")))
    view = SimpleNamespace(window=SimpleNamespace(native_id=1))
    session: Any = SimpleNamespace(frames=1, view=view, game=game)
    standstill = Standstill()
    standstill.notice(session, 0, 0)
    notice = standstill.notice(session, 40, 20 * NS_PER_S)
    while (held := standstill.frozen(session, 60 * NS_PER_S)) is None:
        time.sleep(0.005)
    assert notice is not None and "it is frozen" not in held.text, "nobody knows"
    return f"{notice.what} {notice.fix}"


TASKS: dict[str, tuple[Task, ...]] = {
    "inference/model_calls.py encode_jpeg": (_model_picture, _model_earlier_picture),
    "inference/module_manager.py _load": (_module,),
    "loop/standstill.py _answers": (_frozen_game,),
    "loop/teaching.py _write": (_correction,),
    "recall/memory_worker.py _work": (_memory_opens, _memory_writes),
    "recording/demonstration_recorder.py _work": (_demonstration,),
    "recording/recorder.py _work": (_film, _room_for_films),
    "recording/sound.py _read": (_sound,),
    "session/fair_play.py _watch": (_anti_cheat,),
    "session/game_clock.py _serve": (_clock,),
}
QUIET = "decision/rolling_rounds.py encode_jpeg"
"""It costs a picture of an earlier step, and nothing is shown."""


def _started_beside_the_loop() -> set[str]:
    """Return file and function of each thread and of each task of a pool in the engine."""
    root = Path(engine.__file__).parent
    started: set[str] = set()
    for file in root.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func).rpartition(".")[2]
            targets = [word.value for word in node.keywords if word.arg == "target"]
            if called == "submit":
                targets = node.args[:1]
            if called in ("Thread", "submit", "Process", "create_task", "Timer"):
                started |= {f"{file.relative_to(root).as_posix()} {_last_name(each)}" for each in targets}
    return started


def _last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def test_every_task_beside_the_loop_is_tried_here() -> None:
    assert _started_beside_the_loop() == {*TASKS, QUIET}


@pytest.mark.parametrize("task", [_host, *(task for tasks in TASKS.values() for task in tasks)])
def test_an_error_that_nobody_foresaw_becomes_a_sentence(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sentence = task(DataFolder(tmp_path), monkeypatch)
    assert not [
        sign for sign in ("\n", "Traceback", "File ", "never retrieved", "future") if sign in sentence
    ]
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
