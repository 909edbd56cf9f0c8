"""The keyboard while an agent plays: clicks leave it with the game; what is open in the console has it.

Every list, menu and dialog of every page is opened with the pointer while an agent plays a real game; text
and Esc are typed into it with the keyboard. No key of that reaches the game, and the agent goes on by itself.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button
from tests.end_to_end.driver import LONG_HOLDS
from tests.end_to_end.game import SmallGame, xdotool
from tests.patience import patient

from pitwall.console.kit.places import NEW_GAME, all_places
from pitwall.console.shell.application import Console
from pitwall.console.shell.program import prepare
from pitwall.console.state.histories import EventRow
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import StateChanged
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from workshop.fixtures.processes import freeze, resume

pytestmark = [pytest.mark.screen, pytest.mark.timeout(300)]
_PATIENCE_S = 30.0
_STEP_MS = 20
_TYPED = "zq"
_OPENS_NOTHING_S = 1.5
_MOST_LISTS = 3
"""So many lists of a page are opened: all open alike."""


class Desk:
    """An operator at the screen, with a playing agent's console and its game on it."""

    def __init__(self, console: Console, game: SmallGame, bot: QtBot) -> None:
        self.console, self.game, self.bot = console, game, bot
        self.focus = console.window.keyboard

    @property
    def phase(self) -> Phase:
        return self.console.bridge.state.phase

    @property
    def events(self) -> list[EventRow]:
        return list(self.console.bridge.state.events)

    @property
    def granted(self) -> bool:
        """Whether the operator has the keyboard, on the screen too, and the agent waits."""
        return self.focus.lent and self.phase is Phase.WAITING and _has_the_keyboard()

    def wait(self, holds: Callable[[], object]) -> None:
        self.bot.waitUntil(lambda: bool(holds()), timeout=2_000 * int(_PATIENCE_S))

    def plays(self) -> None:
        self.wait(lambda: self.phase is Phase.PLAYING and not self.focus.lent)

    def point(self, widget: QWidget) -> None:
        """Click the middle of a widget once it stands still and can be seen."""
        for area in _areas_around(widget):
            area.ensureWidgetVisible(widget)
        place = None
        while place != (place := widget.mapToGlobal(widget.visibleRegion().boundingRect().center())):
            self.bot.wait(60)
        xdotool("mousemove", str(place.x()), str(place.y()), "click", "1")

    def foreign_keys(self) -> list[str]:
        """What reached the game beside the agent's own key."""
        return [line["key"] for line in self.game.inputs("key_down") if line["key"] != "space"]


def _areas_around(widget: QWidget) -> list[QScrollArea]:
    areas, at = [], widget.parentWidget()
    while at is not None:
        if isinstance(at, QScrollArea):
            areas.append(at)
        at = at.parentWidget()
    return areas


@pytest.fixture(params=["by hand"], scope="module")
def desk(
    screen: str, tmp_path_factory: pytest.TempPathFactory, qapp: QApplication, request: pytest.FixtureRequest
) -> Iterator[Desk]:
    """A console whose agent plays, opened by hand or as `pitwall console --game … --start` opens it."""
    assert screen
    folder = tmp_path_factory.mktemp("desk")
    shared = LONG_HOLDS.with_value("broker", "own_seat", False)  # an own seat leaves the keyboard alone
    data = patient(DataFolder(folder / "data"), shared.with_value("console", "tour_done", True))
    game = SmallGame(folder, ("tap",))
    game.open()
    xdotool("windowmove", game.window_id(), "8", "40")
    console = Console(qapp, data, EngineSession, Registry(data).games, preflight=False)
    opening = commands.Open(game=str(game.folder), launch=False)
    unattended = prepare(qapp, console, opening, commands.Start(), None)
    assert unattended is not None
    if request.param == "by hand":
        console.window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)
    console.window.setGeometry(345, 40, 1240, 900)
    console.window.show()
    made = Desk(console, game, QtBot(request))
    made.bot.waitExposed(console.window)
    made.plays()
    yield made
    console.close()
    shiboken6.delete(console.window)
    game.close()


