"""`pitwall games calibrate`: a game's turns measured or told, kept in the data folder, and used."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import Ran, pitwall

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from workshop.fixtures.look_maze import DEGREES_PER_UNIT, look_maze

MANIFEST = """
schema = 1
[game]
id = "maze"
name = "Maze"
[window]
title = "page window"
[screen]
width = 320
height = 240
[controls]
mouse = MOUSE
keys = ["w"]
[mouse_look]
rate_hz = 60.0
[[actions]]
name = "on"
keys = ["w"]
[[actions]]
name = "turn"
turn = "$degrees"
[actions.parameters.degrees]
type = "float"
minimum = -180
maximum = 180
"""


def _calibrate(folder: Path, *words: str, timeout_s: float = 100.0) -> Ran:
    data = DataFolder(folder / "data")
    return pitwall("games", "calibrate", str(folder / "maze"), *words, data=data, timeout_s=timeout_s)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "maze").mkdir()
    (tmp_path / "maze" / "plugin.toml").write_text(MANIFEST.replace("MOUSE", "true"))
    return tmp_path


def test_a_figure_that_is_known_is_kept_and_taken_back(folder: Path) -> None:
    kept = _calibrate(folder, "--units-per-degree", "22.8")
    assert kept.status == 0, kept.err
    assert "Maze: 22.8 units of the mouse turn the view by one degree." in kept.out
    again = _calibrate(folder, "--units-per-degree", "0", "--json")
    assert again.answer["units_per_degree"] == 0, "the game's own, which says none"


@pytest.mark.screen
@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_maze_is_turned_once_around_and_its_figure_is_kept(folder: Path, screen: str) -> None:
    assert screen
    maze = look_maze()
    try:
        words = ("--window", hex(maze.window_id), "--press", "click:160,120", "--json")
        ran = _calibrate(folder, *words, timeout_s=500)
    finally:
        maze.close()
    assert ran.status == 0, ran.err
    assert ran.answer["units_per_degree"] == pytest.approx(1 / DEGREES_PER_UNIT, rel=0.02)
    game = Registry(DataFolder(folder / "data")).load(str(folder / "maze"))
    assert game.profile.mouse_look is not None
    assert game.profile.mouse_look.units_per_degree == ran.answer["units_per_degree"], "runs use it"
