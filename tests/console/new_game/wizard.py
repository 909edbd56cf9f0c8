"""The page "Add a game" under a person's hand: pointer and keys of the screen, counted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import shiboken6
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from tests.console.game_window import xdotool
from tests.console.scripted_session import ScriptedOpener
from tests.patience import needs_hands

from pitwall.console.kit.theme import Look
from pitwall.console.new_game.page import NewGamePage
from pitwall.console.services.bridge import Bridge
from pitwall.core.paths import DataFolder
from pitwall.games.drafting.draft import Draft
from pitwall.games.registry import Registry

GAME_AT = (1100, 500)
"""Where the game's window stands."""
PATIENCE_MS = 240_000
"""Longer than anything here takes on a busy machine; what passes does not wait for it."""


@dataclass
class Hand:
    """The operator's hand: every press, drag and word it does is counted."""

    done: list[str] = field(default_factory=list)

    def click(self, at: QPoint, name: str) -> None:
        self.done.append(f"click {name}")
        xdotool("mousemove", str(at.x()), str(at.y()), "click", "1")

    def button(self, button: QWidget) -> None:
        self.click(button.mapToGlobal(button.rect().center()), button.accessibleName())

    def drag(self, start: QPoint, end: QPoint, name: str) -> None:
        self.done.append(f"draw {name}")
        middle = (start + end) / 2
        xdotool("mousemove", str(start.x()), str(start.y()), "mousedown", "1")
        xdotool("mousemove", str(middle.x()), str(middle.y()))
        xdotool("mousemove", str(end.x()), str(end.y()), "mouseup", "1")

    def press(self, key: str) -> None:
        self.done.append(f"press {key}")
        xdotool("key", key)

    def write(self, words: str) -> None:
        self.done.append(f"write {words}")
        xdotool("type", words)


@dataclass
class PageHarness:
    """The page under test, and the game."""

    page: NewGamePage
    bot: QtBot
    window_id: int
    hand: Hand = field(default_factory=Hand)

    @property
    def draft(self) -> Draft:
        assert self.page.draft is not None
        return self.page.draft

    def until(self, holds: Any) -> None:
        self.bot.waitUntil(holds, timeout=PATIENCE_MS)

    def button(self, name: str) -> QPushButton:
        buttons_found = [
            button
            for button in self.page.findChildren(QPushButton)
            if button.isVisible() and button.accessibleName().startswith(name)
        ]
        assert buttons_found, f"no button {name!r}"
        return buttons_found[0]

    def press(self, name: str) -> None:
        self.bot.wait(120)  # a person looks first; what was just shown is laid out by then
        self.hand.button(self.button(name))

    def scroll_to(self, name: str) -> None:
        """Press a button further down in its pane, as after a turn of the wheel."""
        self.bot.wait(300)  # until what was just shown is laid out
        button = self.button(name)
        pane: QWidget | None = button
        while pane is not None and not isinstance(pane, QScrollArea):
            pane = pane.parentWidget()
        if pane is not None:
            pane.ensureWidgetVisible(button)
        self.press(name)

    def on_picture(self, x: float, y: float) -> QPoint:
        view, screen = self.page.sight.view, self.draft.screen
        place = view.picture()
        left, top = x * place.width() / screen.width, y * place.height() / screen.height
        return view.mapToGlobal(QPointF(place.x() + left, place.y() + top).toPoint())

    def draw(self, box: tuple[int, int, int, int], name: str) -> None:
        x, y, width, height = box
        self.hand.drag(self.on_picture(x, y), self.on_picture(x + width, y + height), name)


def buttons(page: NewGamePage, name: str) -> list[QPushButton]:
    return [
        button
        for button in page.findChildren(QPushButton)
        if button.isVisibleTo(page) and button.accessibleName().startswith(name)
    ]


@contextlib.contextmanager
def opened_wizard(
    data: DataFolder, app: QApplication, bot: QtBot, window_id: int = 0
) -> Iterator[PageHarness]:
    """The page on a data folder, with nothing chosen, for the time of a block."""
    needs_hands()
    bridge = Bridge(data, ScriptedOpener(), Registry(data).games)
    page = NewGamePage(bridge, Look(app, "dark"))
    page.setGeometry(4, 24, 1080, 700)
    page.opened()
    page.show()
    bot.waitExposed(page)
    try:
        yield PageHarness(page, bot, window_id)
    finally:
        page.close_reading()
        bridge.shutdown()
        shiboken6.delete(page)
