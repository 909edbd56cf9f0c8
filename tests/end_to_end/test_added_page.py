"""A local web page becomes a game by one command: its size, its values, its chance."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import pitwall

from pitwall.core.paths import DataFolder

PAGE = str(Path(__file__).parent / "pages" / "coins.html")
"""Its board is 300 × 400 px, with the score above it and 12 px around."""
PROGRAM = Path(__file__).parents[1] / "console" / "new_game" / "catch_game.py"
ADDED = (
    *("games", "new", "--url", PAGE, "--name", "Coins", "--json", "--init", "startGame()"),
    *("--state", "score=game.score", "--action", "left=ArrowLeft", "--action", "right=ArrowRight"),
    *("--field", "paddle=blob:0,424,320,24", "--field", "coin=blob:0,44,320,370"),
    *("--field", "score=number:80,4,80,44", "--task", "game_state.score=10"),
    *("--template", "catch:me=paddle,thing=coin,less=left,more=right"),
)

pytestmark = [pytest.mark.usefixtures("screen"), pytest.mark.timeout(900)]


def _added(data: DataFolder, *words: str) -> dict[str, Any]:
    ran = pitwall(*ADDED, *words, data=data, timeout_s=600)
    assert ran.status == 0, ran.err
    message: dict[str, Any] = ran.answer
    return message


def test_a_page_is_added_as_large_as_it_is_and_repeats_itself(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    message = _added(data)
    screen = message["draft"]["screen"]
    assert (screen["width"], 440 <= screen["height"] <= 480) == (324, True)
    offered = {item["expression"]: item["value"] for item in message["page"]}
    assert offered["game.playing"] is True, "it was begun"
    assert {"game.score", "startGame()"} <= offered.keys()
    again = {element["expression"]: element["value"] for element in _added(data, "--draft-only")["page"]}
    assert again["chance"] == offered["chance"], "drawn from the time of its start and from crypto"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    ran = pitwall("games", "new", "--url", "no/such.html", data=DataFolder(tmp_path))
    assert ran.status != 0
    assert "there is no such file" in ran.err


def test_boxes_of_a_program_are_of_its_window_size(tmp_path: Path) -> None:
    """Nobody said a size: the window does, as soon as it is looked at."""
    command = shlex.join([sys.executable, str(PROGRAM)])
    words = ("games", "new", "--command", command, "--name", "Catch", "--replace", "--json")
    played = ("--action", "left=ArrowLeft", "--field", "bar=bar:20,16,200,14:216,44,52")
    for _ in range(2):
        ran = pitwall(*words, *played, data=DataFolder(tmp_path), timeout_s=600)
        assert ran.status == 0, ran.err
        screen = ran.answer["draft"]["screen"]
        assert (screen["width"], screen["height"]) == (480, 360)
        assert ran.answer["game"] == "catch", "the second one takes the place of the first"
