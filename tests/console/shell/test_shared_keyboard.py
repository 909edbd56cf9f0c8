"""The keyboard that console and game share; it is left alone where the agent has its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QVBoxLayout
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_session import STATE, state

from pitwall.console.shell.shared_keyboard import KeyboardButton
from pitwall.console.state.view_state import Phase

pytestmark = pytest.mark.screen
_BORROWING = ("borrow_keyboard", "return_keyboard")


def _play(room: ConsoleHarness, *, own_seat: bool) -> None:
    room.play()
    room.session.tell(replace(state(STATE.PLAYING), own_seat=own_seat))
    room.bot.waitUntil(lambda: room.console.bridge.state.own_seat is own_seat)
    room.console.bridge.flush()


def _use(room: ConsoleHarness) -> QDialog:
    """Type in a field of a window of the console, as an operator does."""
    dialog = QDialog(room.console.window)
    field = QLineEdit(dialog)
    QVBoxLayout(dialog).addWidget(field)
    dialog.show()
    room.bot.waitExposed(dialog)
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    QTest.keyClicks(field, "hello")
    return dialog


def _refuses_focus(room: ConsoleHarness) -> bool:
    handle = room.console.window.windowHandle()
    return bool(handle.flags() & Qt.WindowType.WindowDoesNotAcceptFocus)


def _buttons(room: ConsoleHarness) -> list[KeyboardButton]:
    return [button for button in room.console.window.findChildren(KeyboardButton) if button.isVisible()]


def _lent(room: ConsoleHarness) -> bool:
    return room.console.window.keyboard.lent


def _borrowing(room: ConsoleHarness) -> list[str]:
    return [command.kind for command in room.session.sent if command.kind in _BORROWING]


def test_all_of_it_rests_while_the_agent_has_a_keyboard_of_its_own(room: ConsoleHarness) -> None:
    _play(room, own_seat=True)
    keyboard = room.console.window.keyboard
    dialog = _use(room)
    room.bot.wait(20)
    assert not keyboard.playing and not keyboard.lent
    assert not _buttons(room) and not _refuses_focus(room)
    dialog.close()
    keyboard.borrow(room.console.window)
    room.bot.wait(20)
    assert _borrowing(room) == [], "nobody asks the engine for the keyboard"
    assert room.phase is Phase.PLAYING


def test_it_begins_as_the_seat_goes_and_ends_a_loan_as_the_seat_comes(room: ConsoleHarness) -> None:
    _play(room, own_seat=True)
    _play_on(room, own_seat=False)
    assert _refuses_focus(room)
    assert [button.text() for button in _buttons(room)] == ["Keyboard: game"]
    dialog = _use(room)
    room.bot.waitUntil(lambda: _borrowing(room) == ["borrow_keyboard"])
    assert _lent(room)
    _play_on(room, own_seat=True)
    assert not _lent(room) and not _refuses_focus(room) and not _buttons(room)
    dialog.close()
    QApplication.processEvents()
    assert _borrowing(room) == ["borrow_keyboard"], "a keyboard that nobody shares is not handed back"


def _play_on(room: ConsoleHarness, *, own_seat: bool) -> None:
    """The run goes on with another seat, as after a program that hears one keyboard alone."""
    room.session.tell(replace(state(STATE.PLAYING), own_seat=own_seat))
    room.bot.waitUntil(lambda: room.console.bridge.state.own_seat is own_seat)
    room.console.bridge.flush()
