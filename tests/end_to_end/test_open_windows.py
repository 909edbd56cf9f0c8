"""What is open in the console has the keyboard while an agent plays: none of its keys reaches the game.

Every list, menu and dialog of every page, the palette, the manual and the steps of "Add a game" are used with
the pointer and the keyboard of a real screen, where the agent shares the keyboard and where it has its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button
from tests.end_to_end.desk import OWN, TYPED, Desk, Desks, Visit, fields_in_view, opened_desk, openers, visit
from tests.end_to_end.game import SmallGame, xdotool

from pitwall.console.kit.places import NEW_GAME, Place, all_places
from pitwall.console.new_game.draft_edits import STEPS
from pitwall.console.new_game.key_pad import KeyPad
from pitwall.console.new_game.page import NewGamePage
from pitwall.console.shell.manual import ManualWindow

pytestmark = [pytest.mark.screen, pytest.mark.timeout(300)]
_REFUSED = {"takeover", "paused", "stopped"}
"""Kinds of events that nothing here may bring about."""


@pytest.fixture(params=["by hand", OWN], scope="module")
def desks(
    screen: str, tmp_path_factory: pytest.TempPathFactory, qapp: QApplication, request: pytest.FixtureRequest
) -> Iterator[Desks]:
    assert screen
    desks = Desks(lambda: opened_desk(tmp_path_factory.mktemp("desk"), qapp, QtBot(request), request.param))
    yield desks
    desks.close()


@pytest.fixture
def desk(desks: Desks) -> Iterator[Desk]:
    """The agent plays before and after, with no takeover and no foreign key between."""
    desk = desks.playing()
    begun, keys = len(desk.events), len(desk.foreign_keys())
    yield desk
    desk.plays_on()
    assert len(desk.foreign_keys()) == keys
    assert not {event.kind for event in desk.events[begun:]} & _REFUSED


@pytest.mark.parametrize(
    "place", [place for place in all_places() if place.in_rail], ids=lambda place: place.key
)
def test_what_a_page_opens_has_the_keyboard(desk: Desk, place: Place) -> None:
    keys = len(desk.foreign_keys())
    desk.show(place)
    desk.wait(lambda: openers(desk.console.window))
    desk.bot.wait(500)  # what else comes with the page's contents is opened, too
    assert [name for name in _visited(desk, openers(desk.console.window), keys) if name]


def _visited(desk: Desk, widgets: list[QWidget], keys: int) -> Iterator[str]:
    """Visit what each widget opens; yield the widget's name, or "" where it opened nothing."""
    for widget in widgets:
        if not shiboken6.isValid(widget) or not widget.isVisible() or not widget.isEnabled():
            continue
        name = f"{type(widget).__name__} {widget.accessibleName()!r}"
        visited = visit(desk, widget)
        _assert_quiet(desk, visited, keys, name)
        yield name if visited.opened else ""
        desk.plays()


def _assert_quiet(desk: Desk, visited: Visit, keys: int, name: str) -> None:
    assert not visited.failure, f"{name}: {visited.failure}"
    assert len(desk.foreign_keys()) == keys, name


def test_the_palette_has_the_keyboard(desk: Desk) -> None:
    keys = len(desk.foreign_keys())
    _use_console(desk)
    visited = visit(desk, lambda: xdotool("key", "ctrl+p"))
    assert visited.opened
    _assert_quiet(desk, visited, keys, "the palette")


def test_the_manuals_search_has_the_keyboard(desk: Desk) -> None:
    keys = len(desk.foreign_keys())
    visited = visit(desk, button(desk.console.window, "Help"))
    assert visited.opened
    _assert_quiet(desk, visited, keys, "the manual")
    assert desk.console.window.findChildren(ManualWindow)[0].search.text() == TYPED


def _use_console(desk: Desk) -> None:
    """Give the console's window the keyboard, as a person who wants to use its keys."""
    if desk.own:
        desk.show(desk.console.window.page.place)
    else:
        desk.wait(lambda: _lends(desk))
        desk.point(button(desk.console.window, "Keyboard: game"))
    desk.wait(lambda: desk.granted)


def _lends(desk: Desk) -> bool:
    window = desk.console.window
    buttons = window.findChildren(QAbstractButton)
    return any(b.isVisibleTo(window) and b.accessibleName().startswith("Keyboard: game") for b in buttons)


def test_the_steps_of_a_new_game_have_the_keyboard(desk: Desk, tmp_path: Path) -> None:
    other = SmallGame(tmp_path, ("tap",))
    program = tmp_path / "game"
    program.write_text(f"#!/bin/sh\nexec {shlex.join(other.command)}\n")
    program.chmod(0o755)
    desk.show(NEW_GAME)
    page = desk.console.window.page
    assert isinstance(page, NewGamePage)
    command = next(line for line in fields_in_view(page) if "Command" in line.accessibleName())
    _type_into(desk, command, str(program))
    xdotool("key", "Return")
    desk.wait(lambda: page.step == 1)
    xdotool("windowmove", other.window_id(), "8", "420")
    desk.wait(lambda: page.eyes.looking)
    for step in range(1, len(STEPS)):
        page.show_step(step)
        desk.bot.wait(300)
        _use_step(desk, page)
    page.begin_anew()
    page.closed()


def _use_step(desk: Desk, page: NewGamePage) -> None:
    """Type into each field and the key pad of a step, and open its lists."""
    keys = len(desk.foreign_keys())
    panel = page.panels[page.step]
    for pad in panel.findChildren(KeyPad):
        if pad.isVisible():
            _type_into(desk, pad)
    for field in fields_in_view(panel):
        if shiboken6.isValid(field) and field.isVisible():
            _type_into(desk, field)
    lists = [combo for combo in panel.findChildren(QComboBox) if combo.isVisible() and combo.count()]
    list(_visited(desk, list(lists[:2]), keys))
    assert len(desk.foreign_keys()) == keys, panel.accessibleName()


def _type_into(desk: Desk, field: QWidget, text: str = TYPED) -> None:
    desk.point(field)
    desk.wait(lambda: field.hasFocus() and desk.granted)
    xdotool("type", "--delay", "5", text)
    if isinstance(field, QLineEdit):
        desk.wait(lambda: text in field.text())
