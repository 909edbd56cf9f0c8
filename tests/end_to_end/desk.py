"""A playing agent's console on the tests' screen, and an operator who opens and types into its windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

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
from pytestqt.exceptions import TimeoutError as WaitTimeout
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import button
from tests.end_to_end.driver import LONG_HOLDS
from tests.end_to_end.game import SmallGame, xdotool
from tests.patience import patient

from pitwall.console.kit.places import Place
from pitwall.console.shell.application import Console
from pitwall.console.shell.manual import ManualWindow
from pitwall.console.shell.program import prepare
from pitwall.console.state.histories import EventRow
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession

OWN = "own keyboard"
_PATIENCE_S = 30.0
_STEP_MS = 20
TYPED = "zq"
_OPENS_NOTHING_S = 1.5
_MOST_VISIT_S = 200.0
"""A visit ends by itself; without it, a dialog would stay open and keep the keyboard."""
_MOST_LISTS = 3
"""So many lists of a page are opened: all open alike."""


class Desk:
    """An operator at the screen, with a playing agent's console and its game on it.

    Args:
        own: the agent plays with a keyboard of its own.
    """

    def __init__(self, console: Console, game: SmallGame, bot: QtBot, *, own: bool = False) -> None:
        self.console, self.game, self.bot, self.own = console, game, bot, own
        self.focus = console.window.keyboard

    @property
    def phase(self) -> Phase:
        return self.console.bridge.state.phase

    @property
    def events(self) -> list[EventRow]:
        return list(self.console.bridge.state.events)

    @property
    def granted(self) -> bool:
        """Whether the operator has the keyboard, on the screen too; the agent waits, or has its own."""
        if self.own:
            return self._plays_with_its_own and has_the_keyboard()
        return self.focus.lent and self.phase is Phase.WAITING and has_the_keyboard()

    @property
    def _plays_with_its_own(self) -> bool:
        state = self.console.bridge.state
        return self.phase is Phase.PLAYING and state.own_seat and not self.focus.playing

    def wait(self, holds: Callable[[], object], timeout_s: float = 2 * _PATIENCE_S) -> None:
        """Wait until a condition holds; a failure tells what the console showed last."""

        def check() -> None:
            if not holds():
                shown = [f"{event.kind}: {event.text}" for event in self.events[-8:]]
                where = f"{self.phase}, keyboard lent: {self.focus.lent}, open: {open_window()}"
                raise AssertionError("\n".join([where, *shown]))

        self.bot.waitUntil(check, timeout=int(1_000 * timeout_s))

    def plays(self) -> None:
        if self.own:
            self.wait(lambda: self._plays_with_its_own)
        self.wait(lambda: self.phase is Phase.PLAYING and not self.focus.lent)

    def plays_on(self) -> None:
        """Wait until the agent plays and has made a further step."""
        self.plays()
        steps = self.console.bridge.state.steps
        last = steps[-1].step if steps else 0
        self.wait(lambda: steps and steps[-1].step > last)

    def show(self, place: Place) -> None:
        """Bring a page into view."""
        if place.in_rail:
            self.point(button(self.console.window, f"{place.title} page"))
        else:
            self.console.window.show_page(place.key)
        self.wait(lambda: self.console.window.page.place.title == place.title)

    def point(self, widget: QWidget) -> None:
        """Click the middle of a widget once it stands still and can be seen."""
        for area in _areas_around(widget):
            area.ensureWidgetVisible(widget)
        self.wait(lambda: not widget.visibleRegion().isEmpty())
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


def opened_desk(folder: Path, app: QApplication, bot: QtBot, way: str) -> Iterator[Desk]:
    """Yield a desk whose agent plays; everything is closed afterwards.

    Args:
        way: opened "by hand" or as `pitwall console --game … --start` opens it ("--start"), both with one
            keyboard for agent and operator; or `OWN`.
    """
    own = way == OWN
    settings = LONG_HOLDS.with_value("broker", "own_seat", own).with_value("console", "tour_done", True)
    data = patient(DataFolder(folder / "data"), settings)
    game = SmallGame(folder, ("tap",))
    game.open()
    xdotool("windowmove", game.window_id(), "8", "40")
    console = Console(app, data, EngineSession, Registry(data).games, preflight=False)
    opening = commands.Open(game=str(game.folder), launch=False)
    unattended = prepare(app, console, opening, commands.Start(), None)
    assert unattended is not None
    if way != "--start":
        console.window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)
    console.window.setGeometry(345, 40, 1240, 900)
    console.window.show()
    made = Desk(console, game, bot, own=own)
    made.bot.waitExposed(console.window)
    made.plays()
    yield made
    console.close()
    shiboken6.delete(console.window)
    game.close()


class Desks:
    """Lends a module's tests the desk that an earlier test left, or a new one where that does not play.

    Args:
        open_desk: opens a desk.
    """

    def __init__(self, open_desk: Callable[[], Iterator[Desk]]) -> None:
        self._open_desk = open_desk
        self._opened = open_desk()
        self._desk = next(self._opened)

    def playing(self) -> Desk:
        """The desk whose agent plays; one failed test must not fail those after it."""
        try:
            self._desk.plays()
        except WaitTimeout:
            self.close()
            self._opened = self._open_desk()
            self._desk = next(self._opened)
        return self._desk

    def close(self) -> None:
        """Close the desk that is open."""
        while (window := open_window()) is not None:
            window.close()
        next(self._opened, None)


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
        try:
            self._advance()
        except Exception as error:  # else a dialog that blocks its caller would stay for ever
            self.failure = f"{type(error).__name__}: {error}"
            self._end()

    def _advance(self) -> None:
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
        self._end()

    def _end(self) -> None:
        while (window := open_window()) is not None:
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
        xdotool("type", "--delay", "5", TYPED)
        return f"keys in {what}", lambda: self._heard == TYPED, _PATIENCE_S

    def _play(self) -> Iterator[tuple[str, Callable[[], object], float]]:
        """Yield what is waited for, for so many seconds; without a name it need not come."""
        yield "", lambda: open_window() is not None, _OPENS_NOTHING_S
        if open_window() is None:
            return
        self.opened = True
        yield "the keyboard", lambda: self._desk.granted, _PATIENCE_S
        yield self._typed("what is open")
        for field in fields_in_view(open_window()):
            if not _is_there(field):
                continue  # the dialog has replaced it
            xdotool(*click_words(field))
            yield f"focus of {field}", partial(_has_focus, field), _PATIENCE_S
            yield self._typed(str(field))
        for _ in range(6):
            window = open_window()
            if window is None:
                return
            xdotool("key", "Escape")
            yield "", partial(_is_not_open, window), _OPENS_NOTHING_S
        self.failure = f"Esc does not close {open_window()}"


def open_window() -> QWidget | None:
    kinds = (QDialog, ManualWindow)
    dialogs = [at for at in QApplication.topLevelWidgets() if isinstance(at, kinds) and at.isVisible()]
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or next(iter(dialogs), None)


def has_the_keyboard() -> bool:
    """Whether the next key reaches the console: a list or menu has grabbed it, or a window has the focus."""
    if QApplication.activePopupWidget() is not None:
        return True
    focused = xdotool("getwindowfocus", "-f", check=False)  # it fails while no window has the focus
    return any(
        window.isVisible() and str(int(window.winId())) == focused for window in QApplication.allWindows()
    )


def _is_there(field: QWidget) -> bool:
    return bool(shiboken6.isValid(field)) and field.isVisible()


def _has_focus(field: QWidget) -> bool:
    return not _is_there(field) or field.hasFocus()


def _is_not_open(window: QWidget) -> bool:
    return open_window() is not window


def _text(field: QWidget) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()  # type: ignore[attr-defined]


def fields_in_view(window: QWidget | None) -> list[QWidget]:
    """The fields of text in view."""
    if window is None:
        return []
    fields: list[QLineEdit | QPlainTextEdit] = [
        *window.findChildren(QLineEdit),
        *window.findChildren(QPlainTextEdit),
    ]
    plain = [field for field in fields if not field.isReadOnly() and field.isEnabled() and field.isVisible()]
    return [field for field in plain if not field.visibleRegion().isEmpty()]


def click_words(widget: QWidget) -> tuple[str, ...]:
    region: QRect = widget.visibleRegion().boundingRect()
    place: QPoint = widget.mapToGlobal(region.center())
    return ("mousemove", str(place.x()), str(place.y()), "click", "1")


def openers(window: QWidget) -> list[QWidget]:
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


def visit(desk: Desk, opener: QWidget | Callable[[], object]) -> Visit:
    """Open what a widget or a call opens, type into it, and close it."""
    made = Visit(desk)
    if isinstance(opener, QWidget):
        desk.point(opener)
    else:
        opener()
    desk.wait(lambda: made.done, _MOST_VISIT_S)
    return made
