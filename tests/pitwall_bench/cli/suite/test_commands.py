"""`pitwall suite`, as a person and as the console run it, on a suite whose runs are there already."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_bench.suites.made_runs import run

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall_bench.suites.folder import SuiteFolder, SuiteStart, task_facts
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import SuiteProgress

Suite = Callable[..., tuple[int, str]]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def suite(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Suite:
    """Runs `pitwall suite …`; gives its status and what it printed."""

    def called(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["pitwall", "suite", *map(str, words), "--data", str(data.root)])
        status = main()
        return status, capsys.readouterr().out

    return called


def _written(file: Path) -> Path:
    file.write_text(
        "name: trial\ngames: [{game: flappy, tasks: [first_pipe]}]\n"
        "agents: [{name: skills}, {name: idle, kind: idle}]\nseeds: {count: 6}\n",
        encoding="utf-8",
    )
    return file


@pytest.fixture
def played(data: DataFolder, tmp_path: Path) -> SuiteFolder:
    """A suite of two agents and six seeds, one of which could not be played."""
    plan = read_suite(_written(tmp_path / "trial.yaml"), data)
    folder = SuiteFolder(data, "trial")
    folder.begin(plan.spec, SuiteStart(hashes=plan.hashes(), tasks=task_facts(plan), at=1.0))
    for cell in plan.cells(0):
        won = 1.0 if cell.agent == "skills" else 0.0
        folder.keep(run(cell.agent, seed=cell.seed, progress=won, score=won, target=1.0, unit="pipes"))
    folder.keep(run("idle", seed=6, ended="launch", why="no window came"))
    folder.show(SuiteProgress(state="done", done=12, of=12, failed=1))
    return folder


def _json(said: tuple[int, str]) -> Any:
    status, out = said
    assert status == 0, out
    return json.loads(out.splitlines()[-1])


@pytest.mark.usefixtures("played")
def test_what_a_suite_came_to_as_json_and_as_a_table(suite: Suite) -> None:
    shown = _json(suite("show", "trial", "--json"))
    skills, idle = shown["agents"]
    assert (skills["success"]["wins"], skills["success"]["share"], skills["progress"]["mean"]) == (
        6,
        1.0,
        1.0,
    )
    assert (idle["runs"], idle["unplayed"], idle["success"]["wins"]) == (5, {"launch": 1}, 0)
    assert shown["comparisons"][0]["differs"] is True
    assert {"low", "high", "exact_low", "exact_high"} <= set(shown["tasks"][0]["success"])
    _, text = suite("show", "trial")
    assert "flappy/first_pipe  skills" in text and "100 % (6/6)" in text and "61 … 100 %" in text
    assert "skills succeeds more often than idle" in text
    assert "flappy~first_pipe~idle~6~0: launch: no window came" in text
    _, listed = suite("list")
    assert "12 of 12 runs, 1 not played  done" in listed and "smoke" in listed
    _, levels = suite("show", "trial", "--by", "levels")
    assert "1 control and timing" in levels
    _, runs = suite("show", "trial", "--by", "runs")
    assert "success (1 of 1 pipes) in 10 steps" in runs


def test_a_report_is_written_beside_the_suite(suite: Suite, played: SuiteFolder) -> None:
    files = _json(suite("report", "trial", "--against", "trial", "--format", "html", "--json"))["files"]
    assert files == [str(played.root / "report" / "report.html")]
    assert "Compared with trial" in Path(files[0]).read_text(encoding="utf-8")


@pytest.mark.usefixtures("played")
def test_two_suites_are_compared(suite: Suite) -> None:
    (skills, idle) = _json(suite("compare", "trial", "trial", "--json"))["comparisons"]
    assert not skills["differs"] and not idle["differs"]
    assert skills["verdict"].startswith("inside the noise")


@pytest.mark.usefixtures("played")
def test_an_unknown_suite_gets_the_nearest_name(suite: Suite) -> None:
    for words in (("show", "tria"), ("report", "tria"), ("stop", "tria"), ("show", "../trial")):
        status, out = suite(*words, "--json")
        assert (status, json.loads(out)["error"]) == (1, "UnknownSuite")
    assert "Did you mean 'trial'" in json.loads(suite("show", "tria", "--json")[1])["fix"]


def test_stopping_what_does_not_play_says_so_and_leaves_nothing(suite: Suite, played: SuiteFolder) -> None:
    assert _json(suite("stop", "trial", "--json")) == {"suite": "trial", "played": False, "stopped": False}
    assert not played.stop.exists()


def test_a_finished_suite_is_told_again_without_playing(
    suite: Suite, played: SuiteFolder, tmp_path: Path
) -> None:
    status, out = suite("run", tmp_path / "trial.yaml", "--json")
    begun, answer = (json.loads(line) for line in out.splitlines())
    assert (status, begun["progress"], begun["of"]) == (0, 12, 12)
    assert (answer["kept"], answer["state"], answer["folder"]) == (12, "done", str(played.root))


def test_a_new_suite_is_written_checked_and_spelt_out(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    words = (
        "new",
        "mine",
        "--game",
        "flappy=first_pipe,first_pipes",
        "--agent",
        "skills",
        "--agent",
        "no=idle",
    )
    made = _json(suite(*words, "--seeds", 2, "--repeats", 2, "--out", file, "--json"))
    assert (made["runs"], made["tasks"], made["agents"], made["waves"]) == (16, 2, 2, 2)
    assert suite(*words, "--out", file)[0] == 1, "a file that is there is not written over"
    assert _json(suite("check", file, "--json"))["ok"] is True
    cells = _json(suite("cells", file, "--json"))["cells"]
    assert [cell["wave"] for cell in cells] == [0] * 8 + [1] * 8
    assert cells[0]["key"] == "flappy~first_pipe~skills~1~0"


def test_faults_of_a_file_are_told_as_json_with_their_lines(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("name: x\ngames:\n  - game: flapy\nagents: [{name: a}]\n", encoding="utf-8")
    for command in ("run", "check", "cells"):
        status, out = suite(command, file, "--json")
        (fault,) = json.loads(out)["faults"]
        assert (status, fault["line"], fault["key"], fault["nearest"]) == (1, 3, "games[1].game", "flappy")


def test_of_many_faults_the_first_are_told_and_check_tells_all(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    agents = ", ".join(f"{{name: a{number}, kind: person, nick: x}}" for number in range(40))
    file.write_text(f"name: x\ngames:\n  - game: flappy\nagents: [{agents}]\n", encoding="utf-8")
    message = {command: json.loads(suite(command, file, "--json")[1]) for command in ("cells", "check")}
    assert {command: len(body["faults"]) for command, body in message.items()} == {"cells": 15, "check": 40}
    assert {body["fault_count"] for body in message.values()} == {40}
