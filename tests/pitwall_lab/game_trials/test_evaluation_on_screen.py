"""An evaluation as it is meant: a real game on a screen of its own, killed in mid-way, gone on with."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_evaluation.desk import Desk

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
EVALUATE = ["gsm", "evaluate", "flappy/fly", "--version", "rules", "--runs", "2", "--cap", "0"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    assert made.left_behind() == []


def _lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.long
def test_killed_in_mid_way_it_goes_on_and_nothing_stays_behind(desk: Desk) -> None:
    first = desk.start(*EVALUATE)
    assert first.stdout is not None
    message = json.loads(first.stdout.readline())
    assert (message["progress"], message["of"], message["run"]["cause"]) == (1, 2, "cap")
    while not any("pitwall run" in process.replace("-m ", "") for process in desk.processes()):
        time.sleep(0.02)  # until the second run is under way
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert desk.left_behind() == []

    out, _ = desk.start(*EVALUATE).communicate(timeout=90)
    kept, played, answer = _lines(out)
    assert kept["run"] == {**message["run"], "kept": True}, "the finished run is not played again"
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
    evaluation = desk.start("gsm", "evaluate", f"{game}/fly", "--runs", "1")
    run, fault = _lines(evaluation.communicate(timeout=90)[0])
    assert evaluation.returncode == 1
    assert (run["run"]["cause"], run["run"]["score"], run["progress"]) == ("failed", None, 0)
    assert "not today" in run["run"]["why"]
    assert fault["error"] == "TrialsFailed"
    assert "not today" in fault["what"]
