"""A page's keys work however the page was opened."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from tests.console.conftest import ConsoleHarness

from pitwall.console.kit import places


def _search_field(room: ConsoleHarness) -> QLineEdit | None:
    """Return the field of the page in view that offers Ctrl+F."""
    fields = room.console.window.page.findChildren(QLineEdit)
    return next(
        (field for field in fields if field.isVisible() and "Ctrl+F" in field.placeholderText()), None
    )


@pytest.mark.parametrize("by", ["rail", "number"])
def test_ctrl_f_searches_on_every_page_that_offers_it(room: ConsoleHarness, by: str) -> None:
    window = room.console.window
    window.activateWindow()
    room.bot.waitUntil(window.isActiveWindow)
    searched = []
    in_rail = [place for place in places.all_places() if place.in_rail]
    for number, place in enumerate(in_rail, 1):
        if by == "rail":
            QTest.mouseClick(window._rail.button(place.key), Qt.MouseButton.LeftButton)
        else:
            key = Qt.Key(Qt.Key.Key_0 + number)
            QTest.keyClick(QApplication.focusWidget() or window, key, Qt.KeyboardModifier.ControlModifier)
        room.bot.waitUntil(lambda key=place.key: window.page.place.key == key)  # type: ignore[misc]
        field = _search_field(room)
        if field is None:
            continue
        focus = QApplication.focusWidget()
        QTest.keyClick(focus or window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert field.hasFocus(), place.title
        searched.append(place.key)
    assert {places.RUNS.key, places.SETTINGS.key} <= set(searched)


def test_no_page_needs_the_focus_for_its_own_keys(room: ConsoleHarness) -> None:
    bound = 0
    for place in places.all_places():
        page = room.console.page(place.key)
        for shortcut in page.findChildren(QShortcut):
            if shortcut.parent() is page:
                bound += 1
                keys = shortcut.key().toString()
                assert shortcut.context() is Qt.ShortcutContext.WindowShortcut, f"{keys} of {place.title}"
    assert bound > 10
