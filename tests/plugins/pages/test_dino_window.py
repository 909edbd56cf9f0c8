"""Dino in a real window, started as the engine starts it: its eyes against its true state."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dino_eyes import reader
from tests.plugins.game_window import WAIT_S, GameWindow, game_window, press

from pitwall.core.observations import GameStatus
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window
from pitwall.link.game_control import GameControl, Hold, Release, Reset

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        sys.platform == "win32", reason="games that are web pages are played on Linux alone so far"
    ),
]


@pytest.fixture
def dino(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("dino", tmp_path) as shown:
        yield shown


def seen(dino: GameWindow) -> dict[str, Any]:
    """What the eyes read of the window as it is now."""
    window = find_window(pid=dino.game.pid)
    assert window is not None
    assert (window.rect.width, window.rect.height) == (600, 300)
    source = this_desktop().capture(window, CaptureSettings())
    time.sleep(0.2)  # what was drawn last reaches the window
    frame = source.fresh()
    assert frame is not None
    values = reader(Path()).read(np.array(frame.pixels))
    source.close()
    return values


def test_its_eyes_see_what_is_true(dino: GameWindow) -> None:
    dino.until(lambda now: now.status is GameStatus.MENU)
    assert dino.game.control is not None
    control = GameControl(dino.game.control)
    assert seen(dino)["menu"]
    dino.focus()
    press("space")
    dino.until(lambda now: any(150 < entity["x"] < 500 for entity in now.game_state.entities))
    control.ask(Hold(), WAIT_S)
    held = dino.until(lambda now: now.status is GameStatus.PLAYING and now.game_state.score > 20)
    time.sleep(0.5)  # states told before it stood still are replaced
    held = dino.until(lambda now: now.game_time_ms >= held.game_time_ms)
    values, first = seen(dino), held.game_state.entities[0]
    assert values["score"] == pytest.approx(held.game_state.score, abs=1)
    assert values["obstacle_width"] == pytest.approx(first["width"], abs=4)
    assert values["obstacle"] == "low"  # birds come later
    assert values["airborne"] is held.game_state.player["jumping"]
    control.ask(Release(), WAIT_S)
    over = dino.until(lambda now: now.terminal.is_terminal)
    assert (over.terminal.outcome, over.status) == ("loss", GameStatus.TERMINAL)
    assert over.terminal.reason is not None
    assert over.terminal.reason.startswith("ran into cactus")
    assert any(seen(dino)["game_over"] for _ in range(20))
    control.ask(Reset(), WAIT_S)
    assert dino.until(lambda now: now.status is GameStatus.MENU).game_state.score == 0
    assert seen(dino)["menu"]
    control.close()
