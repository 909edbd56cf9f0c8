"""Crafter as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.game_window import WAIT_S, GameWindow, game_window, press

from pitwall.core.observations import GameStatus
from pitwall_evaluation.truth.state import TruthReader


@pytest.fixture
def crafter(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("crafter", tmp_path) as shown:
        yield shown


def test_each_press_is_one_turn_and_the_world_waits(crafter: GameWindow) -> None:
    begun = crafter.until()
    assert (begun.game_id, begun.seed, begun.status) == ("crafter", 11, GameStatus.PLAYING)
    crafter.focus()
    for turns, (key, facing) in enumerate(
        [("Left", [-1, 0]), ("Up", [0, -1]), ("Right", [1, 0]), ("Down", [0, 1])], start=1
    ):
        press(key)
        after = crafter.until(lambda now, turns=turns: now.raw["turns"] >= turns)  # type: ignore[misc]
        assert (after.raw["turns"], after.game_state.player["facing"]) == (turns, facing)
    press("space", "n", "space", "q", "n", every_ms=20)
    assert crafter.until(lambda now: now.raw["turns"] >= 8).raw["turns"] == 8, "q is no key of the game"
    time.sleep(0.5)
    assert crafter.until().raw["turns"] == 8, "nothing passes by itself"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_crafter_ends_when_it_is_told_to(crafter: GameWindow, number: signal.Signals) -> None:
    crafter.ends_by(number)


def test_with_a_real_clock_time_passes(screen: str, python: str, project_root: Path, tmp_path: Path) -> None:
    assert screen
    game = project_root / "plugins" / "crafter" / "crafter_game.py"
    truth = tmp_path / "truth.json"
    process = subprocess.Popen(
        [python, str(game), "--clock", "real", "--rate", "20"],
        env={**os.environ, "PITWALL_TRUTH": str(truth), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        reader, until, state = TruthReader(truth), time.monotonic() + WAIT_S, None
        while time.monotonic() < until and (state is None or state.raw["turns"] < 5):
            time.sleep(0.05)
            state = reader.read()
        assert state is not None
        assert state.raw["turns"] >= 5
    finally:
        process.terminate()
        process.wait(WAIT_S)
