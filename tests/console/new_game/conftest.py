"""The small game Catch in its window, and the page "Add a game" beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.game_window import xdotool
from tests.console.new_game.wizard import GAME_AT, PageHarness, opened_wizard
from tests.patience import needs_hands

from pitwall.core.paths import DataFolder

GAME = Path(__file__).with_name("catch_game.py")


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """Where the game tells its points, line by line."""
    return tmp_path / "points.jsonl"


@pytest.fixture
def game(screen: str, points: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """The game's window; a parameter is an option of the game."""
    needs_hands()
    with points.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, str(GAME), *getattr(request, "param", ())],
            stdout=stream,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DISPLAY": screen},
        )
    while not (first := points.read_text()).endswith("\n"):
        time.sleep(0.02)
    window_id = json.loads(first.splitlines()[0])["window"]
    xdotool("windowmove", str(window_id), *map(str, GAME_AT))
    yield window_id
    process.terminate()
    process.wait(60)


@pytest.fixture
def wizard(game: int, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[PageHarness]:
    """The page beside the game, with nothing chosen."""
    with opened_wizard(DataFolder(tmp_path / "data"), qapp, qtbot, game) as harness:
        yield harness
