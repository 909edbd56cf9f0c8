"""The checker on [exam]: every name and path in it is there, or is blamed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.paths import bundled_games_dir
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile
from pitwall_exam.plugin_table.schema import ExamTable

Damage = Callable[..., Path]

SCORE = 'score = "game_state.score"\n'
EXAM = """
[exam]
inventory = "grid"

[exam.grid]
position = ["ball_x", "ball_x"]
view = "ball_x"
columns = 9
rows = 7
ground = "ball_x"
facing = "ball_share"
stats = ["ball_x"]
resources = ["ball_share"]
tools = []
walkable = ["grass"]
deadly = ["lava"]
trees = "tree"
interact = "serve"
sleep = "watch"
legend = { "." = "grass", "!" = "lava", "T" = "tree" }
moves = { move = "left" }
places = { combo = "table" }
makes = {}
recipes = { table = { ball_share = 2 } }
wants = { ball_x = "starvation" }

[exam.grid.truth]
position = ["game_state.x", "game_state.y"]
facing = "game_state.facing"
counts = "game_state.has"
terrain = "raw.terrain"
"""
TEXT = """
[exam]
inventory = "text"

[exam.text]
location = "ball_x"
command = "way"
"""


def with_exam(damaged: Damage, exam: str, *more: tuple[str, str]) -> Path:
    """The folder with [exam] at its end."""
    last = 'kind = "file"\n' + SCORE
    for old, new in more:
        assert old in exam
        exam = exam.replace(old, new)
    return damaged((last, last + exam))


@pytest.mark.parametrize("exam", [EXAM, TEXT])
def test_a_whole_one_has_no_fault(damaged: Damage, exam: str) -> None:
    assert check_game(with_exam(damaged, exam)) == []


@pytest.mark.parametrize(
    ("exam", "old", "new", "key", "part"),
    [
        (EXAM, 'view = "ball_x"', 'view = "bal_x"', "exam.grid.view", "no field 'bal_x'"),
        (EXAM, '["ball_x", "ball_x"]', '["ball_x", "y"]', "exam.grid.position", "no field 'y'"),
        (EXAM, "{ move =", "{ mov =", "exam.grid.moves", "no action 'mov'"),
        (EXAM, '"serve"', '"serv"', "exam.grid.interact", "no action 'serv'"),
        (EXAM, '["grass"]', '["gras"]', "exam.grid.walkable", "no terrain of the legend 'gras'"),
        (EXAM, '"."', '".."', "exam.grid.legend", "found '..'"),
        (EXAM, "{ ball_share = 2 }", "{ wood = 2 }", "exam.grid.recipes.table", "no resource 'wood'"),
        (EXAM, "{ ball_x =", "{ food =", "exam.grid.wants", "no stat 'food'"),
        (EXAM, "makes = {}", 'makes = { watch = "axe" }', "exam.grid.makes", "no tool 'axe'"),
        (EXAM, '"raw.terrain"', '"row.terrain"', "exam.grid.truth.terrain", "no place of the true state"),
        (EXAM, 'inventory = "grid"', 'inventory = "text"', "exam.inventory", "no [exam.text]"),
        (TEXT, 'location = "ball_x"', 'location = "place"', "exam.text.location", "no field 'place'"),
        (TEXT, 'command = "way"', 'command = "words"', "exam.text.command", "no parameter of an action"),
    ],
)  # fmt: skip
def test_each_fault_is_found(damaged: Damage, exam: str, old: str, new: str, key: str, part: str) -> None:
    faults = check_game(with_exam(damaged, exam, (old, new)))
    assert [fault for fault in faults if fault.key == key and part in fault.problem], [str(f) for f in faults]


def test_a_truth_that_nothing_tells_is_blamed(damaged: Damage) -> None:
    faults = check_game(damaged(('[truth]\nkind = "file"\n' + SCORE, EXAM)))
    assert "exam.grid.truth" in {fault.key for fault in faults}


def test_crafters_legend_is_that_of_its_view() -> None:
    profile = load_profile(bundled_games_dir() / "crafter")
    exam = profile.table(ExamTable)
    assert exam is not None
    assert exam.grid is not None
    view = next(field for field in profile.fields if field.name == "view")
    for sign, terrain in exam.grid.legend.items():
        assert f"{sign} {terrain}" in view.description
