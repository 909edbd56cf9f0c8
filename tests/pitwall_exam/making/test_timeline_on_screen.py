"""A real run in a real window: what it recorded against what the truth keeper kept beside it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.store.run_reader import RunReader
from pitwall_exam.episode.record import grid_record
from pitwall_exam.making.timeline import grid_truth, true_states
from pitwall_exam.plugin_table.schema import ExamTable

pytestmark = pytest.mark.screen
STEPS = 24


def test_a_played_run_has_its_truth_beside_it(screen: str, tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    play = [
        "run",
        "--game",
        "crafter",
        "--seed",
        "3",
        "--steps",
        str(STEPS),
        "--setting",
        "broker.heartbeat_ms=5000",
        "--data",
        str(data.root),
        "--json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *play],
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        env={**os.environ, "DISPLAY": screen},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    run_id = json.loads(done.stdout.splitlines()[-1])["run_id"]
    exam = Registry(data).load("crafter").profile.table(ExamTable)
    assert exam is not None
    assert exam.grid is not None
    with contextlib.closing(RunReader.open(data)) as reader:
        steps = reader.steps(run_id)
    states = true_states(data, run_id)
    assert states.notes == ()
    truth, record = grid_truth(steps, states, exam.grid), grid_record(steps, exam.grid)
    assert len(truth) == len(record) == STEPS - 1
    pairs = list(zip(truth.moments, record.moments, strict=True))
    assert all(true.action == read.action for true, read in pairs)
    alike = sum(true.before == read.before for true, read in pairs)
    assert alike >= len(pairs) - 2, "on a busy machine a step may be decided before its picture came"
    assert len({true.before.at for true, _ in pairs}) > 5, "a player that stands still shows little"
