"""A suite as it is meant: real games on screens of their own, its runner killed in mid-way, gone on with."""

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
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
_SUITE = """\
schema: 1
name: short
games: [{game: flappy, tasks: [first_pipe]}]
agents: [{name: nobody, kind: idle}]
seeds: [1, 2]
limits: {seconds: 1.0}
"""


class Desk:
    """A data folder, and a place for scratch by which everything that a suite starts is known."""

    def __init__(self, folder: Path) -> None:
        self.data, self.scratch, self.suite = folder / "data", folder / "scratch", folder / "short.yaml"
        self.scratch.mkdir()
        patient(DataFolder(self.data), LIGHT)
        self.suite.write_text(_SUITE, encoding="utf-8")
        self.env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
        self.env["TMPDIR"] = str(self.scratch)

    def start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "pitwall", "suite", *words, "--json", "--data", str(self.data)]
        return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)

    def said(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        process = self.start(*words)
        try:
            out, _ = process.communicate(timeout=110)
        finally:
            process.kill()
            process.wait()
        return process.returncode, [json.loads(line) for line in out.splitlines()]

    def processes(self) -> list[str]:
        """Command lines of every process that was started here and still runs."""
        mark = f"TMPDIR={self.scratch}".encode()
        return [_command_of(process) for process in Path("/proc").glob("[0-9]*") if _has(process, mark)]

    def left_behind(self) -> list[str]:
        """Processes and scratch folders that stay."""
        until = time.monotonic() + 60.0
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


def test_killed_at_half_and_gone_on_with_it_gives_the_same_table(desk: Desk) -> None:
    first = desk.start("run", str(desk.suite))
    assert first.stdout is not None
    begun, told = (json.loads(first.stdout.readline()) for _ in range(2))
    assert (begun["progress"], begun["of"]) == (0, 2)
    assert (told["progress"], told["of"], told["run"]["cell"]["seed"]) == (1, 2, 1)
    while not any(" run --game" in one for one in desk.processes()):
        time.sleep(0.02)  # until the second run is under way
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert desk.left_behind() == []
    _, (listed,) = desk.said("list")
    assert [(one["suite"], one["state"], one["done"]) for one in listed["suites"]] == [
        ("short", "broken off", 1)
    ]

    code, (going_on, played, answer) = desk.said("run", str(desk.suite))
    assert (code, going_on["progress"], played["run"]["cell"]["seed"]) == (0, 1, 2)
    assert (answer["kept"], answer["state"]) == (1, "done")
    assert answer["runs"][0]["at"] == told["run"]["at"], "the finished run is not played again"
    (row,) = answer["tasks"]
    assert (row["runs"], row["unplayed"], row["success"]["wins"], row["progress"]["mean"]) == (2, {}, 0, 0.0)
    assert all(run["summary"]["frames"] > 0 for run in answer["runs"])
    assert (Path(answer["folder"]) / "sessions" / "flappy~first_pipe~nobody~2~0" / "runs.sqlite").is_file()
