"""A data folder is its operator's alone: new ones, and those that an earlier Pitwall left open."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.cli.private_folder import make_private
from pitwall.core.paths import DataFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights of a POSIX system")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def pitwall(*words: str) -> None:
    program = "import os, sys; os.umask(0o022); from pitwall.__main__ import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", program, *words], check=True, capture_output=True, timeout=100)


def test_what_a_command_makes_is_private(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    pitwall("settings", "set", "broker.held_keys", "3", "--data", str(data.root))
    note = ("memory", "add", "note", "about=progress", "text=fly high", "--game", "flappy")
    pitwall(*note, "--data", str(data.root))
    assert rights(data.root) == 0o700
    files = [path for path in data.root.iterdir() if path.is_file()]
    assert {file.name: rights(file) for file in files} == {file.name: 0o600 for file in files}
    assert data.memory.is_file() and data.settings.is_file()


def test_a_folder_that_stands_open_is_closed(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    data.root.mkdir(mode=0o755)
    for file in (data.database, data.memory, data.settings, data.database.with_name("runs.sqlite-wal")):
        file.touch()
        file.chmod(0o644)
    make_private(data)
    assert rights(data.root) == 0o700
    assert {rights(file) for file in data.root.iterdir()} == {0o600}


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    tmp_path.chmod(0o755)
    make_private(DataFolder(tmp_path))
    assert rights(tmp_path) == 0o755
