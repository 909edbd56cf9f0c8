"""Shooting as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.game_window import GameWindow, game_window, held

from pitwall.core.observations import GameStatus


@pytest.fixture
def shooting(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("shooting", tmp_path, scenario="fast") as shown:
        yield shown


def engines(folder: Path) -> list[str]:
    """Engine processes that write into a folder."""
    listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if "viz_instance_id" in line and str(folder) in line]


def test_a_fight_from_its_key_to_its_end_and_the_next_one(shooting: GameWindow) -> None:
    waiting = shooting.until()
    assert (waiting.game_id, waiting.seed, waiting.status) == ("shooting", 11, GameStatus.MENU)
    shooting.focus()
    with held("space"):
        time.sleep(0.08)
    begun = shooting.until(lambda now: now.status is GameStatus.PLAYING)
    assert begun.raw["scenario"] == "fast"
    assert (begun.metrics["ammo"], begun.raw["fight_seed"]) == (6, 11)
    with held("Control_L"):
        shooting.until(lambda now: now.metrics["ammo"] < 6)
    before = shooting.until().game_state.player["angle"]
    with held("Left"):
        turned = shooting.until(lambda now: now.game_state.player["angle"] != before)
    assert 0 < (turned.game_state.player["angle"] - before) % 360 < 90
    over = shooting.until(lambda now: now.status is GameStatus.TERMINAL)
    assert (over.terminal.is_terminal, over.terminal.outcome, over.terminal.reason) == (True, "loss", "death")
    assert (over.metrics["fights"], over.metrics["won"], over.metrics["health"]) == (1, 0, 0)
    time.sleep(1.5)
    with held("space"):
        time.sleep(0.08)
    again = shooting.until(lambda now: now.status is GameStatus.PLAYING)
    assert again.metrics["health"] == 100
    assert again.raw["fight_seed"] != 11


def test_shooting_ends_when_it_is_told_to_and_leaves_nothing(shooting: GameWindow) -> None:
    shooting.until()
    folder = shooting.data.root / "game-data" / "shooting"
    assert engines(folder)
    shooting.ends_by(signal.SIGTERM)
    assert not engines(folder)
    assert list(folder.glob("engine-*")) == []
    assert not (Path(__file__).resolve().parents[3] / "plugins" / "shooting" / "_vizdoom").exists()
