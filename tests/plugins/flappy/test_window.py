"""Flappy as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.game_window import WAIT_S, GameWindow, game_window, press

from pitwall.core.bounded_reading import read_json
from pitwall.core.observations import GameStatus
from pitwall_evaluation.truth.state import score


@pytest.fixture
def flappy(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("flappy", tmp_path) as shown:
        yield shown


def test_a_flight_from_the_menu_to_the_crash_and_again(flappy: GameWindow) -> None:
    menu = flappy.until(lambda now: now.status is GameStatus.MENU)
    assert (menu.game_id, menu.seed, score(menu, "game_state.score")) == ("flappy", 11, 0)
    window = flappy.focus()
    shown = subprocess.run(["xprop", "-id", window, "WM_CLASS"], capture_output=True, text=True, check=True)
    assert '"flappy"' in shown.stdout
    press("space")
    flying = flappy.until(lambda now: now.status is GameStatus.PLAYING)
    assert flying.metrics["flights"] == 1
    press("p")
    still = flappy.until(lambda now: now.status is GameStatus.PAUSED)
    press("space")
    later = flappy.until(lambda now: now.timestamp_ms > still.timestamp_ms + 400)
    assert (later.status, later.game_time_ms) == (GameStatus.PAUSED, still.game_time_ms)
    press("p")
    crashed = flappy.until(lambda now: now.status is GameStatus.TERMINAL)
    assert (crashed.terminal.is_terminal, crashed.terminal.outcome) == (True, "loss")
    assert crashed.terminal.reason in ("ground", "pipe")
    assert crashed.game_time_ms > flying.game_time_ms
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until and flappy.until().metrics["flights"] == 1:
        press("space")
        time.sleep(0.2)
    assert flappy.until(lambda now: now.metrics["flights"] >= 2).raw["flight_seed"] != 11
    assert flappy.game.alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to(flappy: GameWindow, number: signal.Signals) -> None:
    flappy.ends_by(number)


def test_the_truth_is_always_whole(flappy: GameWindow) -> None:
    flappy.until(lambda now: now.status is GameStatus.MENU)
    times = set[int]()
    began = time.monotonic()
    while len(times) < 3 or time.monotonic() - began < 1.5:
        assert time.monotonic() - began < WAIT_S
        times.add(read_json(flappy.truth)["timestampMs"])
    assert flappy.game.alive
