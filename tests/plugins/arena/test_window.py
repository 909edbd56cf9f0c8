"""Arena as a real process in a real window, started as the engine starts it, played with real keys."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.game_window import WAIT_S, GameWindow, game_window, held, press

from pitwall.core.observations import GameStatus
from pitwall_evaluation.truth.state import TrueState, score


@pytest.fixture
def arena(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("arena", tmp_path, scenario="mobs") as shown:
        yield shown


def player_of(state: TrueState) -> dict[str, float]:
    player: dict[str, float] = state.game_state.player
    return player


def test_a_fight_from_the_menu_with_every_key(arena: GameWindow) -> None:
    menu = arena.until(lambda now: now.status is GameStatus.MENU)
    assert (menu.game_id, menu.seed, score(menu, "game_state.score")) == ("arena", 11, 0)
    assert menu.raw["scenario"] == "mobs"
    arena.focus()
    press("Return")
    playing = arena.until(lambda now: now.status is GameStatus.PLAYING)
    assert playing.metrics["fights"] == 1
    with held("Left"):
        walked = arena.until(lambda now: player_of(now)["x"] < 135)
    assert player_of(walked)["health"] > 0
    assert arena.game.alive
    for name, count in (("z", "light"), ("x", "heavy"), ("space", "dodge")):
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until and not arena.until().metrics[count]:
            press(name)
            time.sleep(0.3)
        assert arena.until().metrics[count] >= 1
    press("p")
    still = arena.until(lambda now: now.status is GameStatus.PAUSED)
    later = arena.until(lambda now: now.timestamp_ms > still.timestamp_ms + 400)
    assert later.game_time_ms == still.game_time_ms
    press("p")
    arena.until(lambda now: now.status is GameStatus.PLAYING and now.game_time_ms > still.game_time_ms)
