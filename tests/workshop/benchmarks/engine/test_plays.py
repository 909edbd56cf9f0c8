"""The benchmarks' own games are really played: a key reaches the window, frames reach the screen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from workshop.benchmarks.engine.motion_play import play_headless, play_in_console

pytestmark = pytest.mark.usefixtures("screen")
_PLAYED_S = 3.0


def test_the_moving_window_is_played_headless(tmp_path: Path) -> None:
    patient(DataFolder(tmp_path / "data"), LIGHT)
    played = play_headless(tmp_path, _PLAYED_S)
    assert played.summary.outcome == "finished"
    assert played.summary.frames > 0
    assert played.summary.events_sent > 0
    assert played.summary.busy_ms > played.summary.recording_ms > 0
    assert [step.step for step in played.steps] == list(range(1, played.summary.steps + 1))


def test_the_console_draws_the_frames_of_the_run_it_plays(tmp_path: Path) -> None:
    patient(DataFolder(tmp_path / "data"), LIGHT)
    played = play_in_console(tmp_path, _PLAYED_S)
    assert played.summary.outcome == "finished"
    assert 0 < played.live_frames <= played.summary.frames + 1


def test_a_polling_loop_answers_the_flashing_window() -> None:
    title = "pitwall-test-flash"
    window = subprocess.Popen(
        [sys.executable, "-m", "workshop.benchmarks.engine.flash_window", "--title", title],
        stdout=subprocess.PIPE,
        text=True,
    )
    poller = subprocess.Popen(
        [sys.executable, "-m", "workshop.benchmarks.peers.bare_loop", "--title", title, "--asleep"]
    )
    try:
        assert window.stdout is not None
        answers = (json.loads(window.stdout.readline()) for _ in range(20))
        assert any(answered is not None and answered > drawn for drawn, answered in answers)
    finally:
        for process in (poller, window):  # asked, so that the key comes up before the next test
            process.terminate()
            process.communicate(timeout=20)
