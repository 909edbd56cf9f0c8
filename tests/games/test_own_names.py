"""A game gets another name by command and on the page; its folder stays as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall.games.own_names import own_names, rename_game
from pitwall.games.registry import Registry


def _name(data: DataFolder, game_id: str) -> str:
    return next(entry.name for entry in Registry(data).games() if entry.game_id == game_id)


def test_a_renamed_game_has_its_name_everywhere_and_gets_its_own_back(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    before = Registry(data).load("flappy")
    rename_game(data, "flappy", "  The yellow bird ")
    renamed = Registry(data).load("flappy")
    assert _name(data, "flappy") == renamed.profile.game.name == "The yellow bird"
    assert renamed.profile_hash == before.profile_hash
    rename_game(data, "flappy", "")
    assert _name(data, "flappy") == before.profile.game.name
    assert own_names(data) == {}


@pytest.mark.parametrize("name", ["x" * 61, "two\nlines"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="cannot name a game"):
        rename_game(DataFolder(tmp_path), "flappy", name)


def test_damaged_names_are_left_out(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    data.game_names.write_text("{", encoding="utf-8")
    assert _name(data, "flappy") == Registry(data).load("flappy").profile.game.name


def test_the_command_renames(tmp_path: Path) -> None:
    words = ("games", "rename", "flappy", "The yellow bird", "--data", str(tmp_path), "--json")
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *words], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"game": "flappy", "name": "The yellow bird"}
