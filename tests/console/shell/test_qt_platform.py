"""Qt ends the whole process where it finds no platform: another is chosen, or a sentence says why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo

from pitwall.console.shell.qt_platform import choose_platform
from pitwall.core.errors import DisplayError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there Qt has several platforms")


@pytest.fixture(autouse=True)
def _no_other_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "SWAYSOCK", "QT_QPA_PLATFORM_PLUGIN_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("wanted", "chosen", "noted"),
    [
        ("", "xcb", False),
        ("xcb", "xcb", False),
        ("offscreen", "offscreen", False),
        ("wayland", "xcb", True),
        ("nonsense", "xcb", True),
        ("wayland;xcb", "wayland;xcb", False),
    ],
)
def test_on_x11_a_platform_that_qt_can_use_is_chosen(
    screen: str, monkeypatch: pytest.MonkeyPatch, wanted: str, chosen: str, noted: bool
) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.setenv("QT_QPA_PLATFORM", wanted)
    assert bool(note := choose_platform()) is noted
    assert os.environ["QT_QPA_PLATFORM"] == chosen
    assert not noted or (wanted in note and "xcb" in note)


def test_a_console_without_any_usable_platform_ends_with_a_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "PITWALL_DATA": str(tmp_path), "QT_QPA_PLATFORM": "nonsense", "DISPLAY": ""}
    command = [sys.executable, "-m", "pitwall", "console"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1 and done.stderr.startswith("pitwall: Qt cannot use QT_QPA_PLATFORM=nonsense")


def test_a_missing_library_of_the_plugin_is_named(
    screen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.setenv("QT_QPA_PLATFORM", "")
    monkeypatch.setattr(QLibraryInfo, "path", lambda _: str(tmp_path))
    with pytest.raises(DisplayError, match="libqxcb"):
        choose_platform()
