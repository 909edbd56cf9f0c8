"""What goes wrong around an environment while it runs: each ends it with a sentence, or as it should."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import ale_py.roms
import pygame
import pytest

from pitwall.core.errors import PitwallError
from pitwall_environments.gym import main as gym_game
from pitwall_environments.gym.environment import EnvironmentFault, open_environment
from pitwall_environments.gym.episodes import Episodes

ODD = "tests.pitwall_environments.gym.odd_environments:Corridor"


class _Screen:
    def __init__(self) -> None:
        self.painted = 0

    def paint(self, *_: object) -> None:
        self.painted += 1

    def closed_by(self, _event: object) -> bool:
        return False


def test_a_missing_rom_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ale_py.roms, "get_rom_path", lambda _game: Path("/no/such/pong.bin"))
    with pytest.raises(EnvironmentFault, match=r"ROM pong\.bin of ALE/Pong-v5 is missing") as message:
        open_environment("ALE/Pong-v5")
    assert "installer/extra gym" in message.value.fix


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minigrid", None)
    with pytest.raises(PitwallError, match="minigrid is not installed") as message:
        open_environment("MiniGrid-Empty-5x5-v0")
    assert "installer/extra gym" in message.value.fix


def test_a_step_that_never_returns_ends_the_program(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    env = Episodes(open_environment(f"{ODD}-v0"), f"{ODD}-v0", "g", seed=1)
    game = gym_game.EnvironmentGame(env, _Screen())  # type: ignore[arg-type]
    game.beat = time.monotonic() - 31
    gym_game._watch(game)
    assert ended == [1] and "in one step for 30 s: it hangs" in caplog.text


def test_memory_is_bounded_and_what_needs_more_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bounds: list[tuple[int, Any]] = []

    def eats(_env_id: str) -> None:
        raise MemoryError

    monkeypatch.setattr(resource, "setrlimit", lambda subject, of: bounds.append((subject, of[0])))
    monkeypatch.setattr(gym_game, "open_environment", eats)
    assert gym_game.main(["--env", "Hungry-v0"]) == 1
    assert bounds[0][0] == resource.RLIMIT_DATA and 0 < bounds[0][1] <= 8 << 30
    assert "Hungry-v0 took more memory than 8 GiB." in caplog.text


def test_a_closed_window_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Screen()
    env = Episodes(open_environment(f"{ODD}-v0"), f"{ODD}-v0", "g", seed=1)
    game = gym_game.EnvironmentGame(env, screen)  # type: ignore[arg-type]
    monkeypatch.setattr(pygame.event, "get", lambda: [pygame.event.Event(pygame.QUIT)])
    asyncio.run(asyncio.wait_for(game.play(), 60))
    assert screen.painted == 1
