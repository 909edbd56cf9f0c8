"""Twins of a game: trusted folders only, their siblings by plain name, two games apart."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError, PluginFailed, UntrustedPlugin
from pitwall.games.manifest import load_profile
from pitwall.games.plugin_loader import load_twin
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game

TWIN = """
from pong_pace import PACE

def make_twin(*, module, scenario, actions, render):
    return (PACE, module, scenario, tuple(actions), render)
"""
LEARNED = {"state": [{"field": "ball_x"}], "actions": ["", "up"], "reward": "r.py"}


def module(twin: str = "pong_twin.py") -> Module:
    return Module.model_validate(
        {"name": "play", "ends": "status != 'playing'", "learned": {**LEARNED, "twin": twin}}
    )


@pytest.fixture
def game(game_folder: Path, tmp_path: Path) -> Callable[..., Game]:
    def make(files: dict[str, str], *, trusted: bool = True) -> Game:
        folder = Path(shutil.copytree(game_folder, tmp_path / f"{len(list(tmp_path.iterdir()))}"))
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return Game(
            profile=load_profile(folder), folder=folder, profile_hash="", trusted=trusted, source="user"
        )

    return make


def made(of: Game) -> object:
    return load_twin(of, module())(module="play", scenario="", actions=["", "up"], render=False)


def test_a_twin_imports_what_lies_beside_it(game: Callable[..., Game]) -> None:
    assert made(game({"pong_twin.py": TWIN, "pong_pace.py": "PACE = 3"})) == (
        3,
        "play",
        "",
        ("", "up"),
        False,
    )


def test_files_of_one_name_in_two_folders_stay_apart(game: Callable[..., Game]) -> None:
    games = [game({"pong_twin.py": TWIN, "pong_pace.py": f"PACE = {pace}"}) for pace in (4, 5)]
    paces = [made(of) for of in (games[0], games[1], games[0])]
    assert [of[0] for of in paces if isinstance(of, tuple)] == [4, 5, 4]
    assert "pong_pace" not in sys.modules


def test_no_twin_runs_from_a_folder_that_is_not_trusted(game: Callable[..., Game]) -> None:
    with pytest.raises(UntrustedPlugin):
        made(game({"pong_twin.py": TWIN, "pong_pace.py": "PACE = 3"}, trusted=False))


def test_what_is_wrong_with_a_twin_is_told(game: Callable[..., Game]) -> None:
    with pytest.raises(PluginFailed, match="no function make_twin"):
        made(game({"pong_twin.py": "X = 1"}))
    with pytest.raises(PitwallError, match="no headless twin"):
        load_twin(game({}), module(twin=""))
