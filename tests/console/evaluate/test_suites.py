"""What the page reads of suites' folders: half lines, what grew, states, files; and the figures of it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.console.evaluate.suite_folders import hold, many_runs, playing_board, spec, task_run, write_suite

from pitwall.console.evaluate.editor.yaml_edit import (
    checked,
    count_runs,
    keys_of,
    seeds_said,
    seeds_text,
    with_key,
)
from pitwall.console.evaluate.figures import agents_of, grouped
from pitwall.console.evaluate.format import notes, progress_words, score_words
from pitwall.console.evaluate.own_suites import OwnSuites
from pitwall.console.evaluate.results.comparison import ComparisonSide, on_common_tasks, pairs_of
from pitwall.console.evaluate.results.cost_plot import CostPoint, front
from pitwall.console.evaluate.results.overview import heat_of, levels_of
from pitwall.console.evaluate.suites import SuiteCatalogue, SuiteRepository, spec_of
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.suites.comparison import compared
from pitwall.suites.plan import Plan
from pitwall.suites.results import RESULTS_FILE, SuiteProgress
from pitwall.suites.statistics import rows_by


def _read(data: DataFolder) -> SuiteCatalogue:
    return SuiteRepository(data).read()


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = write_suite(data, "one", [task_run(seed=1)])
    late = task_run(seed=2).model_dump_json().encode() + b"\n"
    shelf = SuiteRepository(data)
    assert len(shelf.read().runs[0].runs) == 1
    with (folder / RESULTS_FILE).open("ab") as file:
        file.write(late[:100])
    assert len(shelf.read().runs[0].runs) == 1
    with (folder / RESULTS_FILE).open("ab") as file:
        file.write(late[100:])
    (run,) = shelf.read().runs
    assert [one.cell.seed for one in run.runs] == [1, 2]
    assert run.unread == 0


def test_a_run_played_anew_counts_once_and_broken_lines_are_counted(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = write_suite(data, "one", [task_run(ended="launch", progress=None)])
    with (folder / RESULTS_FILE).open("a") as file:
        file.write("no json\n\n" + task_run(success=True).model_dump_json() + "\n")
    (run,) = _read(data).runs
    assert [one.success for one in run.runs] == [True]
    assert run.unread == 1


def test_results_that_were_written_anew_are_read_anew(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_suite(data, "one", many_runs()[:20])
    shelf = SuiteRepository(data)
    assert len(shelf.read().runs[0].runs) == 20
    write_suite(data, "one", [task_run()])
    assert len(shelf.read().runs[0].runs) == 1


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


def test_folders_files_and_what_is_neither(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    assert _read(data).runs == ()
    write_suite(data, "old", [task_run()])
    (data.suites / "stray").mkdir()
    (data.suites / "mine.yaml").write_text("name: mine\ndescription: two\n  lines\n", encoding="utf-8")
    (data.suites / "broken.yaml").write_text("name: [", encoding="utf-8")
    (data.suites / ".hidden.yaml").write_text("name: hidden", encoding="utf-8")
    read = _read(data)
    assert [run.key for run in read.runs] == ["old"]
    own = {file.name: file for file in read.files if file.source == "own"}
    assert set(own) == {"mine", "broken"}
    assert own["mine"].description == "two lines"
    assert own["broken"].fault
    bundled = {file.path for file in read.files if file.source == "bundled"}
    assert bundled == set((resources_dir() / "suites").glob("*.yaml"))


def test_a_spec_with_strange_keys_is_still_read() -> None:
    found = spec_of("name: one\nagents: [{name: a}]\ngames: [{game: flappy}]\nadded_later: 3\n")
    assert found is not None
    assert found.agents[0].name == "a"
    assert spec_of("name: [") is None
    assert spec_of("- list") is None


# ---- figures


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
    assert [one.name for one in front(points)] == ["cheap", "good", "as good"]


def test_scores_are_said_with_target_and_unit() -> None:
    assert score_words(12.0, 20.0, "pipes") == "12 of 20 pipes"
    assert score_words(0.25, None, "") == "0.25"
    assert score_words(None, 20.0, "pipes") == "–"


def test_the_same_runs_under_two_names_are_inside_the_noise() -> None:
    runs = [run for run in many_runs() if run.cell.agent == "skills"]
    (one,) = compared([("a", runs, "b", runs)])
    assert not one.differs
    assert "inside the noise" in one.verdict


# ---- the text


_TEXT = """# about it
schema: 1
name: one   # its name
games:
  - game: flappy
    tasks: all

