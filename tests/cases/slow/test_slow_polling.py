"""A game that looks at keys and buttons once a frame sees each press: holds last one and a half frames."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from pitwall.desktops.window_search import list_windows

pytestmark = pytest.mark.screen

_FRAME_MS = 200


def test_taps_and_clicks_last_longer_than_a_slow_game_s_frame(
    own_screen: str, tmp_path: Path, case_folder: Path
) -> None:
    assert own_screen
    game = subprocess.Popen([sys.executable, str(case_folder / "polling_game.py"), "5"])
    try:
        window = _window_of(game.pid)
        words = ["games", "new", "--from-window", str(window), "--name", "Poll", "--try"]
        actions = ["--action", "left=ArrowLeft", "--action", "hit=click:200,150"]
        command = [sys.executable, "-m", "pitwall", *words, *actions, "--data", str(tmp_path / "data")]
        subprocess.run(command, check=True, timeout=110)
    finally:
        game.kill()
        game.wait()
    profile = tomllib.loads((tmp_path / "data" / "games" / "poll" / "plugin.toml").read_text())
    for action in profile["actions"]:
        assert action["hold_ms"] >= 1.2 * _FRAME_MS, action
        assert action["duration_ms"] >= 2 * action["hold_ms"], "a game must see the button up as well"


def _window_of(pid: int) -> int:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for window in list_windows():
            if window.pid == pid:
                return window.native_id
        time.sleep(0.2)
    raise AssertionError("the game's window did not come")
