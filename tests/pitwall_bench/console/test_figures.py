"""Figures of the Evaluate page: groups, heat map, levels, front, pairs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.pitwall_bench.console.suite_folders import (
    duel,
    hold,
    many_runs,
    playing_board,
    task_run,
    write_suite,
)

from pitwall.core.paths import DataFolder
from pitwall_bench.console.figures import agents_of, grouped
from pitwall_bench.console.format import notes, progress_words, score_words
from pitwall_bench.console.results.comparison import ComparisonSide, on_common_tasks, pairs_of
from pitwall_bench.console.results.cost_plot import CostPoint, front
from pitwall_bench.console.results.overview import heat_of, levels_of
from pitwall_bench.console.results.table import PROGRESS, SIDES
from pitwall_bench.suites.catalogue import SuiteCatalogue, SuiteRepository
from pitwall_bench.suites.report.csv_tables import runs_csv
from pitwall_bench.suites.statistics import rows_by


def _read(data: DataFolder) -> SuiteCatalogue:
    return SuiteRepository(data).read()


def test_groups_say_what_the_statistics_say() -> None:
    runs = many_runs()
    groups = {group.key: group for group in grouped(runs, "agent")}
    rows = {row.agent: row for row in rows_by(runs, "agent")}
    assert set(groups) == set(rows)
    for name, row in rows.items():
        group = groups[name]
        assert row.success is not None
        assert row.progress is not None
        assert group.success.hits == row.success.wins
        assert (group.success.low, group.success.high) == (row.success.exact_low, row.success.exact_high)
        assert (group.progress.low, group.progress.high) == (row.progress.low, row.progress.high)
        assert group.row.iar == row.iar
    assert "4 not played: did not start 4" in notes(groups["planner"])
    tasks = {(row.agent, row.game, row.task): row.success for row in rows_by(runs, "agent", "game", "task")}
    for cell in grouped(runs, "cell"):
        success = tasks[cell.agent, cell.game, cell.task]
        assert success is not None
        assert (cell.success.low, cell.success.high) == (success.low, success.high), "one task: Wilson's"


def test_a_single_run_has_no_interval_of_progress() -> None:
    (group,) = grouped([task_run(progress=0.5)], "agent")
    assert group.progress.value == 0.5 and math.isnan(group.progress.low) and math.isnan(group.progress.high)
    assert math.isfinite(group.success.low), "a share of one run has Wilson's"
    assert "–" in PROGRESS.text(group) or "—" in PROGRESS.text(group)


def test_a_row_of_a_duel_says_who_played_each_side_and_the_mean_of_its_scores() -> None:
    (row,) = grouped([duel(3, 1), duel(0, 2, seed=2)], "cell")
    assert SIDES.text(row) == "Blue skills 1.5 : 1.5 random Red"
    other = duel(3, 1, seed=3)
    other = other.model_copy(update={"sides": other.sides[::-1]})
    (row,) = grouped([duel(3, 1), other], "cell")
    assert SIDES.text(row) == "skills", "unlike sides have no common mean"
    csv = runs_csv([duel(3, 1)])
    assert '""role"": ""red"", ""agent"": ""random"", ""score"": 1.0, ""steps"": 64' in csv


@pytest.mark.parametrize("measure", ["success", "progress"])
def test_each_cell_of_the_heat_map_is_the_statistics_figure(measure: str) -> None:
    runs = many_runs()
    agents = agents_of(runs, ["random", "planner"])
    assert agents[:2] == ["random", "planner"]
    heat, table = heat_of(runs, agents, measure)
    rows = {(row.game, row.agent): row for row in rows_by(runs, "agent", "game")}
    compared_cells = 0
    for (game, _), line in zip(heat.games, heat.cells, strict=True):
        for agent, cell in zip(heat.agents, line, strict=True):
            row = rows[game, agent]
            assert row.success is not None
            assert row.progress is not None
            assert cell.share == (row.success.share if measure == "success" else row.progress.mean)
            compared_cells += 1
    assert compared_cells == len(rows) == len(table)
    levels = [int(note[1]) for _, note in heat.games]
    assert levels == sorted(levels)


def test_levels_that_nobody_played_have_no_point() -> None:
    runs = [run for run in many_runs() if run.level != 3]
    lines, rows = levels_of(runs, agents_of(runs), "success")
    assert all(math.isnan(line.shares[2]) for line in lines)
    assert all(math.isfinite(line.shares[0]) for line in lines)
    assert len(rows) == 4 * len(lines)


def test_a_climbs_runs_say_nothing_about_a_share() -> None:
    rung = task_run(seed=9)
    rung = rung.model_copy(update={"cell": rung.cell.model_copy(update={"rung": 0})})
    assert agents_of([rung]) == []
    assert len(grouped([rung, task_run()], "cell")[0].runs) == 1
    assert len(grouped([rung, task_run()], "run")) == 2


def _point(name: str, cost: float, share: float) -> CostPoint:
    return CostPoint(name, 1, cost, share, share, share)


def test_the_front_holds_what_no_other_beats() -> None:
    points = [
        _point("cheap", 1, 0.2),
        _point("beaten", 2, 0.1),
        _point("good", 5, 0.8),
        _point("as good", 5, 0.8),
        _point("dear", 9, 0.8),
        _point("unknown", math.nan, 1.0),
    ]
    assert [item.name for item in front(points)] == ["cheap", "good", "as good"]


def test_scores_are_said_with_target_and_unit() -> None:
    assert score_words(12.0, 20.0, "pipes") == "12 of 20 pipes"
    assert score_words(0.25, None, "") == "0.25"
    assert score_words(None, 20.0, "pipes") == "–"


def test_only_tasks_that_both_sides_played_are_compared() -> None:
    mine = [task_run("maze", "reach"), task_run("maze", "far"), task_run("tiles", "reach")]
    theirs = [task_run("maze", "reach"), task_run("tiles", "far")]
    a, b = on_common_tasks(ComparisonSide("a", mine), ComparisonSide("b", theirs))
    assert [run.cell.task for run in (*a.runs, *b.runs)] == ["reach", "reach"]
    assert [
        pair.name for pair in pairs_of(ComparisonSide("a", mine), ComparisonSide("b", theirs), "success")
    ] == ["maze"]


def test_a_suite_plays_only_while_its_runner_lives(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = write_suite(data, "one", [task_run()])
    write_suite(data, "one", [task_run()], board=playing_board(folder, 1, 4))
    (run,) = _read(data).runs
    assert (run.state, run.live) == ("broken off", False)
    assert "gone" in run.why
    with hold(folder):
        (run,) = _read(data).runs
        assert (run.state, run.of, run.done) == ("playing", 4, 1)
        assert progress_words(run) == "1 of 4 runs · 7:02 min left"
