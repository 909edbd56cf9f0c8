"""Dino in a real window, started as the engine starts it: its eyes against its true state."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dino_eyes import reader

from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.settings import CaptureSettings
from pitwall.engine.capture.source import open_source
from pitwall.engine.capture.window_search import find_window
from pitwall.evaluation.truth.state import TrueState, TruthReader
from pitwall.games.game_process import Launched
from pitwall.games.launcher import launch
from pitwall.games.registry import Registry
from pitwall.link.game_control import GameControl, Hold, Release, Reset

WAIT_S = 300.0
State = Callable[[Callable[[TrueState], bool]], TrueState]

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def dino(screen: str, tmp_path: Path) -> Iterator[Launched]:
    assert screen
    data = DataFolder(tmp_path / "data")
    game = Registry(data).load("dino")
    launched = launch(game, seed=11, data=data.root, env={"PITWALL_TRUTH": str(tmp_path / "truth.json")})
    yield launched
    launched.close()


@pytest.fixture
def state(dino: Launched, tmp_path: Path) -> State:
    """Waits for a true state of a kind."""
    truth = TruthReader(tmp_path / "truth.json")

    def wait_for(wanted: Callable[[TrueState], bool]) -> TrueState:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            read = truth.read()
            if read is not None and wanted(read):
                return read
            assert dino.alive, dino.last_words()
            time.sleep(0.02)
        raise AssertionError(f"the state stayed {truth.read()}")

    return wait_for


def seen(dino: Launched) -> dict[str, Any]:
    """What the eyes read of the window as it is now."""
    window = find_window(pid=dino.pid)
    assert window is not None
    assert (window.rect.width, window.rect.height) == (600, 300)
    source = open_source(window, CaptureSettings())
    time.sleep(0.2)  # what was drawn last reaches the window
    frame = source.fresh()
    assert frame is not None
    told = reader(Path()).read(np.array(frame.pixels))
    source.close()
    return told


def test_its_eyes_see_what_is_true(dino: Launched, state: State) -> None:
    state(lambda now: now.status is GameStatus.MENU)
    assert dino.control is not None
    control = GameControl(dino.control)
    assert seen(dino)["menu"]
    window = find_window(pid=dino.pid)
    assert window is not None
    subprocess.run(["xdotool", "windowfocus", str(window.native_id)], check=True, timeout=30)
    subprocess.run(["xdotool", "key", "space"], check=True, timeout=30)
    state(lambda now: any(150 < one["x"] < 500 for one in now.game_state.entities))
    control.ask(Hold(), WAIT_S)
    held = state(lambda now: now.status is GameStatus.PLAYING and now.game_state.score > 20)
    time.sleep(0.5)  # states told before it stood still are replaced
    held = state(lambda now: now.game_time_ms >= held.game_time_ms)
    told, first = seen(dino), held.game_state.entities[0]
    assert told["score"] == pytest.approx(held.game_state.score, abs=1)
    assert told["obstacle_width"] == pytest.approx(first["width"], abs=4)
    assert told["obstacle"] == "low"  # birds come later
    assert told["airborne"] is held.game_state.player["jumping"]
    control.ask(Release(), WAIT_S)
    over = state(lambda now: now.terminal.is_terminal)
    assert (over.terminal.outcome, over.status) == ("loss", GameStatus.TERMINAL)
    assert over.terminal.reason is not None
    assert over.terminal.reason.startswith("ran into cactus")
    assert any(seen(dino)["game_over"] for _ in range(20))
    control.ask(Reset(), WAIT_S)
    assert state(lambda now: now.status is GameStatus.MENU).game_state.score == 0
    assert seen(dino)["menu"]
    control.close()
