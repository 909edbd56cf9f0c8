"""Choosing a game's window by clicking it; a searchable list does the same from the keyboard."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set

from pydantic import TypeAdapter, ValidationError
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QCursor, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QWidget

from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, Label, column, holder, row
from pitwall.console.kit.screen_places import point_to_pixels, screen_places
from pitwall.console.kit.theme import GAP, PAD, WIDE
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError, ProtocolError
from pitwall.core.geometry import WindowRef
from pitwall.core.validation import first_fault
from pitwall.desktops.here import this_desktop

_TRY_GRAB_MS = 20
_ASK_TO_CLICK = "The next click chooses the window under the cross. Esc cancels."
_WINDOWS: TypeAdapter[list[WindowRef]] = TypeAdapter(list[WindowRef])


def _takes_clicks() -> bool:
    """Return whether our window can receive a click that is meant for another window."""
    return QGuiApplication.platformName() == "xcb" and this_desktop().free_placement


class WindowPicker(QWidget):
    """A small window that asks for a click on the game, or shows the open windows as a list.

    Args:
        own_pids: processes whose windows are not offered; this process always is among them.
        parent: the window above which it opens. choose: words of the list's button.

    Signals:
        chosen(window): a core.geometry.WindowRef. cancelled(): Esc, or the window was closed.
    """

    chosen = Signal(object)
    cancelled = Signal()

    def __init__(
        self,
        *,
        own_pids: Set[int] = frozenset(),
        parent: QWidget | None = None,
        choose: str = "Play this window",
    ) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.WindowStaysOnTopHint)
        self.setWindowTitle("Choose the game's window")
        self.setAccessibleName("Choose the game's window")
        self.setObjectName("shell")
        self._own_pids = frozenset({os.getpid(), *own_pids})
        self._job = Job(self)
        self._job.answered.connect(self._listed)
        self._job.failed.connect(self._show_error)
        self._clicked: tuple[int, int] | None = None
        self._aiming = False
        self._windows: list[WindowRef] = []
        self._grab_soon = QTimer(self, interval=_TRY_GRAB_MS)
        self._grab_soon.timeout.connect(self._try_grab)
        self._pages = QStackedWidget()
        self._choose = Button(choose, self._choose_current, kind="primary")
        self._asking = self._build_hint()
        self._pages.addWidget(self._asking)
        self._pages.addWidget(self._build_list())
        self.setLayout(column(self._pages))

    def pick(self) -> None:
        """Ask for a click where the platform allows it, else show the list."""
        if not _takes_clicks():
            self.show_list()
            return
        self._clicked = None
        self._pages.setCurrentIndex(0)
        self._say(_ASK_TO_CLICK)
        self.ensurePolished()
        self.setFixedSize(420, max(self._asking.sizeHint().height(), 132))
        self._appear()
        self._grab_soon.start()

    def show_list(self) -> None:
        """Show the open windows, topmost first."""
        self._let_go()
        self._clicked = None
        self._pages.setCurrentIndex(1)
        self._list_note.set_text("Looking for windows …")
        self.setFixedSize(480, 380)
        self._appear()
        self._search.setFocus()
        self._job.start(["windows"])

    def windows(self) -> Sequence[WindowRef]:
        """Return the listed windows as filtered."""
        return matching(self._windows, self._search.text())

    @property
    def aiming(self) -> bool:
        """Return whether the next click anywhere chooses a window."""
        return self._aiming

    @property
    def busy(self) -> bool:
        """Return whether the windows are being listed."""
        return self._job.running

    @property
    def message(self) -> str:
        """Return the text that the operator reads now."""
        return (self._list_note if self._pages.currentIndex() else self._hint).full_text()

    @property
    def list_button(self) -> QWidget:
        """Return the button that leads from the click to the list."""
        return self._to_list

    # ---- events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the release too, so that the game receives no part of the click."""
        if not self._aiming:
            return
        place = event.globalPosition().toPoint()
        if self._over(self._to_list, place):
            self.show_list()
        elif self._over(self._cancel, place):
            self.close()
        else:
            self._let_go()
            self._clicked = point_to_pixels(place, screen_places())
            self._say("Looking for the window there …")
            self._job.start(["windows"])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._let_go()
        if self._job.running:
            self._job.cancel()
        self.cancelled.emit()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange and self.isMinimized():
            self.close()

    # ---- parts

    def _build_hint(self) -> QWidget:
        self._hint = Label(_ASK_TO_CLICK, "dim", wrap=True)
        self._to_list = Button("Choose from a list", self.show_list, name="Choose the window from a list")
        self._cancel = Button("Cancel", self.close, kind="quiet")
        return holder(
            column(
                Label("Click the game's window", "title"),
                self._hint,
                row(self._to_list, None, self._cancel),
                gap=GAP,
                margins=(WIDE, PAD, WIDE, PAD),
            )
        )

    def _build_list(self) -> QWidget:
        self._search = SearchField("Search titles", "Search window titles")
        self._search.textChanged.connect(self._fill)
        self._search.returnPressed.connect(self._choose_current)
        self._list = QListWidget()
        self._list.setAccessibleName("Open windows, topmost first")
        self._list.itemActivated.connect(lambda _: self._choose_current())
        self._list.currentRowChanged.connect(self._show_chosen)
        self._list_note = Label("", "note", wrap=True)
        self._choose.setEnabled(False)
        click = Button("Click it instead", self.pick, kind="quiet")
        click.setVisible(_takes_clicks())
        return holder(
            column(
                Label("Choose the game's window", "title"),
                self._search,
                self._list,
                self._list_note,
                row(self._choose, click, None, Button("Cancel", self.close, kind="quiet")),
                margins=(WIDE, PAD, WIDE, PAD),
            )
        )

    # ---- aiming

    def _appear(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()

    def _try_grab(self) -> None:
        handle = self.windowHandle()
        if handle is None or not handle.isExposed():
            return
        self._grab_soon.stop()
        self.grabMouse(QCursor(Qt.CursorShape.CrossCursor))
        self._aiming = True

    def _let_go(self) -> None:
        self._grab_soon.stop()
        if self._aiming:
            self._aiming = False
            self.releaseMouse()

    def _over(self, button: QWidget, place: QPoint) -> bool:
        return button.rect().contains(button.mapFromGlobal(place))

    # ---- answers

    def _listed(self, answer: object) -> None:
        try:
            windows = parse_windows(answer)
        except PitwallError as error:
            self._show_error(error)
            return
        if self._clicked is None:
            self._windows = playable(windows, self._own_pids)
            self._fill()
            return
        window = window_at(windows, *self._clicked, self._own_pids)
        if window is None:
            self.pick()
            self._say("There is no window of another program there. Click another, or press Esc.")
            return
        if reason := refusal(window):
            self.pick()
            self._say(reason)
            return
        self._finish(window)

    def _fill(self) -> None:
        shown = self.windows()
        self._list.clear()
        for window in shown:
            item = QListWidgetItem(describe(window))
            item.setData(Qt.ItemDataRole.UserRole, window.native_id)
            self._list.addItem(item)
        if shown:
            self._list.setCurrentRow(0)
        elif self._windows:
            self._list_note.set_text("No title holds these words.")
        else:
            self._list_note.set_text("No other window is open. Start the game, then choose it here.")

    def _show_chosen(self, at: int) -> None:
        """Offer the current row, or say why it cannot be played."""
        shown = self.windows()
        reason = refusal(shown[at]) if 0 <= at < len(shown) else ""
        self._choose.setEnabled(0 <= at < len(shown) and not reason)
        if shown:
            self._list_note.set_text(reason or f"{len(shown)} of {len(self._windows)} windows, topmost first")

    def _choose_current(self) -> None:
        at, shown = self._list.currentRow(), self.windows()
        if 0 <= at < len(shown) and not shown[at].guard:
            self._finish(shown[at])

    def _finish(self, window: WindowRef) -> None:
        self._let_go()
        self.hide()
        self.chosen.emit(window)

    def _say(self, text: str) -> None:
        self._hint.set_text(text)

    def _show_error(self, error: PitwallError) -> None:
        text = f"{error.what} {error.fix}".strip()
        self._hint.set_text(text)
        self._list_note.set_text(text)


# ---- the window that was meant


def parse_windows(answer: object) -> list[WindowRef]:
    """Parse the answer of `pitwall windows --json`: the open windows, bottom to top.

    Raises:
        ProtocolError: it is not a list of windows.
    """
    try:
        return _WINDOWS.validate_python(answer)
    except ValidationError as error:
        raise ProtocolError(
            f"the list of windows cannot be read: {': '.join(first_fault(error))}.", "Restart the console."
        ) from None


def playable(windows: Sequence[WindowRef], own_pids: Set[int]) -> list[WindowRef]:
    """Return the windows that are not our own, topmost first."""
    return [window for window in reversed(windows) if window.pid not in own_pids]


def window_at(windows: Sequence[WindowRef], x: int, y: int, own_pids: Set[int]) -> WindowRef | None:
    """Return the topmost foreign window whose client area holds a point in screen pixels."""
    return next((window for window in playable(windows, own_pids) if window.rect.contains(x, y)), None)


def describe(window: WindowRef) -> str:
    """Describe a window in one line of the list: title, then size."""
    title = window.title or window.wm_class or f"window {window.native_id:#x}"
    guarded = f"  ·  not played: {window.guard}" if window.guard else ""
    return f"{title}  ·  {window.rect.width}×{window.rect.height} px{guarded}"


def refusal(window: WindowRef) -> str:
    """Say why a guarded window is not chosen; empty where nothing guards it."""
    if not window.guard:
        return ""
    return (
        f"{window.guard} is on guard there: input that a program sends can cost you the account. "
        "Pitwall is for your own, local, single-player games."
    )


def matching(windows: Sequence[WindowRef], words: str) -> list[WindowRef]:
    """Return the windows whose title or class holds every word."""
    wanted = words.lower().split()
    return [
        window
        for window in windows
        if all(word in f"{window.title} {window.wm_class}".lower() for word in wanted)
    ]
