"""Every page, after another game or another run: it shows what a console shows that never saw the former."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.console.former_game import SECONDS, everything, of_the_game, other_game
from tests.console.scripted_play import Scene
from tests.console.scripted_session import STATE, ScriptedOpener, began, ended, entry, opened, state
from tests.console.scripted_session import window as scripted_window
from tests.pitwall_memory_editor.console.stores import fill
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.kit import places
from pitwall.console.kit.elements import Label
from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.paths import DataFolder

_GAMES = (entry("flappy", "Flappy Bird", "One button, many pipes"), entry("snake", "Snake", "It grows"))


class _Desk:
    """A console, and the engine's part."""

    def __init__(self, app: QApplication, folder: Path, bot: QtBot) -> None:
        data = DataFolder(folder)
        fill(data)
        self.opener = ScriptedOpener()
        self.console = Console(app, data, self.opener, lambda: _GAMES, preflight=False)
        self.bot = bot
        self.console.window.resize(1500, 950)
        self.console.window.show()
        bot.waitExposed(self.console.window)

    def open(self, game: str, *records: Any) -> None:
        bridge = self.console.bridge
        count = len(self.opener.sessions)
        bridge.open_game(game)
        self.bot.waitUntil(lambda: len(self.opener.sessions) > count)
        self.opener.last.tell(*records, state(STATE.READY))
        self.bot.waitUntil(lambda: bridge.state.phase is Phase.READY and bridge.state.game is not None)

    def tell(self, *records: Any) -> None:
        self.opener.last.tell(*records)
        self.bot.waitUntil(lambda: not self.opener.last._told)
        self.console.bridge.flush()

    def visit(self) -> None:
        """Open every page once, so that each has kept what it keeps."""
        for place in places.all_places():
            self.console.window.show_page(place.key)
            self.bot.wait(300)


_AGE = re.compile(r"just now|# (s|min) ago")
"""An entry's age: one console may have looked a second after the other."""


def _texts(widget: QWidget) -> set[str]:
    """Return every text in view, with # for each number."""
    texts: list[str] = []
    for part in (widget, *widget.findChildren(QWidget)):
        if part is not widget and not part.isVisibleTo(widget):
            continue
        texts.append(part.accessibleName())
        if isinstance(part, Label):
            texts.append(part.full_text())
        elif isinstance(part, QLabel | QAbstractButton | QLineEdit):
            texts.append(part.text())
        elif isinstance(part, QComboBox):
            texts.append(part.currentText())
        elif isinstance(part, QPlainTextEdit):
            texts += part.toPlainText().splitlines()
        elif isinstance(part, QAbstractItemView) and (model := part.model()) is not None:
            rows, columns = range(model.rowCount()), range(model.columnCount(QModelIndex()))
            texts += [str(model.index(row, column).data()) for row in rows for column in columns]
    return {_AGE.sub("just now", re.sub(r"[\d.,–]+", "#", text)) for text in texts if text}


@contextmanager
def _desk(app: QApplication, folder: Path, bot: QtBot) -> Iterator[_Desk]:
    desk = _Desk(app, folder, bot)
    try:
        yield desk
    finally:
        desk.console.close()
        desk.console.window.deleteLater()


def _compare(former: _Desk, fresh: _Desk) -> None:
    """Check page by page that the first shows no text that the second does not show."""
    for place in places.all_places():
        for desk in (former, fresh):
            desk.console.window.show_page(place.key)

        def stays() -> set[str]:
            return _texts(former.console.window) - _texts(fresh.console.window)

        def same() -> bool:
            for desk in (former, fresh):
                desk.console.bridge.flush()
            return not stays()

        try:
            former.bot.waitUntil(same, timeout=30_000)
        except Exception:
            raise AssertionError(f"{place.title} still shows {sorted(stays())}") from None


def _play(desk: _Desk) -> None:
    """Let the console see a whole run, page by page."""
    desk.open("flappy", opened(), scripted_window())
    began_ns = now_ns() - int(SECONDS * NS_PER_S)
    desk.tell(*everything(began_ns))
    desk.opener.last.show(Scene().frame(1, 0.0, now_ns()))
    desk.visit()


Change = Callable[[_Desk], None]


def _another_game(desk: _Desk) -> None:
    desk.open("snake", other_game(), scripted_window())


def _another_run(desk: _Desk) -> None:
    desk.tell(began(now_ns(), run_id=129), state(STATE.PLAYING))


def test_after_another_game_no_page_shows_anything_of_the_former(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    with _desk(qapp, tmp_path / "former", qtbot) as former, _desk(qapp, tmp_path / "fresh", qtbot) as fresh:
        _play(former)
        for desk in (former, fresh):
            _another_game(desk)
        _compare(former, fresh)


def test_after_another_run_no_page_shows_anything_of_the_former(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    with _desk(qapp, tmp_path / "former", qtbot) as former, _desk(qapp, tmp_path / "fresh", qtbot) as fresh:
        _play(former)
        former.tell(ended(), state(STATE.READY))
        fresh.open("flappy", opened(), scripted_window(), *of_the_game(now_ns()))
        for desk in (former, fresh):
            _another_run(desk)
        _compare(former, fresh)


def test_the_memory_page_opens_on_the_game_that_plays(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    with _desk(qapp, tmp_path, qtbot) as desk:  # something is remembered of flappy only
        _another_game(desk)
        desk.console.window.show_page(places.MEMORY_PAGE)
        memory = memory_page(desk.console)
        assert memory.game_id == "snake"
        desk.open("flappy", opened())
        assert memory.game_id == "flappy"
        memory.choose_game("snake")
        desk.tell(began(now_ns()), state(STATE.PLAYING))
        assert memory.game_id == "snake", "the operator's choice stays while the same game plays"


def test_the_title_names_the_game_that_is_opened(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    with _desk(qapp, tmp_path, qtbot) as desk:
        live = desk.console.live
        desk.console.bridge.open_game("flappy")
        qtbot.waitUntil(lambda: any("Opening Flappy Bird" in text for text in _texts(live)))
        desk.console.bridge.open_game("snake")
        qtbot.waitUntil(lambda: any("Opening Snake" in text for text in _texts(live)))
        assert not any("Flappy" in text for text in _texts(live))