class Visit(QObject):
    """Works in whatever a click opened: its timer goes on inside a dialog that blocks its caller.

    Attributes:
        opened: something was opened. done: it is closed again. failure: what did not happen.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._turn = self._play()
        self._holds: Callable[[], object] = lambda: True
        self._until_s = 0.0
        self.opened = self.done = False
        self.failure = self._awaited = self._heard = ""
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._step)
        self._timer.start()
        if (application := QApplication.instance()) is not None:
            application.installEventFilter(self)

    def _step(self) -> None:
        self._timer.stop()  # what is done here may run Qt's loop
        late = time.monotonic() > self._until_s
        if self._holds() or (late and not self._awaited):
            following = next(self._turn, None)
        elif late:
            desk = self._desk
            where = f"keyboard {desk.phase} {desk.focus.lent} {QApplication.focusWindow()}"
            heard = f"heard {self._heard!r}, game {desk.foreign_keys()}"
            following, self.failure = None, f"in vain: {self._awaited}, {heard}, {where}"
        else:
            self._timer.start()
            return
        if following is not None:
            self._awaited, self._holds, seconds = following
            self._until_s = time.monotonic() + seconds
            self._timer.start()
            return
        while (window := _open_window()) is not None:
            window.close()
        self.done = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(watched, QWindow):
            assert isinstance(event, QKeyEvent)
            if not event.isAutoRepeat():  # on a busy machine a key is down for long
                self._heard += event.text()
        return False

    def _typed(self, what: str) -> tuple[str, Callable[[], object], float]:
        """Type, and wait until the console's windows have each key."""
        self._heard = ""
        xdotool("type", "--delay", "5", _TYPED)
        return f"keys in {what}", lambda: self._heard == _TYPED, _PATIENCE_S

    def _play(self) -> Iterator[tuple[str, Callable[[], object], float]]:
        """Yield what is waited for, for so many seconds; without a name it need not come."""
        yield "", lambda: _open_window() is not None, _OPENS_NOTHING_S
        if _open_window() is None:
            return
        self.opened = True
        yield "the keyboard", lambda: self._desk.granted, _PATIENCE_S
        yield self._typed("what is open")
        for field in _fields(_open_window()):
            xdotool(*_click_words(field))
            yield f"focus of {field}", field.hasFocus, _PATIENCE_S
            yield self._typed(str(field))
        for _ in range(6):
            window = _open_window()
            if window is None:
                return
            xdotool("key", "Escape")
            yield "", partial(_is_not_open, window), _OPENS_NOTHING_S
        self.failure = f"Esc does not close {_open_window()}"


def _open_window() -> QWidget | None:
    dialogs = [at for at in QApplication.topLevelWidgets() if isinstance(at, QDialog) and at.isVisible()]
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or next(iter(dialogs), None)


def _has_the_keyboard() -> bool:
    """Whether the next key reaches the console: a list or menu has grabbed it, or a window has the focus."""
    if QApplication.activePopupWidget() is not None:
        return True
    focused = int(xdotool("getwindowfocus", "-f"))
    return any(window.isVisible() and int(window.winId()) == focused for window in QApplication.allWindows())


def _is_not_open(window: QWidget) -> bool:
    return _open_window() is not window


def _text(field: QWidget) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()  # type: ignore[attr-defined]


def _fields(window: QWidget | None) -> list[QWidget]:
    """The fields of text in view."""
    if window is None:
        return []
    fields: list[QLineEdit | QPlainTextEdit] = [
        *window.findChildren(QLineEdit),
        *window.findChildren(QPlainTextEdit),
    ]
    plain = [field for field in fields if not field.isReadOnly() and field.isEnabled() and field.isVisible()]
    return [field for field in plain if not field.visibleRegion().isEmpty()]


