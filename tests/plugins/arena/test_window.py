"""Arena as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

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
def arena(screen: str, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("arena")
    launched = launch(
        game, seed=11, scenario="mobs", data=data.root, env={"PITWALL_TRUTH": str(tmp_path / "truth.json")}
    )
    yield launched
    launched.close()


@pytest.fixture
def state(arena: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    reader = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = reader.read()
            if read is not None and wanted(read):
                return read
            assert arena.alive, arena.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {reader.read()}")

    return wait_for


def focus(title: str) -> None:
    """Give a window the keyboard once it is shown."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        tree = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True, check=False)
        for line in tree.stdout.splitlines():
            if f'"{title}"' in line and "480x320" in line:
                subprocess.run(["xdotool", "windowfocus", line.split()[0]], check=True, timeout=10)
                return
        time.sleep(0.05)
    raise AssertionError(f"no window {title!r}")


def key(action: str, name: str) -> None:
    subprocess.run(["xdotool", action, name], check=True, timeout=10)


def player_of(state: TrueState) -> dict[str, float]:
    player: dict[str, float] = state.game_state.player
    return player


def test_a_fight_from_the_menu_with_every_key(arena: Launched, state: State) -> None:
    menu = state(lambda now: now.status is GameStatus.MENU)
    assert (menu.game_id, menu.seed, score(menu, "game_state.score")) == ("arena", 11, 0)
    assert menu.raw["scenario"] == "mobs"
    focus("Arena")
    key("key", "Return")
    playing = state(lambda now: now.status is GameStatus.PLAYING)
    assert playing.metrics["fights"] == 1
    key("keydown", "Left")
    walked = state(lambda now: player_of(now)["x"] < 135)
    key("keyup", "Left")
    assert player_of(walked)["health"] > 0
    assert arena.alive
    for name, count in (("z", "light"), ("x", "heavy"), ("space", "dodge")):
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until and not state(lambda _: True).metrics[count]:
            key("key", name)
            time.sleep(0.3)
        assert state(lambda _: True).metrics[count] >= 1
    key("key", "p")
    still = state(lambda now: now.status is GameStatus.PAUSED)
    later = state(lambda now: now.timestamp_ms > still.timestamp_ms + 400)
    assert later.game_time_ms == still.game_time_ms
    key("key", "p")
    state(lambda now: now.status is GameStatus.PLAYING and now.game_time_ms > still.game_time_ms)
