"""A signal is declared once: a copy of the tree gets a new one in two files, and it arrives everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.signals import SIGNALS, WEIGHED, Thresholds

_ROOT = Path(__file__).resolve().parents[2]
_SIGNAL, _TITLE = "still", "still picture"
_DECLARATION = """
    still: Annotated[
        int,
        TriggerSignal(
            letter="s",
            unit="steps",
            setting="still_steps",
            reason=Reason.STILL,
            why="the picture stood still for {} steps",
            prompt="the screen has not changed for {} steps",
            title="still picture",
            meaning="Steps in a row in which the picture did not change.",
            term="still steps s",
            chart_top=30.0,
        ),
    ] = 0
"""
_EDITS = {
    "core/signals.py": (
        ('    REQUESTED = "requested"\n', '    STILL = "still"\n    REQUESTED = "requested"\n'),
        (
            "    failure_level: int =",
            '    still_steps: int = bounded_number(30, 1, 1000, "Steps with a still picture", "steps")\n'
            "    failure_level: int =",
        ),
        ("    ] = Failure.NONE\n", f"    ] = Failure.NONE{_DECLARATION}"),
    ),
    "engine/trigger/event_trigger.py": (
        ("        self._stall = 0\n", "        self._stall = 0\n        self._still = 0\n"),
        (
            "        self._progress = progress\n",
            "        self._progress = progress\n"
            "        self._still = 0 if change > 0.01 else self._still + 1\n",
        ),
        (
            "            stall=self._stall,\n",
            "            stall=self._stall,\n            still=self._still,\n",
        ),
    ),
}
"""File of the package → its edits: everything that the new signal needs."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package with the new signal."""
    shutil.copytree(_ROOT / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "resources").symlink_to(_ROOT / "resources")
    for name, edits in _EDITS.items():
        file = tmp_path / "app" / "pitwall" / name
        source = file.read_text(encoding="utf-8")
        for place, edited in edits:
            assert source.count(place) == 1, f"{name}: {place!r}"
            source = source.replace(place, edited)
        file.write_text(source, encoding="utf-8")
    return tmp_path


def _ran(tree: Path, *command: str) -> str:
    environment: Mapping[str, str] = {
        **os.environ,
        "PYTHONPATH": str(tree / "app"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_every_weighed_signal_is_declared_whole() -> None:
    for signal in WEIGHED.values():
        assert signal.setting in Thresholds.model_fields
        assert all((signal.reason, signal.why, signal.prompt, signal.title, signal.meaning, signal.term))
    letters = [signal.letter for signal in SIGNALS]
    assert len(set(letters)) == len(letters)


def test_the_documents_name_every_signal() -> None:
    spec = (_ROOT / "app" / "docs" / "SPEC.md").read_text(encoding="utf-8")
    manual = (_ROOT / "resources" / "manual" / "live.md").read_text(encoding="utf-8")
    for signal in WEIGHED.values():
        assert f"| {signal.letter} |" in spec and f"`{signal.setting}`" in spec
        assert f"| {signal.title} |" in manual


def test_a_new_signal_takes_two_files_of_the_package(tree: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = (str(Path(__file__).with_name("play_with_new_signal.py")), str(data), _SIGNAL)
    assert not _ran(_ROOT, *command), "a run of the version without the signal"
    shown: dict[str, Any] = json.loads(_ran(tree, *command).splitlines()[-1])
    assert len(_EDITS) <= 3
    assert shown["decided"] == [[], [], ["still"], ["still"], ["still"]]
    assert shown["why"] == ["the picture stood still for 3 steps"]
    assert "the screen has not changed for 3 steps" in shown["prompt"][-1]
    assert shown["earlier"] == [0, 0, 0, 0, 0]
    assert shown["logged"] == shown["jsonl"] == [1, 2, 3, 4, 5]
    assert shown["csv"] == ["1", "2", "3", "4", "5"]
    assert shown["replayed"] == [False, False, True, True, True]
    assert _TITLE in shown["strips"] and _TITLE in shown["table"]
    assert shown["timeline"].startswith("still picture: 4 steps\n")
    assert shown["clip"]
    other = _ran(tree, "-m", "pitwall", "trigger", "2", "--set", "still_steps=5", "--data", str(data))
    assert "still         3 →    1" in other
