"""The checker on tasks and on the true state they are judged by, for each kind of truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.games.checks.folder import check_game

Damage = Callable[..., Path]

FILE = 'kind = "file"\nscore = "game_state.score"'
OUTPUT = 'kind = "output"\nscore = "game_state.score"\npatterns = {{ "game_state.score" = {} }}'
LOG = OUTPUT.replace('"output"', '"log"\nfile = "{{data}}/game.log"')
FIELDS = 'kind = "fields"\nscore = "game_state.score"\nfields = {{ "game_state.score" = "{}" }}'
NUMBER = r"'score (\d+)'"


@pytest.mark.parametrize(
    "truth", [FILE, OUTPUT.format(NUMBER), LOG.format(NUMBER), FIELDS.format("ball_x")], ids=lambda t: t[7:14]
)
def test_each_kind_of_truth_can_be_whole(damaged: Damage, truth: str) -> None:
    assert check_game(damaged((FILE, truth))) == []


@pytest.mark.parametrize(
    ("truth", "key", "part", "near"),
    [
        (FIELDS.format("bal_x"), "truth.fields.game_state.score", "no field 'bal_x'", "ball_x"),
        (OUTPUT.format("'(\\d+'"), "truth.patterns.game_state.score", "no regular expression", ""),
        (OUTPUT.format("'score'"), "truth.patterns.game_state.score", "has 0 groups", ""),
        (OUTPUT.format("'(a)(b)'"), "truth.patterns.game_state.score", "has 2 groups", ""),
        (LOG.format(NUMBER).replace("{data}", "{dat}"), "truth.file", "{dat} is no placeholder", "data"),
        (LOG.format(NUMBER).replace('file = "{data}/game.log"\n', ""), "truth.file", "is missing", ""),
        ('kind = "output"\nscore = "game_state.score"', "truth.patterns", "is missing", ""),
        ('kind = "fields"\nscore = "game_state.score"', "truth.fields", "is missing", ""),
        (FILE + '\nfile = "x"', "truth.file", "not read by kind 'file'", ""),
        (FILE + '\nfields = { "metrics.a" = "ball_x" }', "truth.fields", "not read by kind 'file'", ""),
        (OUTPUT.format(NUMBER).replace('= "game_state.score"', '= "game_state.scor"'), "truth.score",
         "nowhere", "game_state.score"),
        (OUTPUT.format(NUMBER).replace('{ "', '{ "statsu" = \'(a)\', "'), "truth.patterns.statsu", "no place",
         "status"),
        (FILE.replace("game_state.score", "metric.score"), "truth.score", "no place", "metrics.score"),
    ],
)  # fmt: skip
def test_each_fault_of_a_truth_is_found(damaged: Damage, truth: str, key: str, part: str, near: str) -> None:
    faults = check_game(damaged((FILE, truth)))
    blamed = [fault for fault in faults if fault.key == key and part in fault.problem]
    assert blamed, [str(fault) for fault in faults]
    assert blamed[0].nearest == near


@pytest.mark.parametrize(
    ("more", "key", "part", "near"),
    [
        ('scenario = "hard"', "tasks.rally.scenario", "no scenario 'hard'", ""),
        ('role = "lefd"', "tasks.rally.role", "no role 'lefd'", "left"),
        ('other_role = "servr"', "tasks.rally.other_role", "no role 'servr'", "server"),
        ('role = "left"\nother_role = "left"', "tasks.rally.other_role", "left is the role of the task", ""),
        ('end = "metric.over"', "tasks.rally.end", "no place", "metrics.over"),
        ("start = 5", "tasks.rally.target", "found 5", ""),
        ("start = 7.5", "tasks.rally.target", "found 5", ""),
    ],
)
def test_each_fault_of_a_task_is_found(damaged: Damage, more: str, key: str, part: str, near: str) -> None:
    faults = check_game(damaged(("target = 5", f"target = 5\n{more}")))
    blamed = [fault for fault in faults if fault.key == key and part in fault.problem]
    assert blamed, [str(fault) for fault in faults]
    assert blamed[0].nearest == near


def test_a_sum_of_nothing_is_no_score(damaged: Damage) -> None:
    old = 'instruction = "Return the ball 5 times."\nscore = "game_state.score"'
    faults = check_game(damaged((old, old.replace('"game_state.score"', "[]"))))
    assert [(fault.key, fault.problem) for fault in faults] == [("tasks.rally.score", "names nothing")]


def test_a_game_without_a_program_prints_nothing(damaged: Damage) -> None:
    launch = '[launch]\ncommand = ["{python}", "{folder}/pong.py", "--seed", "{seed}", "--into", "{data}"]\n'
    faults = check_game(damaged((launch, ""), (FILE, OUTPUT.format(NUMBER))))
    assert [(fault.key, "nothing prints" in fault.problem) for fault in faults] == [("truth.kind", True)]


@pytest.mark.parametrize("game", ["flappy", "arena", "shooting", "crafter", "doom"])
def test_bundled_games_have_tasks_of_rising_worth(project_root: Path, game: str) -> None:
    from pitwall.games.manifest import load_profile

    folder = project_root / "plugins" / game
    assert check_game(folder) == []
    profile = load_profile(folder)
    assert profile.truth is not None
    assert profile.truth.verified is (game != "doom")
    assert len({task.id for task in profile.tasks}) >= 5
    assert len(
        {(*task.scores, task.target, task.scenario, task.continue_on_fail) for task in profile.tasks}
    ) == len(profile.tasks)
