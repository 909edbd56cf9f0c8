"""Shares one keyboard between the game and the console, where the agent has none of its own.

All of that is here; it rests while the agent plays with its own keyboard.

The keyboard is with the game: the console's windows refuse the focus, and a click needs none. The console
borrows it while it is in use: from a click on a text field or key pad, and as long as a list, menu, dialog or
other window of the console is open. The agent rests meanwhile, and the game is paused where it can be; the
engine confirms that before the console takes the keyboard. The loan ends as the list or window closes, with
Enter or Esc in a field of the main window, soon after a click beside its fields, and some seconds after the
last key.

A window manager may give a clicked window the focus all the same: then the click hands it back.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from pitwall.console.kit.elements import Button, set_property
from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.kit.theme import BOTTOM_HEIGHT, PAD
from pitwall.console.new_game.key_pad import KeyPad
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import RUNNING, Part, Phase
from pitwall.core import commands
from pitwall.core.injection import FocusHolder
from pitwall.desktops.here import this_desktop

_UNCONFIRMED_MS = 500
"""The console takes the keyboard after this time where the engine does not answer."""
_CLICK_MS = 150
"""A click that activates a window arrives within this time after it."""
_AFTER_CLICK_MS = 1_500
"""The loan lasts this long after a click beside the fields, unless a key is typed."""
_NEVER_USED = (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)
_DONE_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
_TEXTS = (QLineEdit, QPlainTextEdit, QTextEdit, ChordEditor, KeyPad)
_IN_GAME, _BACK = "Keyboard: game", "Back to game"
_GAME_TIP = "What you click here leaves the keyboard with the game. Click to type and use keys here."
_LENT_TIP = "You have the keyboard, and the agent rests. Click to hand it back to the game."


class SharedKeyboard(QObject):
    """Follows the run's phase and the operator's hands.

    Args:
        main: the console's window, which is not in use by being open.

    Attributes:
        lent: the operator has the keyboard, or waits for the agent to rest.

    Signals:
        changed: the keyboard was lent or went back, or the run's phase changed.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, main: QWidget) -> None:
        super().__init__(bridge)
        self._bridge, self._main = bridge, main
        self.lent = self._guarding = self._granted = self._until_closed = False
        self._borrower = main
        self._unused = _timer(self, self._end_unused)
        self._unconfirmed = _timer(self, self._take_keyboard, _UNCONFIRMED_MS)
        self._activated = _timer(self, self._keep_keyboard, _CLICK_MS)
        bridge.changed.connect(self._follow)
        bridge.settings_changed.connect(self._follow_settings)

    @property
    def playing(self) -> bool:
        """Return whether the operator's keyboard belongs to a game (an agent's own does not take it)."""
        return self._bridge.state.phase in RUNNING and not self._bridge.state.own_seat

    def borrow(self, window: QWidget) -> None:
        """Give this window the keyboard; the agent pauses first, and the game too where it can."""
        if not self.playing:
            return
        self._used()
        behind = (window.parentWidget() or self._main).window()
        self._borrower = behind if window.windowType() == Qt.WindowType.Popup else window
        if self._granted:
            self._take_keyboard()
        elif not self.lent:
            self.lent = True
            self._bridge.send(commands.BorrowKeyboard(hold=self._bridge.settings.console.hold_while_typing))
            self._unconfirmed.start()
            self.changed.emit()

    def give_back(self) -> None:
        """Hand the keyboard to the game, and refuse it again."""
        self._end_loan()
        if self._guarding:
            _refuse_focus(True)
        self._bridge.send(commands.ReturnKeyboard())
        self.changed.emit()

    def close(self) -> None:
        """Follow no run any more; the windows are like any others again."""
        self._bridge.changed.disconnect(self._follow)
        self._bridge.settings_changed.disconnect(self._follow_settings)
        self._guard(False)
        self._end_loan()

    # ---- Qt's own

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, QWidget):
            return False
        kind = event.type()
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
            self._pressed(watched, twice=kind == QEvent.Type.MouseButtonDblClick)
        elif kind == QEvent.Type.MouseButtonRelease:
            self._released(watched)
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self.lent:
            self._used()
            if event.key() in _DONE_KEYS and isinstance(watched, QLineEdit):
                self._until_closed = True
                QTimer.singleShot(0, self, self._closed)
        elif kind == QEvent.Type.Show and not event.spontaneous() and self._takes_keys(watched):
            self._opened(watched)
        elif kind == QEvent.Type.Hide and self._takes_keys(watched):
            QTimer.singleShot(0, self, self._closed)
        elif kind == QEvent.Type.WindowActivate and not self.lent:
            self._activated.start()
        return False

    # ---- the run

    def _follow_settings(self, _settings: object) -> None:
        self._follow(Part.PHASE)

    def _follow(self, changed: Part) -> None:
        if not changed & Part.PHASE:
            return
        self._guard(self.playing and self._bridge.settings.console.keyboard_in_game)
        state = self._bridge.state
        confirmed = state.phase is Phase.WAITING and state.cause == FocusHolder.CONSOLE
        if self.lent and not self._granted and confirmed:
            self._take_keyboard()
        self.changed.emit()

    def _guard(self, wanted: bool) -> None:
        app = QApplication.instance()
        if wanted == self._guarding or app is None:
            return
        self._guarding = wanted
        self._end_loan()
        if wanted:
            app.installEventFilter(self)
        else:
            app.removeEventFilter(self)
        _refuse_focus(wanted)
        if wanted and (window := _open_window()) is not None:
            self._opened(window)

    # ---- the loan

    def _take_keyboard(self) -> None:
        """Give the keyboard to the window that borrows it; a list or menu holds it while it is open.

        The focus is set at once: keys that are typed while a window manager answers are the window's already.
        """
        self._unconfirmed.stop()
        self._granted = True
        _refuse_focus(False)
        window = self._borrower if isValid(self._borrower) else self._main
        window.activateWindow()
        this_desktop().give_focus(int(window.winId()))
        popup = QApplication.activePopupWidget()
        if popup is not None and (handle := popup.windowHandle()) is not None:
            handle.setKeyboardGrabEnabled(True)

    def _end_loan(self) -> None:
        self.lent = self._granted = self._until_closed = False
        self._borrower = self._main
        for timer in (self._unused, self._unconfirmed, self._activated):
            timer.stop()

    def _used(self, most_ms: int | None = None) -> None:
        """Begin the time without keys and clicks anew after which the keyboard goes back; 0: never."""
        idle_ms = 1_000 * self._bridge.settings.console.back_to_game_s
        idle_ms = min(idle_ms or most_ms, most_ms) if most_ms is not None else idle_ms
        self._unused.start(idle_ms) if idle_ms else self._unused.stop()

    def _end_unused(self) -> None:
        if _open_window() is None:
            self.give_back()

    # ---- the operator's hands

    def _pressed(self, widget: QWidget, *, twice: bool) -> None:
        self._activated.stop()
        if _text_of(widget):
            self._until_closed = self._until_closed and widget.window() is not self._main
            self.borrow(widget.window())
        elif twice:
            QTimer.singleShot(0, widget, lambda: self._borrow_for_editor(widget.window()))

    def _borrow_for_editor(self, window: QWidget) -> None:
        """Take the keyboard where a double click opened an editor in a table."""
        focused = window.focusWidget()
        around = focused.parent() if focused is not None and _text_of(focused) else None
        if around is not None and isinstance(around.parent(), QAbstractItemView):
            self.borrow(window)

    def _released(self, widget: QWidget) -> None:
        """End a field's use soon after a click beside it; hand back a focus that the click has brought."""
        if self.lent:
            beside = widget.window() is self._main and not _text_of(widget)
            self._used(_AFTER_CLICK_MS if beside else None)
        elif widget.isActiveWindow():
            self.give_back()

    def _keep_keyboard(self) -> None:
        """Borrow for a window that was activated without a click: somebody chose it by keys."""
        window = QApplication.activeWindow()
        if not self.lent and window is not None:
            self.borrow(window)

    def _opened(self, window: QWidget) -> None:
        if not self._granted:
            _refuse(window, True)
            QTimer.singleShot(0, window, lambda: self._hold_off(window))
        self._until_closed = self._until_closed or not self.lent
        self.borrow(window)

    def _hold_off(self, popup: QWidget) -> None:
        """Take back the keyboard that Qt gives a list or menu: the game is not paused yet."""
        handle = popup.windowHandle()
        if handle is not None and not self._granted and popup.isVisible():
            handle.setKeyboardGrabEnabled(False)

    def _closed(self) -> None:
        """Give the keyboard back once the windows that borrowed it are closed: Esc may only empty a field."""
        window = self._borrower
        is_open = window is not self._main and isValid(window) and window.isVisible()
        if self.lent and self._until_closed and not is_open and _open_window() is None:
            self.give_back()
        elif self.lent:
            self._used()

    def _takes_keys(self, widget: QWidget) -> bool:
        """Return whether a widget is a window, list or menu that is in use as long as it is open."""
        if not widget.isWindow() or widget is self._main or widget.windowType() in _NEVER_USED:
            return False
        return not widget.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus


