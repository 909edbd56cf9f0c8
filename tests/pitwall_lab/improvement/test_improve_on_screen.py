"""A game without a headless twin is improved on the screen: real games, processes and virtual screens."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_evaluation.desk import Desk

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
TINY = ["--iterations", "1", "--screen-runs", "5", "--seconds", "3", "--parallel", "1"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    assert made.left_behind() == []


def _lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_game_without_a_twin_is_compared_on_the_screen(desk: Desk, tmp_path: Path) -> None:
    module = Registry(DataFolder(desk.data)).load("shooting").profile.modules[0]
    idle = module.model_copy(update={"rules": [module.rules[0].model_copy(update={"when": "false"})]})
    change = tmp_path / "change.json"
    change.write_text(json.dumps({"title": "never shoot", "rules": idle.model_dump()}), encoding="utf-8")
    loop = desk.start("gsm", "improve", "shooting/shoot", "--by", "operator", "--change", str(change), *TINY)
    *events, answer = _lines(loop.communicate(timeout=880)[0])
    assert loop.returncode == 0
    assert "10 to compare" in events[0]["doing"]
    assert (answer["began"], answer["best"], answer["finished"]) == ("rules", "rules", True)
    (attempt,) = answer["attempts"]
    assert (attempt["title"], attempt["standing"]) == ("never shoot", "rolled back")
    assert "slow on the screen" in attempt["note"]
    assert "5 runs on the same held-out seeds" in attempt["note"]
    trials = DataFolder(desk.data).modules / "shooting" / "shoot" / "rules" / "trials"
    assert len(list(trials.glob("*.jsonl"))) == 1, "the comparison is kept, the analysis's runs are not"
