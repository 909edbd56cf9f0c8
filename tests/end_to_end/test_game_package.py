"""The example of a game as a package is built, installed, found, trusted and played."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.command import pitwall

from pitwall.core.paths import DataFolder, resources_dir


def test_a_game_comes_as_a_package(screen: str, tmp_path: Path) -> None:
    assert screen
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "-q",
        "install",
        "--no-deps",
        "--no-index",
    ]
    installed, source = tmp_path / "site", str(resources_dir() / "game_package")
    subprocess.run([*pip, "--no-build-isolation", "--target", str(installed), source], check=True)
    data = DataFolder(tmp_path / "data")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
    assert pitwall("games", "trust", "catch", data=data, PYTHONPATH=path).status == 0
    played = pitwall("run", "--game", "catch", "--seconds", "3", "--json", data=data, PYTHONPATH=path)
    assert played.status == 0, played.err
    assert played.answer["summary"]["effects"]["confirmed"] >= 1
    assert played.answer["summary"]["routes"].get("reflex", 0) + played.answer["summary"]["events_sent"] > 2
