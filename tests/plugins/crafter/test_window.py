"""Crafter as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
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
def crafter_window(screen: str, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("crafter")
    launched = launch(game, seed=11, data=data.root, env={"PITWALL_TRUTH": str(tmp_path / "truth.json")})
    yield launched
    launched.close()


@pytest.fixture
def crafter_state(crafter_window: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    reader = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert crafter_window.alive, crafter_window.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    return wait_for


def focus_crafter() -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        lines = [line for line in tree.stdout.splitlines() if '"Crafter"' in line and "864x864" in line]
        if lines:
            window = lines[0].split()[0]
            subprocess.run(["xdotool", "windowfocus", window], check=False, timeout=10)
            focus = subprocess.run(["xdotool", "getwindowfocus"], capture_output=True, text=True, check=False)
            if focus.stdout.strip() == str(int(window, 16)):
                return
        time.sleep(0.2)
    raise AssertionError("no window of Crafter's has the focus")


def test_each_press_is_one_turn_and_the_world_waits(crafter_state: State) -> None:
    begun = crafter_state(lambda _: True)
    assert (begun.game_id, begun.seed, begun.status) == ("crafter", 11, GameStatus.PLAYING)
    focus_crafter()
    for turns, (key, facing) in enumerate(
        [("Left", [-1, 0]), ("Up", [0, -1]), ("Right", [1, 0]), ("Down", [0, 1])], start=1
    ):
        subprocess.run(["xdotool", "key", key], check=True, timeout=10)
        after = crafter_state(lambda now, turns=turns: now.raw["turns"] >= turns)  # type: ignore[misc]
        assert (after.raw["turns"], after.game_state.player["facing"]) == (turns, facing)
    subprocess.run(
        ["xdotool", "key", "--delay", "20", "space", "n", "space", "q", "n"], check=True, timeout=10
    )
    assert crafter_state(lambda now: now.raw["turns"] >= 8).raw["turns"] == 8, "q is no key of the game"
    time.sleep(0.5)
    assert crafter_state(lambda _: True).raw["turns"] == 8, "nothing passes by itself"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_crafter_ends_when_it_is_told_to(
    crafter_window: Launched, crafter_state: State, number: signal.Signals
) -> None:
    crafter_state(lambda _: True)
    os.kill(crafter_window.pid, number)
    until = time.monotonic() + WAIT_S
    while crafter_window.alive and time.monotonic() < until:
        time.sleep(0.02)
    assert not crafter_window.alive


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
