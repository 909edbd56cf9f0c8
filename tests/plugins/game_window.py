"""A bundled game in a window of its own: its true state is waited for, real keys are pressed in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.patience import needs_hands

from pitwall.core.paths import DataFolder
from pitwall.desktops.window_search import find_window
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry
from pitwall_evaluation.truth.state import TrueState, TruthReader

WAIT_S = 120.0
"""Enough for a busy machine."""


@dataclass(frozen=True, slots=True)
class GameWindow:
    """A launched game with its data folder and the file of its true state."""

    game: Launched
    data: DataFolder
    truth: Path

    def until(self, wanted: Callable[[TrueState], bool] = lambda _: True) -> TrueState:
        """Wait for a true state of a kind."""
        reader, until = TruthReader(self.truth), time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert self.game.alive, self.game.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    def focus(self) -> str:
        """Give the game the keyboard, whatever the window manager does meanwhile; its window's id."""
        needs_hands()
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            window = find_window(pid=self.game.pid)
            if window is not None:
                wanted = str(window.native_id)
                subprocess.run(["xdotool", "windowfocus", wanted], check=False, timeout=10)
                focus = subprocess.run(
                    ["xdotool", "getwindowfocus"], capture_output=True, text=True, check=False
                )
                if focus.stdout.strip() == wanted:
                    return wanted
            time.sleep(0.1)
        raise AssertionError("the game's window does not have the focus")

    def ends_by(self, number: signal.Signals) -> None:
        """See the game end by a signal once it has begun."""
        if sys.platform == "win32":
            pytest.skip("Windows ends no program by a signal")
        self.until()
        os.kill(self.game.pid, number)
        until = time.monotonic() + WAIT_S
        while self.game.alive and time.monotonic() < until:
            time.sleep(0.02)
        assert not self.game.alive


@contextmanager
def game_window(name: str, folder: Path, *, scenario: str = "") -> Iterator[GameWindow]:
    """Launch a game as the engine launches it, with seed 11; it ends with the context."""
    data, truth = DataFolder(folder / "data"), folder / "truth.json"
    game = Registry(data).load(name)
    launched = launch(game, seed=11, data=data.root, env={"PITWALL_TRUTH": str(truth)}, scenario=scenario)
    try:
        yield GameWindow(launched, data, truth)
    finally:
        launched.close()


def press(*keys: str, every_ms: int = 12) -> None:
    """Press keys one after another in the window that has the keyboard."""
    needs_hands()
    subprocess.run(["xdotool", "key", "--delay", str(every_ms), *keys], check=True, timeout=30)


@contextmanager
def held(key: str) -> Iterator[None]:
    """Hold a key: however late a busy machine delivers it, it is down until its effect was seen."""
    needs_hands()
    subprocess.run(["xdotool", "keydown", key], check=True, timeout=10)
    try:
        yield
    finally:
        subprocess.run(["xdotool", "keyup", key], check=True, timeout=10)
