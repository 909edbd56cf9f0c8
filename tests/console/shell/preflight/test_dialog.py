"""The first start's checks, driven through a real bridge; the engine's answers are given by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on

from pitwall.console.kit.theme import Look
from pitwall.console.shell.preflight.checks import CheckName, Preflight, Progress
from pitwall.console.shell.preflight.dialog import PreflightDialog, PreflightView
from pitwall.console.shell.preflight.port import BridgePort
from pitwall.console.state.view_state import Phase
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import ProbeResult
from pitwall.link.frame_ring import RingFrame


class _Engine(QObject):
    """A port whose answers the test gives."""

    results = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.started: list[CheckName] = []
        self.obstacle = ""
        self.capture_hz: float | None = 34.7
        self.frame: RingFrame | None = None

    def start(self, name: CheckName) -> None:
        self.started.append(name)

    def newest_frame(self) -> RingFrame | None:
        return self.frame

    def answer(self, name: str, *, passed: bool = True, fix: str = "") -> None:
        self.results.emit(ProbeResult(name=name, passed=passed, text=f"{name} was looked at", fix=fix))


@pytest.fixture
def engine() -> _Engine:
    return _Engine()


@pytest.fixture
def view(screen: str, engine: _Engine, qtbot: QtBot, qapp: QApplication) -> Iterator[PreflightView]:
    assert screen
    widget = PreflightView(engine, Look(qapp, "dark"), hotkey="Pause/Break")
    qtbot.addWidget(widget)
    widget.show()
    yield widget


def _progress(view: PreflightView) -> list[Progress]:
    return [one.progress for one in view.state.checks]


def test_checks_run_one_after_the_other(view: PreflightView, engine: _Engine, qtbot: QtBot) -> None:
    view.run()
    assert engine.started == ["capture"]
    engine.answer("stop")
    assert engine.started == ["capture"], "an answer that nobody waits for starts nothing"
    for name in ("capture", "leak", "input"):
        engine.answer(name)
    assert engine.started == ["capture", "leak", "input", "stop"]
    with qtbot.waitSignal(view.passed):
        engine.answer("stop")
    assert set(_progress(view)) == {Progress.PASSED}


def test_a_failed_check_says_its_fix_and_only_it_runs_again(view: PreflightView, engine: _Engine) -> None:
    view.run()
    engine.answer("capture")
    engine.answer("leak", passed=False, fix="Move the other window away.")
    engine.answer("input")
    engine.answer("stop")
    failed = view.state.checks[1]
    assert (failed.progress, failed.fix) == (Progress.FAILED, "Move the other window away.")
    assert not view.state.passed
    engine.started.clear()
    view.run()
    assert engine.started == ["leak"]
    engine.answer("leak")
    assert view.state.passed


def test_nothing_runs_while_something_is_in_the_way(view: PreflightView, engine: _Engine) -> None:
    engine.obstacle = "The agent is playing."
    view.run()
    view.run_one("stop")
    assert engine.started == []
    assert set(_progress(view)) == {Progress.WAITING}


def test_the_thumbnail_is_the_captured_frame(view: PreflightView, engine: _Engine, qtbot: QtBot) -> None:
    pixels = np.full((90, 160, 4), (10, 20, 200, 255), np.uint8)
    engine.frame = RingFrame(frame_id=5, captured_ns=1, pixels=pixels)
    qtbot.waitUntil(lambda: not view.thumbnail.image.isNull(), timeout=20_000)
    assert view.thumbnail.image.pixelColor(8, 8).getRgb() == (200, 20, 10, 255)


def test_a_silent_check_does_not_wait_for_ever() -> None:
    state = Preflight().begun("stop")
    assert state.running == "stop"
    assert state.next_name is None
    failed = state.after(ProbeResult(name="stop", passed=False, text="no answer", fix="Open it again."))
    assert failed.next_name == "capture"
    assert failed.checks[3].fix == "Open it again."


def test_figures_carry_their_units() -> None:
    figures = {"leak_pixels": 0.0, "stop_ms": 0.384, "control_pixels": 3844.0}
    result = ProbeResult(name="leak", passed=True, text="clean", figures=figures)
    assert Preflight().begun("leak").after(result).checks[1].figures == (
        "leak 0 px · stop 0.38 ms · control 3,844 px"
    )


def test_what_passed_is_remembered_and_what_was_skipped_is_not(
    screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    bridge = bridge_on(tmp_path)
    look = Look(qapp, "light")
    skipped = PreflightDialog(bridge, look, hotkey="Pause")
    qtbot.addWidget(skipped)
    skipped.view.skipped.emit()
    assert not load_settings(bridge.data.settings).console.preflight_done
    dialog = PreflightDialog(bridge, look, hotkey="Pause")
    qtbot.addWidget(dialog)
    assert "No game is in view" in BridgePort(bridge).obstacle
    bridge.state.phase = Phase.READY
    dialog.view.run()
    for name in ("capture", "leak", "input", "stop"):
        bridge.probe_done.emit(ProbeResult(name=name, passed=True, text="fine"))
    assert load_settings(bridge.data.settings).console.preflight_done
    bridge.shutdown()
