"""A window's process tells which command starts its program again, or it is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pitwall.desktops.here import processes
from pitwall.games.drafting.start_command import start_command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a command is read off Linux' processes")


def _kept(program: Path, named: str, folder: Path, **variables: str) -> list[str]:
    """Start a program under another name, and return the command that is kept of it."""
    words = ["bash", "-c", 'exec -a "$0" "$1" 60', named, str(program)]
    with subprocess.Popen(words, cwd=folder, env={**os.environ, **variables}) as process:
        while processes().command_words(process.pid)[:1] != [named]:
            time.sleep(0.01)
        try:
            return start_command(process.pid)
        finally:
            process.kill()


def _program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(shutil.which("sleep") or "", folder / name))


@pytest.mark.parametrize("loader", ["wine64", "wine64-preloader", "wine-preloader"])
def test_a_windows_program_is_started_by_its_wine_in_its_prefix(tmp_path: Path, loader: str) -> None:
    folder, prefix = tmp_path / "Spiele für zwei", tmp_path / "a prefix"
    program, named = _program(folder, loader), "Z:\\Spiele für zwei\\game.exe"
    wine = str(program).removesuffix("-preloader")
    settings = [f"WINEPREFIX={prefix}", "WINEARCH=win64"]
    kept = _kept(program, named, folder, WINEPREFIX=str(prefix), WINEARCH="win64", WINELOADER="x")
    assert kept == ["env", "-C", str(folder), *settings, wine, named, "60"]


def test_a_command_that_does_not_name_its_program_is_asked_for(tmp_path: Path) -> None:
    game = _program(tmp_path, "game")
    assert _kept(game, "My game: level 3", tmp_path) == [], "it wrote over its command line"
    assert _kept(game, "game", tmp_path) == ["env", "-C", str(tmp_path), str(game), "60"]
    wine = _program(tmp_path, "wine64")
    assert _kept(wine, "C:\\windows\\explorer.exe", tmp_path) == [], "the desktop, in which some game runs"


def test_a_packed_program_is_started_by_its_package(tmp_path: Path) -> None:
    unpacked = tmp_path / "mount" / "usr"
    game, image = _program(unpacked, "game"), tmp_path / "Game.AppImage"
    kept = _kept(game, str(game), Path("/"), APPIMAGE=str(image), APPDIR=str(tmp_path / "mount"))
    assert kept == [str(image), "60"]