def _open_window() -> QWidget | None:
    """Return the list, menu or dialog that is open."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def _refuse_focus(refuse: bool) -> None:
    """Tell the window system whether a click may give the console's windows the keyboard."""
    for window in QApplication.topLevelWidgets():
        never = window.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
        if not never and window.windowType() not in (Qt.WindowType.Popup, *_NEVER_USED):
            _refuse(window, refuse)


def _refuse(window: QWidget, refuse: bool) -> None:
    handle = window.windowHandle()
    if handle is not None:
        handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, refuse)


def _text_of(widget: QWidget) -> bool:
    """Return whether a click on the widget means typing: a field or an editable text."""
    for ancestor in (widget, widget.parent()):
        if isinstance(ancestor, QWidget) and isinstance(ancestor, _TEXTS) and ancestor.isEnabled():
            return not (
                isinstance(ancestor, QLineEdit | QPlainTextEdit | QTextEdit) and ancestor.isReadOnly()
            )
    return False


def _timer(parent: QObject, ends: Callable[[], None], interval_ms: int = 0) -> QTimer:
    timer = QTimer(parent, singleShot=True, interval=interval_ms)
    timer.timeout.connect(ends)
    return timer


class KeyboardButton(Button):
    """Shows who has the shared keyboard while a run plays, and hands it over."""

    def __init__(self, keyboard: SharedKeyboard) -> None:
        super().__init__(_IN_GAME, self._hand_over, kind="keyboard", name="Keyboard")
        self._keyboard = keyboard
        words = max(self.fontMetrics().horizontalAdvance(text) for text in (_IN_GAME, _BACK))
        self.setFixedSize(words + 4 * PAD, BOTTOM_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # the keyboard belongs to the widget that had it before
        keyboard.changed.connect(self._show_holder)
        self._show_holder()

    def _show_holder(self) -> None:
        lent = self._keyboard.lent
        self.setVisible(self._keyboard.playing)
        self.setText(_BACK if lent else _IN_GAME)
        set_property(self, "holder", "console" if lent else "game")
        self.setAccessibleName(_BACK if lent else _IN_GAME)
        self.setToolTip(_LENT_TIP if lent else _GAME_TIP)

    def _hand_over(self) -> None:
        if self._keyboard.lent:
            self._keyboard.give_back()
        else:
            self._keyboard.borrow(self.window())
