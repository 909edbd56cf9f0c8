"""Choosing a window for real: a click on the screen, a list, Esc, and the command that lists windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.game_window import GameWindow, xdotool
from tests.patience import needs_hands

from pitwall.console.kit.theme import Look
from pitwall.console.kit.window_picker import WindowPicker, parse_windows, window_at
from pitwall.core.errors import ProtocolError
from pitwall.core.geometry import Rect, WindowRef

StartGame = Callable[[str], GameWindow]


@pytest.fixture
def picker(screen: str, qtbot: QtBot, qapp: QApplication) -> Iterator[WindowPicker]:
    assert screen
    assert Look(qapp, "dark").palette
    widget = WindowPicker()
    qtbot.addWidget(widget)
    yield widget
    widget.hide()
    qtbot.waitUntil(lambda: not widget.busy)


def _click(x: int, y: int) -> None:
    xdotool("mousemove", str(x), str(y), "click", "1")


def test_a_click_chooses_the_topmost_game_and_never_reaches_it(
    picker: WindowPicker, start_game: StartGame, qtbot: QtBot
) -> None:
    below, above = start_game("below"), start_game("above")
    xdotool("windowmove", str(below.window_id), "100", "100")
    xdotool("windowmove", str(above.window_id), "300", "200")
    qtbot.waitUntil(lambda: (below.rect().x, above.rect().x) == (101, 301))
    console = QWidget()
    qtbot.addWidget(console)
    console.setGeometry(80, 100, 700, 500)
    console.show()
    qtbot.waitUntil(console.isActiveWindow)
    picker.move(1000, 600)
    picker.pick()
    qtbot.waitUntil(lambda: picker.aiming)
    for game in (below, above):
        game.events.clear()
    with qtbot.waitSignal(picker.chosen) as chosen:
        _click(above.rect().x + 40, above.rect().y + 60)
    window = chosen.args[0]
    assert (window.native_id, window.pid, window.title) == (above.window_id, above.process.pid, "above")
    assert window.rect == above.rect()
    assert not picker.isVisible()
    picker.pick()
    qtbot.waitUntil(lambda: picker.aiming)
    with qtbot.waitSignal(picker.chosen) as again:
        _click(below.rect().x + 30, below.rect().y + 30)
    assert again.args[0].native_id == below.window_id
    assert "MouseButtonDown" not in above.names() + below.names()


def test_a_click_beside_every_window_asks_again_and_esc_cancels(picker: WindowPicker, qtbot: QtBot) -> None:
    needs_hands()
    picker.pick()
    qtbot.waitUntil(lambda: picker.aiming)
    _click(1590, 990)
    qtbot.waitUntil(lambda: "Click another" in picker.message)
    qtbot.waitUntil(lambda: picker.aiming)
    with qtbot.waitSignal(picker.cancelled):
        xdotool("key", "Escape")
    assert not picker.aiming
    assert QWidget.mouseGrabber() is None


def test_the_list_is_searched_and_chosen_by_keys(
    picker: WindowPicker, start_game: StartGame, qtbot: QtBot
) -> None:
    start_game("a shooter")
    runner = start_game("a runner")
    picker.show_list()
    qtbot.waitUntil(lambda: len(picker.windows()) == 2)
    assert [window.title for window in picker.windows()] == ["a runner", "a shooter"], "topmost first"
    QTest.keyClicks(picker.focusWidget(), "runn")
    assert [window.native_id for window in picker.windows()] == [runner.window_id]
    with qtbot.waitSignal(picker.chosen) as chosen:
        QTest.keyClick(picker.focusWidget(), Qt.Key.Key_Return)
    assert chosen.args[0].title == "a runner"


def test_the_list_button_works_while_the_mouse_is_held(picker: WindowPicker, qtbot: QtBot) -> None:
    needs_hands()
    picker.pick()
    qtbot.waitUntil(lambda: picker.aiming)
    button = picker.list_button
    middle = button.mapToGlobal(button.rect().center())
    _click(middle.x(), middle.y())
    qtbot.waitUntil(lambda: not picker.aiming)
    qtbot.waitUntil(lambda: "No other window is open" in picker.message)


def test_own_windows_are_looked_through() -> None:
    game = WindowRef(native_id=1, pid=10, title="game", wm_class="", rect=Rect(0, 0, 100, 100))
    console = WindowRef(native_id=2, pid=99, title="console", wm_class="", rect=Rect(0, 0, 300, 300))
    assert window_at([game, console], 50, 50, {99}) == game
    assert window_at([game, console], 150, 50, {99}) is None
    assert window_at([game, console], 50, 50, set()) == console


def test_an_answer_that_is_no_list_is_a_sentence() -> None:
    with pytest.raises(ProtocolError, match="windows cannot be read"):
        parse_windows({"windows": 3})
