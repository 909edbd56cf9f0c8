"""The plugin loader: trusted folders only, from source only, each game's files apart."""

from __future__ import annotations

import importlib.util
import py_compile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.errors import PluginFailed, UntrustedPlugin
from pitwall.core.frames import Pixels
from pitwall.games.manifest import load_profile
from pitwall.games.plugin_loader import load_reader
from pitwall.games.schema.profile import Game

Damage = Callable[..., Path]
PIXELS: Pixels = np.zeros((10, 10, 4), np.uint8)

READER = """
class Reader:
    def read(self, pixels):
        return {"ball_share": %s}

def reader(folder):
    return Reader()
"""

PACKAGE = {
    "eyes/__init__.py": "from .parts import SHARE\n" + READER % "SHARE",
    "eyes/parts.py": "SHARE = 7",
}


@pytest.fixture
def with_code(damaged: Damage) -> Callable[..., Game]:
    """(files by name, module, id) → a trusted game with this code."""

    def make(files: dict[str, str], module: str = "eyes.py", game_id: str = "pong") -> Game:
        folder = damaged(
            ('kind = "derived"\nvalue = "ball_x / 200"', 'kind = "python"'),
            ("[status]\n", f'[python]\nmodule = "{module}"\n\n[status]\n'),
            ('id = "pong"', f'id = "{game_id}"'),
        )
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return game_in(folder)

    return make


def game_in(folder: Path, *, trusted: bool = True) -> Game:
    return Game(profile=load_profile(folder), folder=folder, profile_hash="", trusted=trusted, source="user")


def share(game: Game) -> object:
    return load_reader(game).read(PIXELS)["ball_share"]


def test_a_module_of_the_folder_reads(with_code: Callable[..., Game]) -> None:
    assert share(with_code({"eyes.py": READER % "pixels.shape[0]"})) == 10


def test_nothing_runs_before_the_folder_is_trusted(with_code: Callable[..., Game], tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    game = with_code({"eyes.py": f"open({str(mark)!r}, 'w').close()\n" + READER % "1"})
    with pytest.raises(UntrustedPlugin):
        load_reader(game_in(game.folder, trusted=False))
    assert not mark.exists()
    load_reader(game)
    assert mark.exists()


def test_a_package_imports_its_own_files_and_no_others(with_code: Callable[..., Game]) -> None:
    files = {
        "eyes/__init__.py": "from .parts import SHARE\n" + READER % "SHARE",
        "eyes/parts.py": "SHARE = 7",
    }
    game = with_code(files, "eyes/__init__.py")
    assert share(game) == 7
    (game.folder / "eyes" / "__init__.py").write_text("import pong\n" + READER % "1", encoding="utf-8")
    with pytest.raises(PluginFailed, match="pong"):
        load_reader(game)


def test_changed_files_are_read_anew(with_code: Callable[..., Game]) -> None:
    files = {
        "eyes/__init__.py": "from .parts import SHARE\n" + READER % "SHARE",
        "eyes/parts.py": "SHARE = 7",
    }
    game = with_code(files, "eyes/__init__.py")
    assert share(game) == 7
    (game.folder / "eyes" / "parts.py").write_text("SHARE = 8", encoding="utf-8")
    assert share(game) == 8


def test_compiled_code_in_the_folder_is_never_used(with_code: Callable[..., Game], tmp_path: Path) -> None:
    """A cache is no part of what was trusted: one that looks up to date must not run, and none is written."""
    files = {
        "eyes/__init__.py": "from .parts import SHARE\n" + READER % "SHARE",
        "eyes/parts.py": "SHARE = 7",
    }
    game = with_code(files, "eyes/__init__.py")
    for name in ("__init__.py", "parts.py"):
        source = game.folder / "eyes" / name
        planted = tmp_path / name
        planted.write_text(READER % "666" + "SHARE = 666\n", encoding="utf-8")
        cache = Path(importlib.util.cache_from_source(str(source)))
        py_compile.compile(
            str(planted), cfile=str(cache), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
    assert share(game) == 7
    caches = sorted(game.folder.rglob("*.pyc"))
    assert len(caches) == 2, "those planted, and no other"


BROKEN = [
    ("def reader(:\n", "SyntaxError"),
    ("import not_there_at_all\n", "not_there_at_all"),
    ("x = 1\n", "no function reader"),
    ("def reader(folder):\n    return 5\n", "int"),
    ("def reader(folder):\n    raise ValueError('no pictures')\n", "no pictures"),
]


@pytest.mark.parametrize(("code", "part"), BROKEN, ids=[part for _, part in BROKEN])
def test_code_that_cannot_be_used_says_why(with_code: Callable[..., Game], code: str, part: str) -> None:
    game = with_code({"eyes.py": code})
    with pytest.raises(PluginFailed, match=part) as caught:
        load_reader(game)
    assert str(game.folder / "eyes.py") in caught.value.what
