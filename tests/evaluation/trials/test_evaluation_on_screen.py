"""An evaluation as it is meant: a real game on a screen of its own, killed in mid-way, gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
COMMAND = [sys.executable, "-m", "pitwall", "gsm", "evaluate", "flappy/fly", "--version", "rules"]
QUICK = ["--runs", "2", "--cap", "0", "--json"]


class Desk:
    """A data folder, and a place for scratch by which everything that an evaluation starts is known."""

    def __init__(self, folder: Path) -> None:
        self.data, self.scratch = folder / "data", folder / "scratch"
        self.scratch.mkdir()
        self.env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
        self.env["TMPDIR"] = str(self.scratch)

    def start(self, *more: str) -> subprocess.Popen[str]:
        command = [*COMMAND, *QUICK, *more, "--data", str(self.data)]
        return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)

    def processes(self) -> list[str]:
        """Command lines of every process that was started here and still runs."""
        mark = f"TMPDIR={self.scratch}".encode()
        return [_command_of(process) for process in Path("/proc").glob("[0-9]*") if _has(process, mark)]

    def left_behind(self) -> list[str]:
        """Processes and scratch folders that stay."""
        until = time.monotonic() + 40.0
        while (left := self.processes() + [str(p) for p in self.scratch.glob("pitwall-*")]) and (
            time.monotonic() < until
        ):
            time.sleep(0.1)
        return left


def _has(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _command_of(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    assert made.left_behind() == []


def _lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_killed_in_mid_way_it_goes_on_and_nothing_stays_behind(desk: Desk) -> None:
    first = desk.start()
    assert first.stdout is not None
    told = json.loads(first.stdout.readline())
    assert (told["progress"], told["of"], told["run"]["cause"]) == (1, 2, "cap")
    while not any("pitwall run" in one.replace("-m ", "") for one in desk.processes()):
        time.sleep(0.02)  # until the second run is under way
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert desk.left_behind() == []

    out, _ = desk.start().communicate(timeout=90)
    kept, played, answer = _lines(out)
    assert kept["run"] == {**told["run"], "kept": True}, "the finished run is not played again"
    assert played["run"]["kept"] is False
    assert [run["seed"] for run in answer["runs"]] == [900_001, 900_002]
    assert answer["score"]["values"] == [0.0, 0.0]
    assert (answer["score"]["where"], answer["score"]["cap"]) == ("screen", 0.0)
    assert all(run["frames"] >= 0 and run["load"] >= 0 for run in answer["runs"])


def test_a_game_that_cannot_be_launched_is_a_result_with_its_cause(desk: Desk, tmp_path: Path) -> None:
    game = tmp_path / "broken"
    game.mkdir()
    source = Path(__file__).resolve().parents[3] / "plugins" / "flappy"
    for file in source.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            (game / file.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            (game / file.relative_to(source)).write_bytes(file.read_bytes())
    (game / "game.py").write_text("raise SystemExit('no, not today')\n", encoding="utf-8")
    data = DataFolder(desk.data)
    trust(data, Registry(data).load(str(game)))
    command = [sys.executable, "-m", "pitwall", "gsm", "evaluate", f"{game}/fly", "--runs", "1", "--json"]
    command += ["--data", str(desk.data)]
    done = subprocess.run(command, env=desk.env, capture_output=True, text=True, timeout=90)
    run, fault = _lines(done.stdout)
    assert done.returncode == 1
    assert (run["run"]["cause"], run["run"]["score"], run["progress"]) == ("failed", None, 0)
    assert "not today" in run["run"]["why"]
    assert fault["error"] == "TrialsFailed"
    assert "not today" in fault["what"]
