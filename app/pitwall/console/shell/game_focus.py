"""Shares one keyboard between the game and the console while a run plays; this is the one rule for it.

It rests while the agent plays with a keyboard of its own.

The keyboard is with the game: the console's windows refuse the focus, and a click needs none. The console
borrows it while it is in use: from a click on a text field, and as long as a list, menu, dialog or other
window of the console is open. The agent rests meanwhile, and the game is paused where it can be; the engine
confirms that before the console takes the keyboard. The loan ends as the list or window closes, with Enter
or Esc in a field of the main window, and some seconds after the last key or click.

A window manager may give a clicked window the focus all the same: then the click hands it back.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from shiboken6 import isValid

from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import RUNNING, Part, Phase
from pitwall.core import commands
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.injection import FocusHolder

_TICK_MS = 250
_UNCONFIRMED_MS = 500
"""The console takes the keyboard after this time where the engine does not answer."""
_CLICK_MS = 150
"""A click that activates a window arrives within this time after it."""
_AFTER_CLICK_S = 1.5
"""The loan lasts this long after a click beside the fields, unless a key is typed."""
_NEVER_USED = (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)
_DONE_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
_TEXTS = (QLineEdit, QPlainTextEdit, QTextEdit, ChordEditor)


class GameFocus(QObject):
    """Follows the run's phase and the operator's hands.

    Args:
        main: the console's window, which is not in use by being open.

    Signals:
        changed: the keyboard was lent or went back, or a second of the countdown passed.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, main: QWidget) -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._main = main
        self._guarding = self._lent = self._granted = self._until_closed = self._by_click = False
        self._idle_from_ns, self._idle_s = 0, 0.0
        self._borrower: QWidget | None = None
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._unconfirmed = QTimer(self, singleShot=True, interval=_UNCONFIRMED_MS)
        self._unconfirmed.timeout.connect(self._take_keyboard)
        self._activated = QTimer(self, singleShot=True, interval=_CLICK_MS)
        self._activated.timeout.connect(self._keep_keyboard)
        bridge.changed.connect(self._follow)
        bridge.settings_changed.connect(self._follow_settings)

    @property
    def playing(self) -> bool:
        """Return whether the operator's keyboard belongs to a game (an agent's own does not take it)."""
        return self._bridge.state.phase in RUNNING and not self._bridge.state.own_seat

    @property
    def lent(self) -> bool:
        """Return whether the operator has the keyboard."""
        return self._lent

    @property
    def seconds_left(self) -> int:
        """Return whole seconds until the game gets the keyboard back, at least 1; 0: only by a click."""
        if not (self._lent and self._idle_s) or _open_window() is not None:
            return 0
        return max(1, round(self._idle_s - (now_ns() - self._idle_from_ns) / NS_PER_S + 0.5))

    def borrow(self, window: QWidget) -> None:
        """Give this window the keyboard; the agent pauses first, and the game too where it can."""
        if not self.playing:
            return
        self._used()
        behind = (window.parentWidget() or self._main).window()
        self._borrower = behind if window.windowType() == Qt.WindowType.Popup else window
        if self._granted:
            self._take_keyboard()
        elif not self._lent:
            self._lent = True
            self._bridge.send(commands.BorrowKeyboard(hold=self._bridge.settings.console.hold_while_typing))
            self._timer.start()
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
        for timer in (self._timer, self._unconfirmed, self._activated):
            timer.stop()

    # ---- Qt's own

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, QWidget):
            return False
        kind = event.type()
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
            self._pressed(watched, twice=kind == QEvent.Type.MouseButtonDblClick)
        elif kind == QEvent.Type.MouseButtonRelease:
            self._released(watched)
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self._typed(watched, event)
        elif kind == QEvent.Type.Show and not event.spontaneous() and self._takes_keys(watched):
            self._opened(watched)
        elif kind == QEvent.Type.Hide and self._takes_keys(watched):
            QTimer.singleShot(0, self, self._closed)
        elif kind == QEvent.Type.WindowActivate and not self._lent:
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
        if self._lent and not self._granted and confirmed:
            self._take_keyboard()

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
        self.changed.emit()

    # ---- the loan

    def _take_keyboard(self) -> None:
        """Move the keyboard to the window that borrows it; a list or menu holds it while it is open."""
        self._unconfirmed.stop()
        self._granted = True
        _refuse_focus(False)
        if self._borrower is not None:
            self._borrower.activateWindow()
        popup = QApplication.activePopupWidget()
        if popup is not None and (handle := popup.windowHandle()) is not None:
            handle.setKeyboardGrabEnabled(True)

    def _end_loan(self) -> None:
        self._lent = self._granted = self._until_closed = self._by_click = False
        self._borrower = None
        for timer in (self._timer, self._unconfirmed, self._activated):
            timer.stop()

    def _used(self, idle_s: float | None = None) -> None:
        """Begin the time without keys and clicks anew after which the keyboard goes back."""
        most_s = float(self._bridge.settings.console.back_to_game_s)
        self._idle_from_ns = now_ns()
        self._idle_s = most_s if idle_s is None else min(idle_s, most_s or idle_s)

    def _tick(self) -> None:
        if _open_window() is not None:
            self._idle_from_ns = now_ns()
        elif self._idle_s and now_ns() - self._idle_from_ns >= self._idle_s * NS_PER_S:
            self.give_back()
            return
        self.changed.emit()

    # ---- the operator's hands

    def _pressed(self, widget: QWidget, *, twice: bool) -> None:
        if self._activated.isActive():
            self._activated.stop()
            self._by_click = True
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
        if self._lent:
            beside = widget.window() is self._main and not _text_of(widget)
            self._used(_AFTER_CLICK_S if beside else None)
        elif self._by_click:
            self._by_click = False
            self.give_back()

    def _keep_keyboard(self) -> None:
        """Borrow for a window that was activated without a click: somebody chose it by keys."""
        window = QApplication.activeWindow()
        if not self._lent and window is not None:
            self.borrow(window)

    def _typed(self, widget: QWidget, event: QKeyEvent) -> None:
        if not self._lent:
            return
        self._used()
        if event.key() in _DONE_KEYS and isinstance(widget, QLineEdit):
            self._until_closed = True
            QTimer.singleShot(0, self, self._closed)

    def _opened(self, window: QWidget) -> None:
        if not self._granted:
            _refuse(window, True)
            QTimer.singleShot(0, window, lambda: self._hold_off(window))
        self._until_closed = self._until_closed or not self._lent
        self.borrow(window)

    def _hold_off(self, popup: QWidget) -> None:
        """Take back the keyboard that Qt gives a list or menu: the game is not paused yet."""
        handle = popup.windowHandle()
        if handle is not None and not self._granted and popup.isVisible():
            handle.setKeyboardGrabEnabled(False)

    def _closed(self) -> None:
        """Give the keyboard back once the windows that borrowed it are closed."""
        if self._lent and self._until_closed and not self._borrower_is_open() and _open_window() is None:
            self.give_back()

    def _borrower_is_open(self) -> bool:
        """Return whether a window beside the main one still has the keyboard: Esc may only empty a field."""
        window = self._borrower
        return window is not None and window is not self._main and isValid(window) and window.isVisible()

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
