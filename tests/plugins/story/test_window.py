"""The story as a real process in a real window, started as the engine starts it; real keys type into it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from pitwall.core.paths import DataFolder
from pitwall.evaluation.truth.state import TrueState, TruthReader
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry

WAIT_S = 60.0
State = Callable[[Callable[[TrueState], bool]], TrueState]


@pytest.fixture
def story_window(screen: str, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("story")
    launched = launch(game, seed=11, data=data.root, env={"PITWALL_TRUTH": str(tmp_path / "truth.json")})
    yield launched
    launched.close()


@pytest.fixture
def story_state(story_window: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    reader = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert story_window.alive, story_window.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    return wait_for


def keys(*names: str) -> None:
    """Press keys in the story's window."""
    subprocess.run(["xdotool", "key", "--delay", "8", *names], check=True, timeout=20)


def focus_story() -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        lines = [line for line in tree.stdout.splitlines() if '"Story"' in line and "1008x666" in line]
        if lines:
            window = lines[0].split()[0]
            subprocess.run(["xdotool", "windowfocus", window], check=False, timeout=10)
            focus = subprocess.run(["xdotool", "getwindowfocus"], capture_output=True, text=True, check=False)
            if focus.stdout.strip() == str(int(window, 16)):
                return
        time.sleep(0.2)
    raise AssertionError("the story's window does not have the focus")


def test_lines_are_typed_corrected_sent_and_answered(story_state: State, project_root: Path) -> None:
    begun = story_state(lambda _: True)
    assert (begun.game_id, begun.seed, begun.game_state.player["location"]) == ("story", 11, "Jetty")
    assert begun.game_state.board["valid"] == ["north", "east"]
    focus_story()
    keys(*"nortt", "BackSpace", "h", "Return")
    yard = story_state(lambda now: now.raw["turns"] == 1)
    assert (yard.raw["command"], yard.game_state.player["location"]) == ("north", "Yard")
    keys(*"east", "Escape", "Return", *"west", "Return", "t", "a", "k", "e", "space", *"net", "Return")
    shed = story_state(lambda now: now.raw["turns"] == 3)
    assert (shed.raw["command"], shed.metrics["items"]) == ("take net", 1)
    assert shed.game_state.player == {"location": "Boathouse", "inventory": ["landing net"]}
    assert "drop landing net" in shed.game_state.board["valid"]
    assert shed.game_state.board["observation"].startswith("Taken.")
    before = sorted((project_root / "plugins" / "story").rglob("*"))
    keys(*"save", "Return", *"east", "Return", *"restore", "Return", *"inventory", "Return")
    back = story_state(lambda now: now.raw["turns"] == 7)
    assert back.game_state.player == shed.game_state.player
    assert sorted((project_root / "plugins" / "story").rglob("*")) == before, "saves are not kept there"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_story_ends_when_it_is_told_to(
    story_window: Launched, story_state: State, number: signal.Signals
) -> None:
    story_state(lambda _: True)
    os.kill(story_window.pid, number)
    until = time.monotonic() + WAIT_S
    while story_window.alive and time.monotonic() < until:
        time.sleep(0.02)
    assert not story_window.alive
