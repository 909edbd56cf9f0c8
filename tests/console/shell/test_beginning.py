"""An engine that was started before the window is given away once, and only for its own game."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.console.shell.beginning import EarlyEngine, begun
from pitwall.core import commands
from pitwall.core.errors import DataFolderError, DisplayError
from pitwall.core.paths import DataFolder

OPENING = commands.Open(game="no-such-game")


def test_where_no_game_is_opened_there_is_no_early_engine(tmp_path: Path) -> None:
    assert EarlyEngine(DataFolder(tmp_path), None).take(OPENING) is None


def test_an_early_engine_is_given_away_once(tmp_path: Path) -> None:
    early = EarlyEngine(DataFolder(tmp_path), OPENING)
    session = early.take(replace(OPENING, console_pids=(os.getpid(),)))
    assert session is not None and session.alive
    assert early.take(OPENING) is None
    session.close()


def test_an_early_engine_of_another_game_is_ended(tmp_path: Path) -> None:
    early = EarlyEngine(DataFolder(tmp_path), OPENING)
    session = early._session
    assert early.take(replace(OPENING, game="another")) is None
    assert session is not None and not session.alive


def test_a_second_console_starts_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")  # only that one is named is looked at
    with begun(DataFolder(tmp_path)), pytest.raises(DataFolderError), begun(DataFolder(tmp_path), OPENING):
        raise AssertionError("it was let in")


def test_without_a_screen_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("a program on Windows has a screen")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DisplayError), begun(DataFolder(tmp_path), OPENING):
        raise AssertionError("it was let in")