def _click_words(widget: QWidget) -> tuple[str, ...]:
    region: QRect = widget.visibleRegion().boundingRect()
    place: QPoint = widget.mapToGlobal(region.center())
    return ("mousemove", str(place.x()), str(place.y()), "click", "1")


def _openers(window: QWidget) -> list[QWidget]:
    """The lists, menus and buttons in view that open something."""

    def opens(widget: QWidget) -> bool:
        if isinstance(widget, QComboBox):
            return widget.count() > 0
        if isinstance(widget, QPushButton | QToolButton) and widget.menu() is not None:
            return True
        return isinstance(widget, QAbstractButton) and widget.text().endswith(("…", "..."))

    openers = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and opens(widget) and not isinstance(widget, QDialog)
    ]
    lists = [widget for widget in openers if isinstance(widget, QComboBox)]
    return [widget for widget in openers if widget not in lists[_MOST_LISTS:]]


def _is_shown(desk: Desk, page: str) -> bool:
    return desk.console.window.page.place.title == page


def _visit(desk: Desk, opener: QWidget) -> Visit:
    """Open what a widget opens, type into it, and close it."""
    visit = Visit(desk)
    desk.point(opener)
    desk.wait(lambda: visit.done)
    return visit


IN_RAIL = [place.title for place in all_places() if place.in_rail]


@pytest.mark.parametrize("desk", ["by hand", "--start"], indirect=True, scope="module")
def test_a_click_leaves_the_keyboard_with_the_game(desk: Desk) -> None:
    records: list[object] = []
    loans: list[bool] = []
    desk.console.bridge.received.connect(records.append)
    desk.focus.changed.connect(lambda: loans.append(desk.focus.lent))
    for page in IN_RAIL:
        desk.point(button(desk.console.window, f"{page} page"))
        desk.wait(partial(_is_shown, desk, page))
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
    desk.point(button(desk.console.window, "Runs page"))
    desk.wait(partial(_is_shown, desk, "Runs"))
    field = next(at for at in _fields(desk.console.window) if isinstance(at, QLineEdit))
    stop = desk.focus.changed.connect(lambda: freeze(manager))
    try:
        desk.point(field)
        desk.wait(lambda: desk.focus.lent and desk.phase is Phase.WAITING)
        xdotool("type", _TYPED)
        desk.wait(lambda: field.text() == _TYPED)
    finally:
        QObject.disconnect(stop)
        resume(manager)
    xdotool("key", "Escape")
    desk.plays()
    assert len(desk.foreign_keys()) == keys


@pytest.mark.parametrize("page", [*IN_RAIL, NEW_GAME.title])
def test_what_is_open_in_the_console_has_the_keyboard(desk: Desk, page: str) -> None:
    place = next(place for place in all_places() if place.title == page)
    desk.plays()
    begun, keys = len(desk.events), len(desk.foreign_keys())
    if place.in_rail:
        desk.point(button(desk.console.window, f"{page} page"))
    else:
        desk.console.window.show_page(place.key)
    desk.wait(partial(_is_shown, desk, page))
    opens_nothing = page == NEW_GAME.title  # its window picker is no menu: it takes the pointer from all
    desk.wait(lambda: opens_nothing or _openers(desk.console.window))
    desk.bot.wait(500)  # what else comes with the page's contents is opened, too
    desk.plays()
    tried, opened = 0, []
    for opener in _openers(desk.console.window):
        if not shiboken6.isValid(opener) or not opener.isVisible() or not opener.isEnabled():
            continue
        name = f"{type(opener).__name__} {opener.accessibleName()!r}"
        visit, tried = _visit(desk, opener), tried + 1
        assert not visit.failure, f"{name}: {visit.failure}"
        opened += [name] if visit.opened else []
        assert len(desk.foreign_keys()) == keys, name
        desk.plays()
    kinds = {event.kind for event in desk.events[begun:]}
    assert not kinds & {"takeover", "paused", "stopped"}
    assert bool(opened) is not opens_nothing
