"""A trusted game runs from the bytes that were hashed: what changes later, or was left out, does not run."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.errors import DataFolderError, ManifestError
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.games.checks.folder import check_game
from pitwall.games.launcher import launch
from pitwall.games.plugin_loader import load_reader
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.games.trust import trust, trusted_copy

Damage = Callable[..., Path]
PIXELS: Pixels = np.zeros((10, 10, 4), np.uint8)
READER = """
class Reader:
    def read(self, pixels):
        return {"ball_share": %s}

def reader(folder):
    return Reader()
"""


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def folder(damaged: Damage) -> Path:
    """A folder whose own Python reads a field; its program prints what it is."""
    folder = damaged(
        ('kind = "derived"\nvalue = "ball_x / 200"', 'kind = "python"'),
        ("[status]\n", '[python]\nmodule = "eyes.py"\n\n[status]\n'),
    )
    (folder / "eyes.py").write_text(READER % 1, encoding="utf-8")
    (folder / "pong.py").write_text("print('as it was trusted')\n", encoding="utf-8")
    return folder


def trusted(data: DataFolder, folder: Path) -> Game:
    trust(data, Registry(data).load(str(folder)))
    return Registry(data).load(str(folder))


def test_python_that_changes_after_it_was_looked_at_does_not_run(data: DataFolder, folder: Path) -> None:
    game = trusted(data, folder)
    (folder / "eyes.py").write_text(READER % 666, encoding="utf-8")
    assert load_reader(game).read(PIXELS)["ball_share"] == 1
    assert not Registry(data).load(str(folder)).trusted


def test_a_program_that_changes_before_it_starts_does_not_run(data: DataFolder, folder: Path) -> None:
    game = trusted(data, folder)
    (folder / "pong.py").write_text("print('changed')\n", encoding="utf-8")
    started = launch(game, seed=1, data=data.root, env={})
    try:
        while started.alive:
            time.sleep(0.05)
        assert started.last_words() == "as it was trusted"
    finally:
        started.close()


def test_trust_that_is_taken_back_meanwhile_was_read_once(
    data: DataFolder, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted(data, folder)
    known = json.loads(data.trust.read_text(encoding="utf-8"))
    hashes = iter([known])
    monkeypatch.setattr("pitwall.games.trust._read", lambda _data: next(hashes, {}))
    assert trusted_copy(data, folder) == data.trusted / known[str(folder)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links for administrators alone")
def test_a_link_that_is_swapped_changes_nothing(data: DataFolder, folder: Path) -> None:
    (folder / "eyes.py").rename(folder / "real.py")
    (folder / "other.py").write_text(READER % 666, encoding="utf-8")
    (folder / "eyes.py").symlink_to("real.py")
    game = trusted(data, folder)
    (folder / "eyes.py").unlink()
    (folder / "eyes.py").symlink_to("other.py")
    assert load_reader(game).read(PIXELS)["ball_share"] == 1


def test_what_is_left_out_is_not_in_the_copy_and_a_damaged_copy_is_made_anew(
    data: DataFolder, folder: Path
) -> None:
    for name in (".git", "__pycache__"):
        (folder / name).mkdir()
        (folder / name / "hook.py").write_text("", encoding="utf-8")
    game = trusted(data, folder)
    assert (game.own_folder, game.folder.parent) == (folder, data.trusted)
    names = {path.name for path in folder.iterdir()} - {".git", "__pycache__"}
    assert {path.name for path in game.folder.iterdir()} == names
    (game.folder / "__pycache__").mkdir()
    (game.folder / "__pycache__" / "eyes.pyc").write_bytes(b"planted")
    (game.folder / "eyes.py").write_text(READER % 666, encoding="utf-8")
    again = Registry(data).load(str(folder))
    assert {path.name for path in again.folder.iterdir()} == names
    assert load_reader(again).read(PIXELS)["ball_share"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"{folder}/pong.py"', '"{folder}/.git/run.py"', "lies in .git, which trust leaves out"),
        ('"{folder}/pong.py"', '"{folder}/a/../__pycache__/run.py"', "trust leaves out"),
        ('"{folder}/pong.py"', '".git/run.py"', "names .git, which trust leaves out"),
        (
            '"{folder}/pong.py"',
            '"-c", "open(\'__pycache__/x\')"',
            "names __pycache__",
        ),
        ('module = "eyes.py"', 'module = "__pycache__/eyes.py"', "lies in __pycache__, which trust"),
        ('prompt = "left.md"', 'prompt = ".git/left.md"', "lies in .git, which trust"),
    ],
)
def test_a_path_into_what_is_left_out_is_refused(
    data: DataFolder, folder: Path, old: str, new: str, message: str
) -> None:
    for name in (".git", "__pycache__"):
        (folder / name).mkdir()
        for file in ("run.py", "eyes.py", "left.md"):
            (folder / name / file).write_text(READER % 1, encoding="utf-8")
    manifest = folder / "plugin.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert message in "\n".join(map(str, check_game(folder)))
    with pytest.raises(ManifestError, match="trust leaves out"):
        Registry(data).load(str(folder))


def test_a_program_named_by_its_place_is_refused(folder: Path) -> None:
    manifest = folder / "plugin.toml"
    text = manifest.read_text(encoding="utf-8").replace("{folder}/pong.py", (folder / "pong.py").as_posix())
    manifest.write_text(text, encoding="utf-8")
    faults = check_game(folder)
    assert [fault.expected for fault in faults] == ["{folder}/pong.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_copy_that_cannot_be_made_is_told(data: DataFolder, folder: Path) -> None:
    trust(data, Registry(data).load(str(folder)))
    data.root.chmod(0o500)
    try:
        with pytest.raises(DataFolderError, match="read-only"):
            Registry(data).load(str(folder))
    finally:
        data.root.chmod(0o700)
