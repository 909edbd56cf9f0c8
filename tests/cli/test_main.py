"""The commands that need no screen: what they print, and the sentences they fail with."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.cli.main import main
from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import Settings
from pitwall.core.signals import Reason, Route, Signals, Thresholds
from pitwall.games.checks.folder import check_game
from pitwall.store.run_log import RunLog

Pitwall = Callable[..., str]
Answers = Callable[..., Any]


@pytest.fixture
def pitwall(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pitwall:
    """Runs a command on a data folder; gives what it said, where it failed what it complained of."""

    def run(*words: str, data: Path, check: int = 0) -> str:
        monkeypatch.setenv("PITWALL_DATA", str(data))
        monkeypatch.setattr("sys.argv", ["pitwall", *words])
        status = main()
        printed = capsys.readouterr()
        assert status == check, printed.out + printed.err
        return printed.out if check == 0 or "--json" in words else printed.err

    return run


@pytest.fixture
def answers(pitwall: Pitwall) -> Answers:
    """Runs a command with --json; its last line."""

    def run(*words: str, data: Path, check: int = 0) -> Any:
        return json.loads(pitwall(*words, "--json", data=data, check=check).splitlines()[-1])

    return run


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A data folder with one short run."""
    data = DataFolder(tmp_path / "data")
    with RunLog.open(data) as log:
        run_id = log.begin(
            run_manifest(
                role="bird",
                settings=Settings().model_dump(mode="json"),
                thresholds=Thresholds().model_dump(mode="json"),
            )
        )
        for number in range(1, 7):
            log.add_step(
                run_id,
                step_record(
                    number,
                    at_ns=number * 10**9,
                    route=Route.STRATEGIC if number == 1 else Route.REACTIVE,
                    reasons=(Reason.REQUESTED,) if number == 1 else (),
                    why="because",
                    signals=Signals(change=0.1 * number, progress=number),
                    action=SemanticAction(name="flap"),
                    effect=Effect.CONFIRMED,
                ),
            )
        log.finish(run_id, RunSummary(outcome="finished", seconds=6.0, steps=6))
    return data.root


def test_runs_are_listed_and_shown(pitwall: Pitwall, answers: Answers, recorded: Path) -> None:
    listed = answers("runs", data=recorded)
    assert [(row["run_id"], row["manifest"]["game_id"]) for row in listed] == [(1, "flappy")]
    shown = answers("runs", "1", data=recorded)
    assert [step["step"] for step in shown["steps"]] == [1, 2, 3, 4, 5, 6]
    assert "flappy" in pitwall("runs", data=recorded)


def test_no_runs_says_how_to_make_one(pitwall: Pitwall, tmp_path: Path) -> None:
    assert "pitwall demo" in pitwall("runs", data=tmp_path / "new")


def test_unknown_run_is_one_sentence(pitwall: Pitwall, answers: Answers, recorded: Path) -> None:
    error = answers("runs", "7", data=recorded, check=1)
    assert error["error"] == "UnknownRun"
    assert "7" in error["what"]
    assert "Traceback" not in pitwall("runs", "7", data=recorded, check=1)


def test_export_in_three_formats(answers: Answers, recorded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    formats = ["--format", "jsonl", "--format", "csv", "--format", "sqlite"]
    result = answers("export", "1", *formats, "--out", str(out), data=recorded)
    assert {"run.jsonl", "steps.csv", "run.sqlite"} <= set(result["files"])
    assert all((out / name).is_file() for name in result["files"])
    error = answers("export", "1", "--format", "jsnl", "--out", str(tmp_path / "o2"), data=recorded, check=1)
    assert "jsonl" in error["fix"]


def test_trigger_says_what_would_differ(answers: Answers, recorded: Path) -> None:
    same = answers("trigger", "1", data=recorded)
    assert same["recorded"]["escalated"] == 1
    assert same["would"]["reasons"] == {"requested": 1, "scene": 3}
    other = answers("trigger", "1", "--set", "scene_change=0.25", data=recorded)
    assert other["would"]["reasons"]["scene"] == 4
    error = answers("trigger", "1", "--set", "scen_change=1", data=recorded, check=1)
    assert "scene_change" in error["fix"]


def test_settings_are_listed_and_set(answers: Answers, tmp_path: Path) -> None:
    assert answers("settings", "list", data=tmp_path)["broker"]["held_keys"] == 8
    answers("settings", "set", "broker.held_keys", "3", data=tmp_path)
    assert answers("settings", "list", data=tmp_path)["broker"]["held_keys"] == 3
    error = answers("settings", "set", "broker.heldkeys", "3", data=tmp_path, check=1)
    assert "broker.held_keys" in error["fix"]
    for name, value, expected in (
        ("broker.held_keys", "99", "broker.held_keys: found 99; expected at most 12."),
        ("broker.own_seat", "maybe", "broker.own_seat: found 'maybe'; expected true or false."),
        ("console.last_game", "n\udcff", "console.last_game: it holds characters that are no Unicode."),
    ):
        assert answers("settings", "set", name, value, data=tmp_path, check=1)["what"] == expected


def test_bundled_games_pass_the_checker(answers: Answers, project_root: Path, tmp_path: Path) -> None:
    listed = answers("games", data=tmp_path)
    assert {"flappy", "doom"} <= {entry["game_id"] for entry in listed}
    assert answers("games", "check", listed[0]["folder"], data=tmp_path)["faults"] == []
    for entry in listed:
        assert check_game(Path(entry["folder"])) == [], entry["game_id"]
    assert (project_root / "plugins" / "flappy" / "plugin.toml").is_file()


def test_every_fault_of_a_folder_at_once(answers: Answers, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "plugin.toml").write_text(
        'schema = 1\nscren = 3\n[game]\nid = "Bad Id"\nname = "Bad"\n[screen]\nwidth = -1\nheight = 10\n'
        '[[actions]]\nname = "go"\nkeys = ["Space"]\nhold_mss = 5\n',
        encoding="utf-8",
    )
    report = answers("games", "check", str(folder), data=tmp_path, check=1)
    by_key = {fault["key"]: fault for fault in report["faults"]}
    assert {"scren", "game.id", "screen.width", "actions[1].hold_mss"} <= set(by_key)
    assert by_key["scren"]["nearest"] == "screen"
    assert by_key["actions[1].hold_mss"]["nearest"] == "hold_ms"
    assert all("plugin.toml" in fault["file"] for fault in report["faults"])


def test_unknown_game_and_unknown_benchmark_name_the_nearest(answers: Answers, tmp_path: Path) -> None:
    assert "'flappy'" in answers("games", "show", "flapy", data=tmp_path, check=1)["fix"]


def test_an_own_game_asks_for_trust_until_it_changes(
    answers: Answers, tmp_path: Path, project_root: Path
) -> None:
    own = tmp_path / "games" / "mine"
    shutil.copytree(project_root / "plugins" / "doom", own)
    text = (own / "plugin.toml").read_text(encoding="utf-8")
    (own / "plugin.toml").write_text(text.replace('id = "doom"', 'id = "mine"'), encoding="utf-8")

    def trusted() -> bool:
        return bool(next(g for g in answers("games", data=tmp_path) if g["game_id"] == "mine")["trusted"])

    assert not trusted()
    answers("games", "trust", "mine", data=tmp_path)
    assert trusted()
    (own / "extra.py").write_text("print()\n", encoding="utf-8")
    assert not trusted()
