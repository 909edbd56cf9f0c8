"""The first start's checks, driven through a real bridge; the engine's answers are given by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import bridge_with_engine, button
from tests.console.scripted_session import ScriptedSession

from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.preflight.checks import Preflight, Progress
from pitwall.console.shell.preflight.dialog import PreflightDialog
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import ProbeResult
from pitwall.link.frame_ring import RingFrame


@dataclass
class DialogHarness:
    """The dialog on a bridge whose engine answers by hand."""

    dialog: PreflightDialog
    bridge: Bridge
    session: ScriptedSession

    @property
    def started(self) -> list[str]:
        return [command.name for command in self.session.sent if isinstance(command, commands.Probe)]

    def answer(self, name: str, *, passed: bool = True, fix: str = "") -> None:
        result = ProbeResult(name=name, passed=passed, text=f"{name} was looked at", fix=fix)
        self.bridge.probe_done.emit(result)


@pytest.fixture
def desk(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[DialogHarness]:
    """Open the dialog for a game in view."""
    assert screen
    bridge, opener = bridge_with_engine(tmp_path)
    bridge.open_game("flappy")
    bridge.state.phase = Phase.READY
    dialog = PreflightDialog(bridge, Look(qapp, "light"))
    qtbot.addWidget(dialog)
    dialog.show()
    yield DialogHarness(dialog, bridge, opener.last)
    bridge.shutdown()


def _progress(desk: DialogHarness) -> list[Progress]:
    return [check.progress for check in desk.dialog.state.checks]


def test_checks_run_one_after_the_other_and_what_passed_is_remembered(desk: DialogHarness) -> None:
    desk.dialog.run()
    assert desk.started == ["capture"]
    desk.answer("stop")
    assert desk.started == ["capture"], "an answer that nobody waits for starts nothing"
    for name in ("capture", "leak", "input"):
        desk.answer(name)
    assert desk.started == ["capture", "leak", "input", "stop"]
    assert not load_settings(desk.bridge.data.settings).console.preflight_done
    started: list[bool] = []
    desk.dialog.then = lambda: started.append(True)
    desk.answer("stop")
    assert desk.dialog.isHidden()
    assert started == [True]
    assert set(_progress(desk)) == {Progress.PASSED}
    assert load_settings(desk.bridge.data.settings).console.preflight_done


def test_a_failed_check_says_its_fix_and_only_it_runs_again(desk: DialogHarness) -> None:
    started: list[bool] = []
    desk.dialog.then = lambda: started.append(True)
    desk.dialog.hide()
    desk.dialog.run()
    desk.answer("capture")
    assert desk.dialog.isHidden(), "what passes stands in nobody's way"
    desk.answer("leak", passed=False, fix="Move the other window away.")
    assert desk.dialog.isVisible()
    desk.answer("input")
    desk.answer("stop")
    failed = desk.dialog.state.checks[1]
    assert (failed.progress, failed.fix) == (Progress.FAILED, "Move the other window away.")
    assert not desk.dialog.state.passed
    desk.session.sent.clear()
    desk.dialog.run()
    assert desk.started == ["leak"]
    assert not started
    desk.answer("leak")
    assert {check.progress for check in desk.dialog.state.checks} == {Progress.PASSED}
    assert started == [True]


@pytest.mark.parametrize(
    ("phase", "why"),
    [(Phase.PLAYING, "The agent is playing"), (Phase.OPENING, "opened"), (Phase.EMPTY, "No game is in view")],
)
def test_nothing_runs_while_something_is_in_the_way(desk: DialogHarness, phase: Phase, why: str) -> None:
    desk.bridge.state.phase = phase
    desk.dialog.run()
    desk.dialog.run_one("stop")
    assert desk.started == []
    assert set(_progress(desk)) == {Progress.WAITING}
    assert why in desk.dialog.obstacle


def test_the_thumbnail_is_the_captured_frame(desk: DialogHarness, qtbot: QtBot) -> None:
    pixels = np.full((90, 160, 4), (10, 20, 200, 255), np.uint8)
    desk.bridge.last_frame = RingFrame(frame_id=5, captured_ns=1, pixels=pixels)
    qtbot.waitUntil(lambda: not desk.dialog.thumbnail.image.isNull())
    assert desk.dialog.thumbnail.image.pixelColor(8, 8).getRgb() == (200, 20, 10, 255)


def test_checks_that_were_skipped_are_not_remembered(desk: DialogHarness) -> None:
    QTest.mouseClick(button(desk.dialog, "Skip the checks"), Qt.MouseButton.LeftButton)
    assert not desk.dialog.isVisible()
    assert not load_settings(desk.bridge.data.settings).console.preflight_done


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
