"""A game without a headless twin is improved on the screen: real games, processes and virtual screens."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import pitwall
from tests.patience import patient
from tests.pitwall_evaluation.desk import Desk

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = pytest.mark.screen
PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
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


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_an_open_window_without_seeds_and_true_state_is_played_in_turns(screen: str, tmp_path: Path) -> None:
    assert screen
    folder, data = _without_start(tmp_path / "open"), patient(DataFolder(tmp_path / "data"))
    trust(data, Registry(data).load(str(folder)))
    module = Registry(data).load(str(folder)).profile.modules[0]
    lower = module.rules[0].model_copy(update={"when": "low > 300"})
    change = tmp_path / "change.json"
    rules = module.model_copy(update={"rules": [lower]}).model_dump()
    change.write_text(json.dumps({"title": "hold lower", "rules": rules}), encoding="utf-8")
    words = ["--by", "operator", "--change", str(change), *TINY, "--json"]
    with subprocess.Popen([sys.executable, str(PLUGINS / "flappy" / "game.py"), "--seed", "3"]) as window:
        loop = pitwall("gsm", "improve", f"{folder}/{module.name}", *words, data=data, timeout_s=1_100)
        assert window.poll() is None, "the window is the operator's: it stays"
        window.terminate()
    *events, answer = _lines(loop.out)
    assert "in the open window, one after the other" in events[0]["doing"]
    (attempt,) = answer["attempts"]
    assert attempt["standing"] in ("kept", "rolled back")
    assert "in turns, for the game takes no seed" in attempt["note"]
    assert "score on the screen" in attempt["note"]


def _without_start(folder: Path) -> Path:
    """Copy a game's folder without its start command, its twin, its trials and its true state."""
    shutil.copytree(PLUGINS / "flappy", folder, ignore=shutil.ignore_patterns("__pycache__"))
    left_out = ("[launch]", "[[scenarios]]", "[modules.learned", "[[modules.trials]]", "[[tasks]]", "[truth]")
    lines, keeps = list[str](), True
    for line in (folder / "plugin.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            keeps = not line.startswith(left_out)
        lines += [line] if keeps else []
    text = "\n".join(lines).replace('id = "flappy"', 'id = "open"', 1)
    (folder / "plugin.toml").write_text(text + "\n", encoding="utf-8")
    return folder
