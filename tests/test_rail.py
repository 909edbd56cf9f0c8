"""Packages beside the core: each can be left out, and the rest starts, plays and exports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PACKAGES = (
    "pitwall_evaluation",
    "pitwall_exam",
    "pitwall_bench",
    "pitwall_lab",
    "pitwall_memory_editor",
    "pitwall_night",
    "pitwall_desktops",
    "pitwall_environments",
    "pitwall_exchange",
    "workshop",
)
_COMMANDS = {
    "pitwall_exam": "exam",
    "pitwall_bench": "suite",
    "pitwall_lab": "gsm",
    "pitwall_memory_editor": "memory",
    "pitwall_night": "night",
    "pitwall_exchange": "bundle",
    "workshop": "bench",
}


_SITECUSTOMIZE = """\
import pathlib, sys

here = pathlib.Path(__file__).parent
sys.path[:] = [p for p in sys.path if pathlib.Path(p) == here or not pathlib.Path(p, "pitwall/core").is_dir()]
"""
"""Hides the tree that is installed to be edited from the copy's processes."""


def copied_tree(root: Path, to: Path, without: Sequence[str]) -> Path:
    """Copy the tree, with the bytecode that is there, without some packages; return its `app` folder."""
    ignored = shutil.ignore_patterns(*without)
    to.mkdir(exist_ok=True)
    shutil.copytree(root / "app", to / "app", ignore=ignored)
    for name in ("plugins", "resources", "installer"):
        (to / name).symlink_to(root / name)
    (to / "app" / "sitecustomize.py").write_text(_SITECUSTOMIZE, encoding="utf-8")
    return to / "app"


def environment(app: Path) -> dict[str, str]:
    """Return the environment in which a copied tree's processes run."""
    return {**os.environ, "PYTHONPATH": str(app)}


def _pitwall(app: Path, *words: str) -> tuple[int, str]:
    """Run a command of the copied tree; return its status and its output."""
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *words],
        env=environment(app),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout


def _last_line(output: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return value


@pytest.mark.screen
@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize(
    "without",
    [*(pytest.param((package,), marks=pytest.mark.long) for package in PACKAGES[:-1]), PACKAGES],
    ids="+".join,
)
def test_the_rest_starts_plays_and_exports(
    without: tuple[str, ...], project_root: Path, tmp_path: Path
) -> None:
    app, data = copied_tree(project_root, tmp_path, without), tmp_path / "data"
    for package in without:
        assert not (app / package).exists()
        if package in _COMMANDS:
            status, output = _pitwall(app, _COMMANDS[package], "--help")
            assert status == 2, output
            assert "No such command" in output
    words = ("demo", "--game", "flappy", "--seconds", "4", "--console", "--data", str(data), "--json")
    status, output = _pitwall(app, *words)
    assert status == 0, output
    played = _last_line(output)
    assert (data / "runs").is_dir(), played
    exported = tmp_path / "exported"
    status, output = _pitwall(app, "export", "1", "--out", str(exported), "--data", str(data), "--json")
    assert status == 0, output
    assert (exported / "run.jsonl").is_file()


def test_a_game_with_a_missing_packages_table_is_sound(project_root: Path, tmp_path: Path) -> None:
    app = copied_tree(project_root, tmp_path, ("pitwall_exam",))
    status, output = _pitwall(app, "games", "check", str(project_root / "plugins" / "crafter"))
    assert status == 0, output
    assert "no faults" in output
