"""One keyboard for agent and operator: clicks in the console leave it with the game; a field borrows it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from tests.end_to_end.desk import TYPED, Desk, fields_in_view, opened_desk
from tests.end_to_end.game import xdotool

from pitwall.console.kit.places import RUNS, all_places
from pitwall.console.state.view_state import Phase
from pitwall.core.telemetry import StateChanged
from workshop.fixtures.processes import freeze, resume

pytestmark = [pytest.mark.screen, pytest.mark.timeout(300)]


@pytest.fixture(params=["by hand"], scope="module")
def desk(
    screen: str, tmp_path_factory: pytest.TempPathFactory, qapp: QApplication, request: pytest.FixtureRequest
) -> Iterator[Desk]:
    assert screen
    yield from opened_desk(tmp_path_factory.mktemp("desk"), qapp, QtBot(request), request.param)


IN_RAIL = [place for place in all_places() if place.in_rail]


@pytest.mark.parametrize("desk", ["by hand", "--start"], indirect=True, scope="module")
def test_a_click_leaves_the_keyboard_with_the_game(desk: Desk) -> None:
    records: list[object] = []
    loans: list[bool] = []
    desk.console.bridge.received.connect(records.append)
    desk.focus.changed.connect(lambda: loans.append(desk.focus.lent))
    for page in IN_RAIL:
        desk.show(page)
        desk.bot.wait(300)
    steps = desk.console.bridge.state.steps
    last = steps[-1].step
    desk.wait(lambda: steps[-1].step > last + 2)
    assert not any(loans)
    assert not [record for record in records if isinstance(record, StateChanged)]


def _window_manager(screen: str) -> int:
    """The process of the screen's window manager."""
    managers = subprocess.run(["pgrep", "-x", "openbox"], capture_output=True, text=True).stdout.split()
    environments = ((int(pid), Path(f"/proc/{pid}/environ").read_text()) for pid in managers)
    return next(pid for pid, environment in environments if f"DISPLAY={screen}\0" in environment)


def test_keys_typed_as_the_keyboard_is_lent_reach_the_field(desk: Desk, screen: str) -> None:
    """However long the window manager takes to give the console the focus."""
    manager, keys = _window_manager(screen), len(desk.foreign_keys())
    desk.show(RUNS)
    field = next(at for at in fields_in_view(desk.console.window) if isinstance(at, QLineEdit))
    stop = desk.focus.changed.connect(lambda: freeze(manager))
    try:
        desk.point(field)
        desk.wait(lambda: desk.focus.lent and desk.phase is Phase.WAITING)
        xdotool("type", TYPED)
        desk.wait(lambda: field.text() == TYPED)
    finally:
        QObject.disconnect(stop)
        resume(manager)
    xdotool("key", "Escape")
    desk.plays()
    assert len(desk.foreign_keys()) == keys
