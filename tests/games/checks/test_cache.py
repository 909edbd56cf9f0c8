"""Folders without faults are kept for the next start; whatever changes in one, it is checked again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pitwall.core.paths import bundled_games_dir
from pitwall.games.checks import cache
from pitwall.games.checks.cache import faults_of_folder

_LISTED = """
import sys
from pathlib import Path
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
games = Registry(DataFolder(Path(sys.argv[1]))).games()
print(len(games), any(game.fault for game in games), "pitwall.games.checks.folder" in sys.modules)
"""


def _settled(folder: Path) -> None:
    """Wait until the folder's newest change is old enough to be trusted."""
    while time.time_ns() - max(path.stat().st_ctime_ns for path in folder.rglob("*")) < cache._SETTLED_NS:
        time.sleep(0.02)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a bundled game."""
    folder = tmp_path / "flappy"
    shutil.copytree(bundled_games_dir() / "flappy", folder)
    _settled(folder)
    return folder


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """The file of folders without faults."""
    return tmp_path / "sound.json"


def test_the_second_start_checks_no_game(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", _LISTED, str(tmp_path)], capture_output=True, text=True, check=True
        )
        said.append(done.stdout.split())
    assert said[0] == [said[1][0], "False", "True"] and said[1][1:] == ["False", "False"]


def test_a_changed_folder_is_checked_again(folder: Path, sound: Path) -> None:
    assert faults_of_folder(folder, sound) == [] and str(folder) in json.loads(sound.read_text())
    manifest = folder / "plugin.toml"
    before = manifest.stat()
    manifest.write_text(manifest.read_text().replace("schema = 1", "schema = 9", 1))
    os.utime(manifest, ns=(before.st_atime_ns, before.st_mtime_ns))
    _settled(folder)
    cache._known.cache_clear()
    assert [fault.key for fault in faults_of_folder(folder, sound)] == ["schema"]


def test_a_folder_with_faults_is_never_kept(folder: Path, sound: Path) -> None:
    (folder / "plugin.toml").write_text("schema = 1\n")
    _settled(folder)
    assert faults_of_folder(folder, sound) and not sound.exists()


def test_other_checks_check_again(folder: Path, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults_of_folder(folder, sound)
    first = json.loads(sound.read_text())
    monkeypatch.setattr(cache, "_checks", lambda: "an update of Pitwall")
    assert faults_of_folder(folder, sound) == []
    assert json.loads(sound.read_text()) != first


@pytest.mark.parametrize("damage", ["", "[1, 2]", '{"a": '])
def test_a_damaged_file_is_written_anew(folder: Path, sound: Path, damage: str) -> None:
    sound.write_text(damage)
    assert faults_of_folder(folder, sound) == []
    assert list(json.loads(sound.read_text())) == [str(folder)]
