"""A suite as it is meant: real games on screens of their own, its runner killed in mid-way, gone on with."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.patience import LIGHT, patient
from tests.pitwall_evaluation.desk import Desk

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


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    patient(DataFolder(made.data), LIGHT)
    yield made
    assert made.left_behind() == []


def _said(desk: Desk, *words: str) -> tuple[int, list[dict[str, Any]]]:
    process = desk.start("suite", *words)
    try:
        out, _ = process.communicate(timeout=110)
    finally:
        process.kill()
        process.wait()
    return process.returncode, [json.loads(line) for line in out.splitlines()]


@pytest.mark.long
def test_killed_at_half_and_gone_on_with_it_gives_the_same_table(desk: Desk, tmp_path: Path) -> None:
    suite = tmp_path / "short.yaml"
    suite.write_text(_SUITE, encoding="utf-8")
    first = desk.start("suite", "run", str(suite))
    assert first.stdout is not None
    begun, message = (json.loads(first.stdout.readline()) for _ in range(2))
    assert (begun["progress"], begun["of"]) == (0, 2)
    assert (message["progress"], message["of"], message["run"]["cell"]["seed"]) == (1, 2, 1)
    while not any(" run --game" in process for process in desk.processes()):
        time.sleep(0.02)  # until the second run is under way
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert desk.left_behind() == []
    _, (listed,) = _said(desk, "list")
    assert [(item["suite"], item["state"], item["done"]) for item in listed["suites"]] == [
        ("short", "broken off", 1)
    ]

    code, (going_on, played, answer) = _said(desk, "run", str(suite))
    assert (code, going_on["progress"], played["run"]["cell"]["seed"]) == (0, 1, 2)
    assert (answer["kept"], answer["state"]) == (1, "done")
    assert answer["runs"][0]["at"] == message["run"]["at"], "the finished run is not played again"
    (row,) = answer["tasks"]
    assert (row["runs"], row["unplayed"], row["success"]["wins"], row["progress"]["mean"]) == (2, {}, 0, 0.0)
    assert all(run["summary"]["frames"] > 0 for run in answer["runs"])
    assert (Path(answer["folder"]) / "sessions" / "flappy~first_pipe~nobody~2~0" / "runs.sqlite").is_file()
