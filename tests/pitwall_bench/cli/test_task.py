"""`pitwall task`: what it lists, how it orders, and what it says of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pitwall.cli.main import program
from pitwall.core.errors import PitwallError
from pitwall_bench.cli.task import result_lines
from pitwall_bench.suites.results import Cell, TaskRun


def _run(*words: str, data: Path) -> str:
    done = CliRunner().invoke(program("task"), ["task", *words, "--data", str(data)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_tasks_of_a_game(tmp_path: Path) -> None:
    shown = _run("list", "doom", data=tmp_path)
    assert "doom/some_armour  (80 steps)" in shown
    assert "read from the pixels, not verified" in shown
    body = json.loads(_run("list", "flappy", "--json", data=tmp_path))
    assert (body["flappy"]["level"], body["flappy"]["verified"]) == (1, True)
    assert {task["id"] for task in body["flappy"]["tasks"]} >= {"first_pipes", "steep_course"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["flappy"], "names no task"),
        (["flapy/first_pipe"], "Did you mean 'flappy'"),
        (["flappy/first_pip"], "Did you mean 'first_pipe"),
        (["flappy/first_pipe", "--agent", "skils"], "Did you mean 'skills'"),
        (["flappy/first_pipe", "--protocol", "pause"], "Did you mean 'paused'"),
        (["flappy/first_pipe", "--interface", "mouse"], "interface: found 'mouse'"),
        (["dodge/ember_gem", "--other", "idle"], "Tasks for two: dodge/together_home"),
        (["flappy/first_pipe", "--setting", "broker.hold_ms"], "changes no setting"),
    ],
)
def test_what_cannot_be_ordered(tmp_path: Path, words: list[str], message: str) -> None:
    with pytest.raises(PitwallError, match=message):
        _run(*words, data=tmp_path)


def test_a_result_says_what_was_not_verified(tmp_path: Path) -> None:
    cell = Cell(game="doom", task="some_armour", agent="skills", seed=3)
    run = TaskRun(
        cell=cell,
        ended="steps",
        why="80 of 80 steps were used up",
        progress=0.0,
        score=0.0,
        target=1.0,
        verified=False,
        steps=80,
        proposed=80,
        invalid={"out_of_space": 2},
        run_id=1,
    )
    text = "\n".join(result_lines(run, tmp_path))
    assert "no success; 80 of 80 steps were used up" in text
    assert "not verified" in text
    assert "invalid out of space 2 of 80" in text
    launch = TaskRun(cell=cell, ended="launch", why="doom needs chocolate-doom.")
    assert list(result_lines(launch, tmp_path)) == [
        "doom/some_armour by skills, seed 3: could not be played; doom needs chocolate-doom."
    ]
