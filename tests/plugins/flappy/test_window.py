"""Flappy as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.evaluation.truth.state import TrueState, TruthReader, score
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry

WAIT_S = 30.0
State = Callable[[Callable[[TrueState], bool]], TrueState]


@pytest.fixture
def flappy(screen: str, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("flappy")
    launched = launch(game, seed=11, data=data.root, env={"PITWALL_TRUTH": str(tmp_path / "truth.json")})
    yield launched
    launched.close()


@pytest.fixture
def state(flappy: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    reader = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert flappy.alive, flappy.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    return wait_for


def window_of(title: str) -> str:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        for line in tree.stdout.splitlines():
            if f'"{title}"' in line and "288x512" in line:
                return line.split()[0]
        time.sleep(0.05)
    raise AssertionError(f"no window {title!r}")


def press(key: str) -> None:
    subprocess.run(["xdotool", "key", key], check=True, timeout=10)


def test_a_flight_from_the_menu_to_the_crash_and_again(flappy: Launched, state: State) -> None:
    menu = state(lambda now: now.status is GameStatus.MENU)
    assert (menu.game_id, menu.seed, score(menu, "game_state.score")) == ("flappy", 11, 0)
    window = window_of("Flappy")
    shown = subprocess.run(["xprop", "-id", window, "WM_CLASS"], capture_output=True, text=True, check=True)
    assert '"flappy"' in shown.stdout
    subprocess.run(["xdotool", "windowfocus", window], check=True, timeout=10)
    press("space")
    flying = state(lambda now: now.status is GameStatus.PLAYING)
    assert flying.metrics["flights"] == 1
    press("p")
    still = state(lambda now: now.status is GameStatus.PAUSED)
    press("space")
    later = state(lambda now: now.timestamp_ms > still.timestamp_ms + 400)
    assert (later.status, later.game_time_ms) == (GameStatus.PAUSED, still.game_time_ms)
    press("p")
    crashed = state(lambda now: now.status is GameStatus.TERMINAL)
    assert (crashed.terminal.is_terminal, crashed.terminal.outcome) == (True, "loss")
    assert crashed.terminal.reason in ("ground", "pipe")
    assert crashed.game_time_ms > flying.game_time_ms
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until and state(lambda _: True).metrics["flights"] == 1:
        press("space")
        time.sleep(0.2)
    assert state(lambda now: now.metrics["flights"] >= 2).raw["flight_seed"] != 11
    assert flappy.alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to(flappy: Launched, state: State, number: signal.Signals) -> None:
    state(lambda now: now.status is GameStatus.MENU)
    os.kill(flappy.pid, number)
    until = time.monotonic() + WAIT_S
    while flappy.alive and time.monotonic() < until:
        time.sleep(0.02)
    assert not flappy.alive


def test_the_truth_is_always_whole(flappy: Launched, state: State, tmp_path: Path) -> None:
    state(lambda now: now.status is GameStatus.MENU)
    times = set()
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        times.add(json.loads((tmp_path / "truth.json").read_text(encoding="utf-8"))["timestampMs"])
    assert len(times) >= 3
    assert flappy.alive
