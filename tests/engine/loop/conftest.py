"""Provides the game whose clock several tests of the loop steer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.loop.steered_game import Steered, until

from pitwall.engine.session.game_clock import GameClock


@pytest.fixture
def steered(tmp_path: Path) -> Iterator[tuple[Steered, GameClock]]:
    if sys.platform == "win32":
        pytest.skip("a game is steered through a socket that is a file, which Windows' Python does not know")
    game = Steered(tmp_path / "c.sock")
    game_clock = GameClock(tmp_path / "c.sock")
    until(lambda: game_clock.ready)
    yield game, game_clock
    game_clock.close()
    game.close()
