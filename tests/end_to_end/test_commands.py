"""The commands a newcomer types: doctor, demo, run, runs, export; with and without a screen."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import Ran, pitwall
from tests.patience import patient

from pitwall.core.paths import DataFolder
from pitwall.games.launcher import search_path
from pitwall.store.run_reader import RunReader

_DEMO_KEYS = {
    "run_id",
    "game",
    "score",
    "steps",
    "frames",
    "dropped_frames",
    "planner",
    "model_calls",
    "tiers",
    "proposed_actions",
    "invalid_actions",
    "invalid_action_rate",
    "escalations",
    "routes",
    "refusals",
    "reaction_ms",
    "leak_pixels",
    "leak_cause",
    "keys_down_at_end",
    "export",
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[DataFolder, Ran]:
    """A short demo of Flappy without a screen, and the data folder it was recorded in."""
    data = patient(DataFolder(tmp_path_factory.mktemp("demo") / "data"))
    words = ("demo", "--game", "flappy", "--seconds", "6", "--json")
    return data, pitwall(*words, data=data, DISPLAY=None, WAYLAND_DISPLAY=None)


def _demo(ran: Ran) -> dict[str, Any]:
    """The demo's last line, with what holds for every game checked."""
    assert ran.status == 0, ran.err
    text = ran.answer
    assert isinstance(text, dict)
    assert set(text) >= _DEMO_KEYS
    assert set(text["routes"]) == {"strategic", "reactive", "reflex"}
    assert {"p50", "p95"} <= set(text["reaction_ms"])
    assert (text["leak_pixels"], text["leak_cause"]) == (0, "")
    assert text["keys_down_at_end"] == 0
    assert text["frames"] > 0
    assert text["steps"] == sum(text["routes"].values())
    assert all(Path(file).is_file() for file in text["export"])
    return text


def test_flappy_is_played_without_a_screen(played: tuple[DataFolder, Ran]) -> None:
    text = _demo(played[1])
    assert text["game"] == "flappy"
    assert text["score"] >= 1
    assert text["routes"]["reflex"] > 0
    assert text["outcome"] == "finished"
    assert (text["planner"], text["model_calls"], text["invalid_actions"]) == ("skills", 0, 0)
    assert text["seconds"] >= 5


@pytest.mark.parametrize(
    ("number", "outcome"), [(None, "stopped"), (signal.SIGTERM, "stopped"), (signal.SIGINT, "emergency")]
)
def test_who_ends_a_run_stops_it_and_a_persons_ctrl_c_is_an_emergency(
    number: signal.Signals | None, outcome: str, tmp_path: Path
) -> None:
    if number is not None and sys.platform == "win32":
        pytest.skip("Windows ends no program by a signal")
    data = patient(DataFolder(tmp_path / "data"))
    words = ("run", "--game", "flappy", "--json", "--follow", "--until-input-ends", "--data", str(data.root))
    away = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    with subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **away},
    ) as play:
        assert play.stdin is not None
        assert play.stdout is not None
        assert any(b'"step_note"' in line for line in play.stdout), "it ended before its first step"
        if number is None:
            play.stdin.close()
        else:
            play.send_signal(number)
        *_, last = play.stdout
    assert play.returncode == 0
    assert json.loads(last)["summary"]["outcome"] == outcome
    assert [run.summary.outcome for run in RunReader.open(data).runs()] == [outcome]


@pytest.mark.long
def test_doom_is_played_without_a_screen(tmp_path: Path) -> None:
    if shutil.which("chocolate-doom", path=search_path()) is None:
        pytest.skip("chocolate-doom is not installed")
    data = patient(DataFolder(tmp_path / "data"))
    words = ("demo", "--game", "doom", "--seconds", "5", "--json")
    text = _demo(pitwall(*words, data=data, DISPLAY=None, WAYLAND_DISPLAY=None))
    assert text["score"] is None
    assert text["steps"] >= 3
    assert text["events_sent"] > 0


