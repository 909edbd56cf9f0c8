"""A suite's file: every fault at once, with its line and the nearest name; what is right becomes cells."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pitwall.core.errors import Fault, SuiteError
from pitwall.core.paths import DataFolder
from pitwall_bench.suites.bounds import bounds_of
from pitwall_bench.suites.folder import task_facts
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.reading import bundled_suites, read_suite, suite_file


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def _read(text: str, data: DataFolder, folder: Path) -> Plan:
    file = folder / "suite.yaml"
    file.write_text(text, encoding="utf-8")
    return read_suite(file, data)


def _faults(text: str, data: DataFolder, folder: Path) -> list[Fault]:
    with pytest.raises(SuiteError) as caught:
        _read(text, data, folder)
    assert all(str(fault) in caught.value.what for fault in caught.value.faults)
    return list(caught.value.faults)


_WRONG = """\
name: trial
games:
  - game: flapy
  - game: flappy
    tasks: [first_pipe, first_pips]
  - game: tiles
    tasks: some
agents:
  - name: skills
  - name: skills
    kind: rand
    model: none-such
    modes: 2
  - {name: m, kind: model, settings: {control.planer: x, memory.rounds: -4}}
presets: [flappy+first_pipe, flappy+first_pipe+skils]
seeds: [1, 1]
repeats: 0
repeats: 2
limits: {again: 9}
"""


def test_every_fault_is_told_at_once_with_its_line(data: DataFolder, tmp_path: Path) -> None:
    faults = _faults(_WRONG, data, tmp_path)
    message = {(fault.line, fault.key): fault for fault in faults}
    assert message[3, "games[1].game"].nearest == "flappy"
    assert message[5, "games[2].tasks[2]"].nearest in ("first_pipe", "first_pipes")
    assert "'all'" in message[7, "games[3].tasks"].expected
    assert "twice" in message[10, "agents[2].name"].problem
    assert message[11, "agents[2].kind"].nearest == "random"
    assert "there is no model" in message[12, "agents[2].model"].problem
    assert message[13, "agents[2].modes"].nearest == "modules"
    assert message[14, "agents[3].settings.control.planer"].nearest == "control.planner"
    assert "memory.rounds" in message[14, "agents[3].settings.memory.rounds"].problem
    assert message[15, "presets[1]"].expected == "game+task+agent"
    assert message[15, "presets[2]"].nearest == "skills"
    assert "twice" in message[16, "seeds[2]"].problem
    assert "also in line 17" in message[18, "repeats"].problem
    assert "at most 5" in message[19, "limits.again"].expected
    assert [fault.line for fault in faults] == sorted(fault.line for fault in faults)


_NESTED = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("name: [1, 2\nagents: 3\n", 2, "does not parse"),
        ("- just\n- a list\n", 1, "no mapping"),
        ("", 1, "no mapping"),
        ("name: x\n\tagents: 2\n", 2, "does not parse"),
        ("a: !!python/object/apply:os.system [echo]\n", 1, "does not parse"),
        ("a: 2026-99-99\n", 0, "does not parse"),
        (_NESTED, 0, "unfolds"),
        ("[" * 500, 0, "nested too deep"),
    ],
)
def test_what_is_no_yaml_is_told_in_a_sentence(
    data: DataFolder, tmp_path: Path, text: str, line: int, said: str
) -> None:
    (fault,) = _faults(text, data, tmp_path)
    assert said in f"{fault.problem} {fault.expected}"
    assert not line or fault.line == line


def test_a_file_that_is_not_there_or_no_text(data: DataFolder, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="is not there"):
        read_suite(tmp_path / "none.yaml", data)
    (tmp_path / "bytes.yaml").write_bytes(b"name: x\nb: \xff\xfe\n")
    with pytest.raises(SuiteError, match=r"bytes\.yaml:2.*UTF-8"):
        read_suite(tmp_path / "bytes.yaml", data)
    with pytest.raises(SuiteError, match="did you mean 'smoke'"):
        suite_file("smok")


def test_cells_come_in_waves_and_each_one_once(data: DataFolder, tmp_path: Path) -> None:
    plan = _read(
        "name: t\n"
        "games: [{game: flappy, tasks: [first_pipe]}, {game: tiles, tasks: [tile_64]}]\n"
        "agents: [{name: a}, {name: b, kind: idle}]\n"
        "presets: [tiles+tile_64+a, tiles+tile_128+b]\n"
        "seeds: {first: 5, count: 2}\nrepeats: 2\n",
        data,
        tmp_path,
    )
    keys = [cell.key for cell in plan.cells(0)]
    assert keys[:5] == [
        "flappy~first_pipe~a~5~0",
        "flappy~first_pipe~b~5~0",
        "tiles~tile_64~a~5~0",
        "tiles~tile_64~b~5~0",
        "tiles~tile_128~b~5~0",
    ]
    assert len(keys) == len(set(keys)) == 10
    assert [key.replace("~0", "~1") for key in keys] == [cell.key for cell in plan.cells(1)]


@pytest.mark.parametrize("limits", ["", "steps: 7", "by_difficulty: steps", "by_difficulty: calls"])
def test_the_budget_that_is_kept_is_the_one_that_is_played(
    data: DataFolder, tmp_path: Path, limits: str
) -> None:
    plan = _read(
        f"name: t\ngames: [{{game: tiles, tasks: [tile_64]}}]\nagents: [{{name: a}}]\nlimits: {{{limits}}}\n",
        data,
        tmp_path,
    )
    (facts,) = task_facts(plan)
    bounds = bounds_of(plan.games["tiles"], plan.task("tiles", "tile_64"), plan.spec.limits)
    assert facts.steps == bounds.steps


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links for administrators alone")
def test_a_games_folder_is_found_beside_the_file(
    data: DataFolder, tmp_path: Path, project_root: Path
) -> None:
    (tmp_path / "mine").symlink_to(project_root / "plugins" / "flappy", target_is_directory=True)
    plan = _read("name: t\ngames: [{game: ./mine}]\nagents: [{name: a}]\n", data, tmp_path)
    assert plan.wanted == {"flappy": str((tmp_path / "mine").resolve())}
    assert {cell.game for cell in plan.cells(0)} == {"flappy"}
    assert len(plan.cells(0)) == len(plan.games["flappy"].profile.tasks)


def test_what_changes_results_changes_the_hash_and_nothing_else_does(
    data: DataFolder, tmp_path: Path
) -> None:
    text = "name: t\ngames: [{game: flappy, tasks: [first_pipe]}]\nagents: [{name: a}]\n"
    same = _read(text, data, tmp_path).hashes()
    assert (
        _read(f"{text}parallel: 4\ndescription: words\nlimits: {{again: 3}}\n", data, tmp_path).hashes()
        == same
    )
    other = _read(f"{text}limits: {{seconds: 3}}\n", data, tmp_path).hashes()
    assert {name for name in same if same[name] != other[name]} == {"limits", "suite"}


def test_a_name_with_a_star_stands_for_the_games_it_fits(data: DataFolder, tmp_path: Path) -> None:
    text = "name: t\nagents: [{name: a}]\ngames:\n- {game: 'sn*'}\n- {game: 'm*', tasks: [first_maze]}\n"
    plan = _read(text, data, tmp_path)
    assert {game.game: game.tasks for game in plan.spec.games} == {
        "snake": [task.id for task in plan.games["snake"].profile.tasks],
        "maze": ["first_maze"],  # mines has no such task
    }


def test_a_star_that_fits_nothing_says_what_to_install(data: DataFolder, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"no game fits 'gym-ale-\*'.*installer/extra gym"):
        _read("name: t\nagents: [{name: a}]\ngames: [{game: gym-ale-*}]\n", data, tmp_path)


@pytest.mark.parametrize("name", ["atari-12", "atari-all", "balrog-babyai", "minigrid", "miniwob"])
def test_suites_of_environments_lack_nothing_but_the_environments(data: DataFolder, name: str) -> None:
    with pytest.raises(SuiteError) as message:
        read_suite(bundled_suites()[name], data)
    assert all("installer/extra gym" in fault.expected for fault in message.value.faults)
    lacking = {"atari-12": 12, "atari-all": 1, "balrog-babyai": 5, "minigrid": 40, "miniwob": 60}
    assert len(message.value.faults) == lacking[name]


@pytest.mark.parametrize(
    "name", ["smoke", "full", "floor", "everything", "ladder", "memory-rounds", "balrog-crafter"]
)
def test_bundled_suites_are_without_fault(data: DataFolder, name: str) -> None:
    try:
        plan = read_suite(bundled_suites()[name], data)
    except SuiteError as error:
        assert name == "memory-rounds", "a model is all that may be missing here"
        assert {fault.key.split(".")[1] for fault in error.faults} == {"kind"}
        return
    if name == "smoke":
        assert len(plan.games) >= 12
        assert len(plan.cells(0)) >= 12