# who plays
agents:
- name: a
seeds: [1, 2]
"""


def test_one_key_changes_and_the_rest_stays() -> None:
    text = with_key(_TEXT, "games", [{"game": "tiles", "tasks": ["score_200"]}])
    assert keys_of(text) == {
        "schema": 1,
        "name": "one",
        "games": [{"game": "tiles", "tasks": ["score_200"]}],
        "agents": [{"name": "a"}],
        "seeds": [1, 2],
    }
    assert "# about it" in text
    assert "\n\n# who plays\nagents:\n- name: a\n" in text
    assert keys_of(with_key(text, "seeds", {"first": 3, "count": 4}))["seeds"] == {"first": 3, "count": 4}  # type: ignore[index]
    assert "repeats: 3" in with_key(text, "repeats", 3)
    assert "agents" not in (keys_of(with_key(text, "agents", None)) or {})


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("1, 2,5", [1, 2, 5]),
        ("4", [4]),
        ("1 … 20", {"first": 1, "count": 20}),
        ("3-5", {"first": 3, "count": 3}),
        ("5-3", None),
        ("one", None),
        ("", None),
    ],
)
def test_seeds_as_they_are_written(text: str, seeds: object) -> None:
    assert seeds_said(text) == seeds
    if seeds is not None:
        assert seeds_said(seeds_text(seeds)) == seeds


def test_a_text_is_a_plan_or_its_faults(tmp_path: Path) -> None:
    data, file = DataFolder(tmp_path), tmp_path / "one.yaml"
    plan = checked("name: one\nagents: [{name: a}]\ngames: [{game: flappy}]\nseeds: [1, 2]\n", file, data)
    assert isinstance(plan, Plan)
    assert count_runs(plan) == 2 * len(plan.games["flappy"].profile.tasks)
    faults = checked("name: one\nagents: [{name: a, kid: idle}]\ngames: [{game: flapy}]\n", file, data)
    assert isinstance(faults, tuple)
    assert {(fault.line, fault.nearest) for fault in faults} >= {(2, "kind"), (3, "flappy")}
    broken = checked("name: [", file, data)
    assert isinstance(broken, tuple)
    assert broken


def test_own_suites_never_write_over_another(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    own = OwnSuites(data)
    first, second = own.add("name: mine\n"), own.add("name: mine\n")
    assert (first.name, second.name) == ("mine.yaml", "mine-2.yaml")
    assert keys_of(second.read_text(encoding="utf-8")) == {"name": "mine-2"}
    bundled = next(file for file in _read(data).files if file.source == "bundled")
    path, text = own.save(bundled, own.text_of(bundled.path))
    assert path.parent == data.suites
    assert path.stem != bundled.path.stem
    assert (keys_of(text) or {})["name"] == path.stem
    mine = next(file for file in _read(data).files if file.path == first)
    assert own.save(mine, "name: other\n") == (first, "name: other\n")


def test_a_board_without_results_yet(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_suite(
        data, "one", [], board=SuiteProgress(state="stopped", of=4, why="Stopped."), asked=spec("named")
    )
    (run,) = _read(data).runs
    assert (run.name, run.state, run.done, run.of) == ("named", "stopped", 0, 4)


def test_only_tasks_that_both_sides_played_are_compared() -> None:
    mine = [task_run("maze", "reach"), task_run("maze", "far"), task_run("tiles", "reach")]
    theirs = [task_run("maze", "reach"), task_run("tiles", "far")]
    a, b = on_common_tasks(ComparisonSide("a", mine), ComparisonSide("b", theirs))
    assert [run.cell.task for run in (*a.runs, *b.runs)] == ["reach", "reach"]
    assert [
        pair.name for pair in pairs_of(ComparisonSide("a", mine), ComparisonSide("b", theirs), "success")
    ] == ["maze"]
