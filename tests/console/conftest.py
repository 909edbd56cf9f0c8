"""A whole console on a real screen, with a scripted engine."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QFont, QFontInfo
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.console.game_window import start_game as start_game
from tests.console.scripted_play import prefill
from tests.console.scripted_session import GAMES, ScriptedOpener, ScriptedSession

from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core.paths import DataFolder

_WINDOW = Qt.WindowType.Window


@pytest.fixture
def inter(screen: str, qapp: QApplication) -> None:
    """Says of a test of how wide words are that the console's font is not there, where it is not."""
    assert screen and qapp
    if QFontInfo(QFont("Inter")).family() != "Inter":
        pytest.skip("needs the font Inter, which is not installed")


@dataclass
class ConsoleHarness:
    """The console under test, and the engine's part."""

    console: Console
    opener: ScriptedOpener
    bot: QtBot

    @property
    def session(self) -> ScriptedSession:
        return self.opener.last

    @property
    def phase(self) -> Phase:
        return self.console.bridge.state.phase

    def wait_for(self, phase: Phase) -> None:
        self.bot.waitUntil(lambda: self.phase is phase)
        self.console.bridge.flush()

    def play(self, seconds: float = 3.0) -> None:
        """A game in view, a run that began some seconds ago, and its frames."""
        self.console.bridge.open_game("flappy")
        prefill(self.session, seconds)
        self.wait_for(Phase.PLAYING)
        self.bot.waitUntil(lambda: self.console.bridge.last_frame is not None)

    def button(self, name: str, inside: QWidget | None = None) -> QPushButton:
        """The button in view whose accessible name begins so."""
        result = [
            button
            for button in (inside or self.console.window).findChildren(QPushButton)
            if button.isVisible() and button.accessibleName().startswith(name)
        ]
        assert result, f"no button {name!r}"
        return result[0]


@pytest.fixture
def room(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[ConsoleHarness]:
    """A console of its own on the virtual screen, with nothing chosen."""
    assert screen
    opener = ScriptedOpener()
    data = DataFolder(tmp_path)
    with closing_console(lambda: Console(qapp, data, opener, lambda: GAMES, preflight=False)) as console:
        console.window.resize(1280, 720)
        console.window.show()
        qtbot.waitExposed(console.window)
        yield ConsoleHarness(console, opener, qtbot)


@contextlib.contextmanager
def closing_console(make: Callable[[], Console]) -> Iterator[Console]:
    """Make a console; close it and delete its windows, also where a test failed with a list or a run open."""
    before = set(QApplication.topLevelWidgets())
    console = make()
    try:
        yield console
    finally:
        while (popup := QApplication.activePopupWidget()) is not None and popup.isVisible():
            popup.hide()
        console.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        _delete_windows(set(QApplication.topLevelWidgets()) - before)


def _delete_windows(left: set[QWidget]) -> None:
    """A living one would be styled anew with every later one; also a part that was not laid into its page."""
    for window in left:
        if shiboken6.isValid(window) and window.parent() is None and window.windowType() is _WINDOW:
            shiboken6.delete(window)
