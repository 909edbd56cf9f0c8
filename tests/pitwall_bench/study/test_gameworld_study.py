"""GameWorld's cells as a suite, the labels of failed runs, and the report beside the paper's figures."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.engine.recording.test_run_figures import STEP
from tests.pitwall_bench.suites.made_runs import run

from pitwall.cli.reporter import table
from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary, TierFigures
from pitwall_bench.cli.study_gameworld import _by_person, gameworld
from pitwall_bench.study.gameworld_failures import failure_mode, looped
from pitwall_bench.study.gameworld_grid import GameWorldStudy, cells_of
from pitwall_bench.study.gameworld_report import html_of, sheet_of, text_lines
from pitwall_bench.study.gameworld_results import GameWorldResult, cost_of, result_of
from pitwall_bench.suites.folder import SuiteFolder, SuiteStart
from pitwall_bench.suites.results import SideRun, SuiteProgress
from pitwall_bench.suites.summary import summarise
from pitwall_evaluation.html_report import write_study

CELL = "semantic-paused-r2"


def study(**more: Any) -> GameWorldStudy:
    given: dict[str, Any] = {
        "name": "study",
        "model": "reader",
        "games": ("flappy/first_pipe",),
        "cells": cells_of(["semantic", "computer-use"], ["paused"], ["2"]),
    }
    return GameWorldStudy(**given | more)


def test_cells_are_every_interface_protocol_and_number_of_rounds() -> None:
    cells = cells_of(["semantic", "computer-use"], ["paused", "real-time"], ["0", "8"])
    assert len(cells) == len({cell.name for cell in cells}) == 8
    suite = study(calls="ui-tars", cells=cells).suite()
    agents = {agent.name: agent for agent in suite.agents}
    assert {"skills", "random", "idle"} < set(agents)
    pointer, named = agents["computer-use-real-time-r8"], agents["semantic-paused-r0"]
    assert (pointer.settings["models.calls"], named.settings["models.calls"]) == ("ui-tars", "tools")
    assert (pointer.protocol, pointer.memory, pointer.rounds) == ("real-time", "rounds", 8)
    assert named.settings["models.grammar"] is False and named.settings["models.prompt"] == "sections"
    assert suite.limits.steps == 100
    person = study().by_person().agents
    assert [(agent.kind, agent.protocol) for agent in person] == [("person", "real-time")]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"interfaces": "semantik"}, "no interface 'semantik'"),
        ({"protocols": "pausd"}, "no protocol 'pausd'"),
        ({"rounds": "9"}, "rounds are whole numbers from 0 to 8, not 9"),
        ({"calls": "qwen"}, "no form of calls 'qwen'"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_played(
    tmp_path: Path, options: dict[str, str], problem: str
) -> None:
    usual = {"interfaces": "semantic", "protocols": "paused", "rounds": "2"}
    with pytest.raises(PitwallError, match=problem):
        gameworld(**usual | options, data=tmp_path)  # type: ignore[arg-type]
    assert not list(tmp_path.rglob("*.yaml"))


def test_the_first_rule_that_holds_labels_a_failed_run() -> None:
    left, right = SemanticAction(name="left"), SemanticAction(name="right")
    still = [replace(STEP, action=left, effect=Effect.NONE)] * 4
    moving = [replace(STEP, action=action, effect=Effect.CONFIRMED) for action in (left, right, left, right)]
    in_turn = [replace(STEP, action=action, effect=Effect.NONE) for action in (left, right, left, right)]
    failed: dict[str, Any] = {"ended": "steps", "success": False, "progress": 0.1}
    failed |= {"proposed": 20, "resets": 0}
    wrong = run(CELL, **failed | {"invalid": {"malformed": 2}})
    assert failure_mode(wrong, moving) == "instruction-following"
    assert looped(still) == 2 and looped(moving) == looped(in_turn) == 0
    assert failure_mode(run(CELL, **failed), still) == "long-horizon memory"
    assert failure_mode(run(CELL, **failed), in_turn) == "perception"
    assert failure_mode(run(CELL, **failed | {"resets": 1}), moving) == "fine-grained action"
    assert failure_mode(run(CELL, **failed), moving) == "none"
    assert failure_mode(run(CELL, ended="target", success=True), still) is None


def _result(tmp_path: Path) -> GameWorldResult:
    tiers = {"fast": {"calls": 10, "prompt_tokens": 1_000_000, "output_tokens": 100_000}}
    summary: dict[str, Any] = {"steps": 10, "tiers": tiers, "deciders": {"model": 10}}
    invalid = {"no_tool_call": 1, "malformed": 1, "out_of_space": 2}
    counts: dict[str, Any] = {"proposed": 10, "invalid": invalid}
    failed: dict[str, Any] = {"ended": "steps", "success": False, "progress": 0.5}
    runs = [
        run(CELL, genre="puzzle", level=4, steps=10, seconds=20.0, summary=summary, **counts, **failed),
        run(CELL, seed=2, genre="runner", level=2, ended="target", success=True, progress=1.0, steps=10),
        run("skills", genre="puzzle", level=4, ended="target", success=True, progress=1.0),
    ]
    played = study(price_in=2.0, price_out=10.0)
    board = SuiteProgress(state="done", done=3, of=3)
    return result_of(played, summarise("study", played.suite(), runs, board=board), tmp_path)


def test_each_cell_has_genres_levels_invalid_kinds_cost_and_labels_beside_the_paper(tmp_path: Path) -> None:
    result = _result(tmp_path)
    cell = result.cells[0]
    assert cell.overall is not None and cell.overall.success.share == 0.5
    assert cell.genres["runner"].success.share == 1.0 and set(cell.levels) == {2, 4}
    assert cell.rate() == 0.4 and cell.invalid["malformed"] == 1
    assert cell.cost is not None and cell.cost.mean == pytest.approx(3.0)
    assert cell.failures == {"instruction-following": 1}
    assert [row.progress for row in cell.paper] == [41.9, 30.6, 30.6]
    lines = list(text_lines(result, table))
    assert any(line.startswith("the paper: expert player") and "77.1" in line for line in lines)
    assert any(line.startswith(CELL) and "40 %" in line and "20 %" in line for line in lines)
    page = write_study(html_of(result), result, tmp_path)[0].read_text(encoding="utf-8")
    HTMLParser().feed(page)
    assert "UI-TARS-1.5-7B, Table 6" in page and "Different from the paper" in page
    titles = [table.title for table in sheet_of(result, "study.html").tables]
    assert titles[0] == "Success rate and progress" and "Failure modes" in titles


def test_tokens_from_a_cache_cost_their_own_price() -> None:
    tiers = {"strategic": TierFigures(prompt_tokens=1_000_000, cached_tokens=800_000, output_tokens=100_000)}
    played = run(summary=RunSummary(outcome="finished", tiers=tiers))
    assert cost_of(played, 2.0, 10.0) == pytest.approx(3.0)
    assert cost_of(played, 2.0, 10.0, 0.5) == pytest.approx(0.2 * 2 + 0.8 * 0.5 + 1.0)
    assert cost_of(played, 2.0, 10.0, 0.0) == pytest.approx(1.4)


def test_tasks_for_two_count_for_no_cell_because_no_paused_one_plays_them(tmp_path: Path) -> None:
    real_time = "semantic-real-time-r2"
    asked = study(cells=cells_of(["semantic"], ["paused", "real-time"], ["2"]))
    sides = (SideRun(role="blue", agent="a"), SideRun(role="red", agent="b"))
    runs = [
        run(CELL, progress=0.5),
        run(real_time, progress=0.5),
        run(real_time, game="carball", task="first_goal", progress=1.0, ended="target", sides=sides),
    ]
    result = result_of(asked, summarise("study", asked.suite(), runs), tmp_path)
    figures = {cell.cell: (cell.runs, cell.overall) for cell in result.cells if cell.runs}
    assert figures[CELL] == figures[real_time], "both cells played the same task equally well"
    assert "Tasks for two are in no table" in html_of(result)


def test_a_persons_row_is_of_the_studys_own_limits(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    own = study(name="s" * 60).by_person()
    assert own.name.endswith("-person"), "a long name leaves room"
    assert _by_person(own, data) is None
    SuiteFolder(data, own.name).begin(own, SuiteStart(hashes={"suite": ""}))
    assert _by_person(own, data) is not None
    assert _by_person(study(name="s" * 60, steps=50).by_person(), data) is None
