"""Suites of the data folder: results as they grow, files, own suites, one key of the text changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pitwall_bench.console.suite_folders import many_runs, spec, task_run, write_suite

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, resources_dir
from pitwall_bench.suites import own_suites as study_suite
from pitwall_bench.suites.catalogue import SuiteCatalogue, SuiteRepository, spec_of
from pitwall_bench.suites.comparison import compared
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.own_suites import OwnSuites
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import RESULTS_FILE, SuiteProgress
from pitwall_bench.suites.summary import summary_of
from pitwall_bench.suites.yaml_edit import (
    checked,
    count_runs,
    parse_seeds,
    seeds_text,
    with_key,
)
from pitwall_bench.suites.yaml_text import keys_of, text_of


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
    assert [item.cell.seed for item in run.runs] == [1, 2]
    assert run.unread == 0


def test_a_run_played_anew_counts_once_and_broken_lines_are_counted(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = write_suite(data, "one", [task_run(ended="launch", progress=None)])
    with (folder / RESULTS_FILE).open("a") as file:
        file.write("no json\n\n" + task_run(success=True).model_dump_json() + "\n")
    (run,) = _read(data).runs
    assert [item.success for item in run.runs] == [True]
    assert run.unread == 1
    (warning,) = summary_of(SuiteFolder(data, "one")).warnings
    assert warning.startswith("1 line of results.jsonl cannot be read")


def test_results_that_were_written_anew_are_read_anew(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_suite(data, "one", many_runs()[:20])
    shelf = SuiteRepository(data)
    assert len(shelf.read().runs[0].runs) == 20
    write_suite(data, "one", [task_run()])
    assert len(shelf.read().runs[0].runs) == 1


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
    result = spec_of("name: one\nagents: [{name: a}]\ngames: [{game: flappy}]\nadded_later: 3\n")
    assert result is not None
    assert result.agents[0].name == "a"
    assert spec_of("name: [") is None
    assert spec_of("- list") is None


def test_the_same_runs_under_two_names_are_inside_the_noise() -> None:
    runs = [run for run in many_runs() if run.cell.agent == "skills"]
    (item,) = compared([("a", runs, "b", runs)])
    assert not item.differs
    assert "inside the noise" in item.verdict


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
    assert parse_seeds(text) == seeds
    if seeds is not None:
        assert parse_seeds(seeds_text(seeds)) == seeds


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


def test_a_text_with_the_line_ends_of_windows_reads_as_the_editor_shows_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(b"name: mine\r\nseeds: [1]\r\n\xff")
    assert text_of(file) == "name: mine\nseeds: [1]\n\ufffd"


def test_own_suites_never_write_over_another(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    own = OwnSuites(data)
    first, second = own.add("name: mine\n"), own.add("name: mine\n")
    assert (first.name, second.name) == ("mine.yaml", "mine-2.yaml")
    assert keys_of(second.read_text(encoding="utf-8")) == {"name": "mine-2"}
    bundled = next(file for file in _read(data).files if file.source == "bundled")
    path, text = own.save(bundled, text_of(bundled.path))
    assert path.parent == data.suites
    assert path.stem != bundled.path.stem
    assert (keys_of(text) or {})["name"] == path.stem
    mine = next(file for file in _read(data).files if file.path == first)
    assert own.save(mine, "name: other\n") == (first, "name: other\n")


def test_a_study_never_writes_over_a_suite_of_the_operators(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    file = study_suite.write_suite(spec("study-a"), data)
    longer = spec("study-a").model_copy(update={"repeats": 7})
    assert study_suite.write_suite(longer, data) == file and "repeats: 7" in file.read_text("utf-8")
    mine = OwnSuites(data).add("name: mine\n")
    file.write_text(f"{file.read_text('utf-8')}# my own note\n", encoding="utf-8")
    for name, own in (("mine", mine), ("study-a", file)):
        before = own.read_text("utf-8")
        with pytest.raises(PitwallError, match=r"is your own.*--as"):
            study_suite.write_suite(spec(name), data)
        assert own.read_text("utf-8") == before


def test_a_board_without_results_yet(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    write_suite(
        data, "one", [], board=SuiteProgress(state="stopped", of=4, why="Stopped."), asked=spec("named")
    )
    (run,) = _read(data).runs
    assert (run.name, run.state, run.done, run.of) == ("named", "stopped", 0, 4)
