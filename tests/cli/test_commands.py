"""The commands that need no screen: what they print, and the sentences they fail with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import Settings
from pitwall.core.signals import Reason, Route, Signals, Thresholds
from pitwall.core.steps import StepRecord
from pitwall.games.check import check_game
from pitwall.store.run_log import RunLog


def _pitwall(*arguments: str, data: Path, check: int = 0) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "pitwall", *arguments],
        env={**os.environ, "PITWALL_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == check, result.stdout + result.stderr
    return result.stdout if check == 0 or "--json" in arguments else result.stderr


def _json(*arguments: str, data: Path, check: int = 0) -> Any:
    return json.loads(_pitwall(*arguments, "--json", data=data, check=check).splitlines()[-1])


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A data folder with one short run."""
    data = DataFolder(tmp_path / "data")
    with RunLog.open(data) as log:
        run_id = log.begin(
            RunManifest(
                game_id="flappy",
                game_name="Flappy",
                game_version="1",
                profile_hash="0" * 64,
                role="bird",
                planner="skills",
                seed=1,
                started_at="2026-01-02T03:04:05.000006+00:00",
                settings=Settings().model_dump(mode="json"),
                thresholds=Thresholds().model_dump(mode="json"),
                versions={},
                screen=(288, 512),
            )
        )
        for number in range(1, 7):
            log.add_step(
                run_id,
                StepRecord(
                    step=number,
                    at_ns=number * 10**9,
                    frame_id=number,
                    status=GameStatus.PLAYING,
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


def test_runs_are_listed_and_shown(recorded: Path) -> None:
    listed = _json("runs", data=recorded)
    assert [(row["run_id"], row["manifest"]["game_id"]) for row in listed] == [(1, "flappy")]
    shown = _json("runs", "1", data=recorded)
    assert [step["step"] for step in shown["steps"]] == [1, 2, 3, 4, 5, 6]
    assert "flappy" in _pitwall("runs", data=recorded)


def test_no_runs_says_how_to_make_one(tmp_path: Path) -> None:
    assert "pitwall demo" in _pitwall("runs", data=tmp_path / "new")


def test_unknown_run_is_one_sentence(recorded: Path) -> None:
    error = _json("runs", "7", data=recorded, check=1)
    assert error["error"] == "UnknownRun"
    assert "7" in error["what"]
    assert "Traceback" not in _pitwall("runs", "7", data=recorded, check=1)


def test_export_in_three_formats(recorded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    formats = ["--format", "jsonl", "--format", "csv", "--format", "sqlite"]
    result = _json("export", "1", *formats, "--out", str(out), data=recorded)
    assert {"run.jsonl", "steps.csv", "run.sqlite"} <= set(result["files"])
    assert all((out / name).is_file() for name in result["files"])
    error = _json("export", "1", "--format", "jsnl", "--out", str(tmp_path / "o2"), data=recorded, check=1)
    assert "jsonl" in error["fix"]


def test_trigger_says_what_would_differ(recorded: Path) -> None:
    same = _json("trigger", "1", data=recorded)
    assert same["recorded"]["escalated"] == 1
    assert same["would"]["reasons"] == {"requested": 1, "scene": 3}
    other = _json("trigger", "1", "--set", "scene_change=0.25", data=recorded)
    assert other["would"]["reasons"]["scene"] == 4
    error = _json("trigger", "1", "--set", "scen_change=1", data=recorded, check=1)
    assert "scene_change" in error["fix"]


def test_settings_are_listed_and_set(tmp_path: Path) -> None:
    assert _json("settings", "list", data=tmp_path)["broker"]["held_keys"] == 8
    _json("settings", "set", "broker.held_keys", "3", data=tmp_path)
    assert _json("settings", "list", data=tmp_path)["broker"]["held_keys"] == 3
    error = _json("settings", "set", "broker.heldkeys", "3", data=tmp_path, check=1)
    assert "broker.held_keys" in error["fix"]
    assert "99" in _json("settings", "set", "broker.held_keys", "99", data=tmp_path, check=1)["what"]


def test_bundled_games_pass_the_checker(project_root: Path, tmp_path: Path) -> None:
    listed = _json("games", data=tmp_path)
    assert {"flappy", "doom"} <= {entry["game_id"] for entry in listed}
    assert _json("games", "check", listed[0]["folder"], data=tmp_path)["faults"] == []
    for entry in listed:
        assert check_game(Path(entry["folder"])) == [], entry["game_id"]
    assert (project_root / "plugins" / "flappy" / "plugin.toml").is_file()


def test_every_fault_of_a_folder_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "plugin.toml").write_text(
        'schema = 1\nscren = 3\n[game]\nid = "Bad Id"\nname = "Bad"\n[screen]\nwidth = -1\nheight = 10\n'
        '[[actions]]\nname = "go"\nkeys = ["Space"]\nhold_mss = 5\n',
        encoding="utf-8",
    )
    report = _json("games", "check", str(folder), data=tmp_path, check=1)
    by_key = {fault["key"]: fault for fault in report["faults"]}
    assert {"scren", "game.id", "screen.width", "actions[1].hold_mss"} <= set(by_key)
    assert by_key["scren"]["nearest"] == "screen"
    assert by_key["actions[1].hold_mss"]["nearest"] == "hold_ms"
    assert all("plugin.toml" in fault["file"] for fault in report["faults"])


def test_unknown_game_and_unknown_benchmark_name_the_nearest(tmp_path: Path) -> None:
    assert "'flappy'" in _json("games", "show", "flapy", data=tmp_path, check=1)["fix"]


def test_an_own_game_asks_for_trust_until_it_changes(tmp_path: Path, project_root: Path) -> None:
    own = tmp_path / "games" / "mine"
    shutil.copytree(project_root / "plugins" / "doom", own)
    text = (own / "plugin.toml").read_text(encoding="utf-8")
    (own / "plugin.toml").write_text(text.replace('id = "doom"', 'id = "mine"'), encoding="utf-8")

    def trusted() -> bool:
        return bool(next(g for g in _json("games", data=tmp_path) if g["game_id"] == "mine")["trusted"])

    assert not trusted()
    _json("games", "trust", "mine", data=tmp_path)
    assert trusted()
    (own / "extra.py").write_text("print()\n", encoding="utf-8")
    assert not trusted()