def test_the_runs_are_listed_and_shown(played: tuple[DataFolder, Ran]) -> None:
    data, ran = played
    listed = pitwall("runs", "--json", data=data)
    assert listed.status == 0
    assert [(row["run_id"], row["manifest"]["game_id"], row["finished"]) for row in listed.answer] == [
        (ran.answer["run_id"], "flappy", True)
    ]
    shown = pitwall("runs", str(ran.answer["run_id"]), "--limit", "1000", "--json", data=data)
    steps = shown.answer["steps"]
    assert [step["step"] for step in steps] == list(range(1, ran.answer["steps"] + 1))
    assert {"signals", "reasons", "route", "why", "action", "sent", "effect", "timings"} <= set(steps[0])
    missing = pitwall("runs", "77", data=data)
    assert missing.status == 1
    assert "77" in missing.err


def test_a_run_is_exported_in_three_formats(played: tuple[DataFolder, Ran], tmp_path: Path) -> None:
    data, ran = played
    out = tmp_path / "out"
    words = ["export", str(ran.answer["run_id"]), "--out", str(out), "--json"]
    for kind in ("jsonl", "csv", "sqlite"):
        words += ["--format", kind]
    exported = pitwall(*words, data=data)
    assert exported.status == 0, exported.err
    files: dict[str, str] = exported.answer["files"]
    for name, digest in files.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    lines = [
        json.loads(line)
        for name in files
        if name.endswith(".jsonl")
        for line in (out / name).read_text(encoding="utf-8").splitlines()
    ]
    steps = ran.answer["steps"]
    assert {(line["v"], line["run_id"]) for line in lines} == {(1, ran.answer["run_id"])}
    assert [line["step"] for line in lines if line["type"] == "step"] == list(range(1, steps + 1))
    assert any(name.endswith(".csv") for name in files)
    texts = [(out / name).read_text(encoding="utf-8") for name in files if name.endswith(".csv")]
    assert steps + 1 in [len(list(csv.reader(io.StringIO(text)))) for text in texts]
    name = next(name for name in files if name.endswith(".sqlite"))
    database = sqlite3.connect(f"file:{out / name}?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM steps").fetchone() == (steps,)
    finally:
        database.close()
    again = pitwall(*words, data=data)
    assert again.status == 1
    assert "--force" in again.err + again.out, "files that are there are not overwritten unasked"


def test_the_doctor_on_a_virtual_screen(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    message = tmp_path / "report.txt"
    words = ("doctor", "--json", "--report", str(message))
    ran = pitwall(*words, data=data, DISPLAY=None, WAYLAND_DISPLAY=None)
    assert "anti-cheat" in message.read_text(encoding="utf-8")
    assert str(tmp_path) not in message.read_text(encoding="utf-8")
    findings = {finding["name"]: finding for finding in ran.answer["findings"]}
    assert ran.status == 0, [finding for finding in findings.values() if not finding["passed"]]
    assert ran.answer["passed"] is True
    for name in ("capture", "leak", "input", "stop", "display", "data folder", "embedder", "game flappy"):
        assert findings[name]["passed"], findings[name]
    assert "ms" in findings["stop"]["text"]
    assert "of its own here: they were made" in findings["own keyboard"]["text"]
    assert "own keyboard" in findings["input"]["text"]


def test_a_run_in_which_nothing_was_played_is_no_success(tmp_path: Path) -> None:
    data = patient(DataFolder(tmp_path / "data"))
    words = ("run", "--game", "flappy", "--person", "--seconds", "1", "--json")
    ran = pitwall(*words, data=data, DISPLAY=None, WAYLAND_DISPLAY=None)
    assert ran.status == 1
    assert ran.answer["error"] == "PlayFailed"
    assert "run 1 ended after" in ran.answer["what"]
    assert "without a step" in ran.answer["what"]
