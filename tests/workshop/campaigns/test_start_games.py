"""What a game must show when it is started: copies of Flappy with a fault fall short, each by its name."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.games.registry import Registry
from pitwall.games.trust import trust
from workshop.campaigns.harness import Case, FellShort
from workshop.campaigns.start_games import started

if sys.platform == "win32":
    pytest.skip("needs a virtual screen", allow_module_level=True)

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]


def _started(folder: Path, *changes: tuple[str, str]) -> str:
    """The fault of a copy of Flappy with other words in its manifest."""
    game, data = folder / "copy", DataFolder(folder / "data")
    shutil.copytree(bundled_games_dir() / "flappy", game)
    manifest = game / "plugin.toml"
    text = manifest.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    manifest.write_text(text, encoding="utf-8")
    trust(data, Registry(data).load(str(game)))
    with pytest.raises(FellShort) as short:
        started(str(game), Case(1, 0, folder, random.Random(1)))
    return str(short.value)


def test_a_pause_key_that_pauses_nothing_is_noticed(tmp_path: Path) -> None:
    pause = ('[pause]\nkeys = ["p"]', '[pause]\nkeys = ["o"]')
    fault = _started(tmp_path, ('keys = ["Space", "p"]', 'keys = ["Space", "o"]'), pause)
    assert "its state changed while it was paused" in fault


def test_a_program_that_ends_is_named_with_its_last_words(tmp_path: Path) -> None:
    fault = _started(tmp_path, ('{folder}/game.py", "--seed"', '{folder}/game.py", "--sead"'))
    assert "unrecognized arguments: --sead" in fault
