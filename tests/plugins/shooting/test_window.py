"""Shooting as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.evaluation.truth.state import TrueState, TruthReader
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry

WAIT_S = 60.0
State = Callable[[Callable[[TrueState], bool]], TrueState]


@pytest.fixture
def shooting_data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def shooting(screen: str, shooting_data: DataFolder, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    game = Registry(shooting_data).load("shooting")
    truth = {"PITWALL_TRUTH": str(tmp_path / "truth.json")}
    launched = launch(game, seed=11, data=shooting_data.root, env=truth, scenario="fast")
    yield launched
    launched.close()


@pytest.fixture
def shooting_state(shooting: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    reader = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert shooting.alive, shooting.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    return wait_for


def focus_shooting() -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        lines = [line for line in tree.stdout.splitlines() if '"VIZDOOM' in line and "640x480" in line]
        if lines:
            window = lines[0].split()[0]
            subprocess.run(["xdotool", "windowfocus", window], check=False, timeout=10)
            focus = subprocess.run(["xdotool", "getwindowfocus"], capture_output=True, text=True, check=False)
            if focus.stdout.strip() == str(int(window, 16)):
                return
        time.sleep(0.2)
    raise AssertionError("no window of the engine's has the focus")


@contextmanager
def held(key: str) -> Iterator[None]:
    """Hold a key: however late a busy machine delivers it, it is down until its effect was seen."""
    subprocess.run(["xdotool", "keydown", key], check=True, timeout=10)
    try:
        yield
    finally:
        subprocess.run(["xdotool", "keyup", key], check=True, timeout=10)


def press(key: str) -> None:
    with held(key):
        time.sleep(0.08)


def engines(folder: Path) -> list[str]:
    """Engine processes that write into a folder."""
    listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if "viz_instance_id" in line and str(folder) in line]


def test_a_fight_from_its_key_to_its_end_and_the_next_one(shooting_state: State) -> None:
    waiting = shooting_state(lambda _: True)
    assert (waiting.game_id, waiting.seed, waiting.status) == ("shooting", 11, GameStatus.MENU)
    focus_shooting()
    press("space")
    begun = shooting_state(lambda now: now.status is GameStatus.PLAYING)
    assert begun.raw["scenario"] == "fast"
    assert (begun.metrics["ammo"], begun.raw["fight_seed"]) == (6, 11)
    with held("Control_L"):
        shooting_state(lambda now: now.metrics["ammo"] < 6)
    before = shooting_state(lambda _: True).game_state.player["angle"]
    with held("Left"):
        turned = shooting_state(lambda now: now.game_state.player["angle"] != before)
    assert 0 < (turned.game_state.player["angle"] - before) % 360 < 90
    over = shooting_state(lambda now: now.status is GameStatus.TERMINAL)
    assert (over.terminal.is_terminal, over.terminal.outcome, over.terminal.reason) == (True, "loss", "death")
    assert (over.metrics["fights"], over.metrics["won"], over.metrics["health"]) == (1, 0, 0)
    time.sleep(1.5)
    press("space")
    again = shooting_state(lambda now: now.status is GameStatus.PLAYING)
    assert again.metrics["health"] == 100
    assert again.raw["fight_seed"] != 11


def test_shooting_ends_when_it_is_told_to_and_leaves_nothing(
    shooting: Launched, shooting_state: State, shooting_data: DataFolder
) -> None:
    shooting_state(lambda _: True)
    folder = shooting_data.root / "game-data" / "shooting"
    assert engines(folder)
    os.kill(shooting.pid, signal.SIGTERM)
    until = time.monotonic() + WAIT_S
    while shooting.alive and time.monotonic() < until:
        time.sleep(0.02)
    assert not shooting.alive
    assert not engines(folder)
    assert list(folder.glob("engine-*")) == []
    assert not (Path(__file__).resolve().parents[3] / "plugins" / "shooting" / "_vizdoom").exists()
