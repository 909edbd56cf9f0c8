"""A world by turns, played in its window by its skills: each move is a press of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_environments.gym.profile import add_environment

_SUITE = """\
name: turns
games: [{game: gym-mini-grid-empty-5x5, tasks: [mission]}]
agents: [{name: skills, kind: skills}]
limits: {steps: 60, opening_s: 600}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a virtual screen")
def test_its_goal_is_reached_though_the_same_key_is_pressed_again_and_again(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    add_environment(data, "MiniGrid-Empty-5x5-v0")
    suite = tmp_path / "turns.yaml"
    suite.write_text(_SUITE, encoding="utf-8")
    words = ["suite", "run", str(suite), "--data", str(data.root)]
    subprocess.run([sys.executable, "-m", "pitwall", *words], check=True)
    (played,) = SuiteFolder(data, "turns").runs().values()
    assert played.success, played
