"""Keeps the keyboard with the game while the agent plays: a click in the console takes no focus.

While a run plays, the console's windows refuse the focus; pointer clicks work as usual. A click on a text
field borrows the keyboard: the engine pauses the agent and, where possible, the game. The keyboard returns
with the next click elsewhere, or after some idle seconds. A window that receives the focus from the window
manager all the same has borrowed it too.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import RUNNING, Part
from pitwall.core import commands
from pitwall.core.clock import NS_PER_S, now_ns

_TICK_MS = 250
_BORROWED_AFTER_MS = 120
"""The game's pause key is tapped before its window loses the keyboard."""
_POPUPS = (Qt.WindowType.Popup, Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)
_DONE_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
_TEXTS = (QLineEdit, QPlainTextEdit, QTextEdit, ChordEditor)


class GameFocus(QObject):
    """Follows the run's phase and the operator's hands.

    Signals:
        changed: the keyboard was lent or went back, or a second of the countdown passed.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._guarding = self._lent = False
        self._used_ns = 0
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._borrower: QWidget | None = None
        self._soon = QTimer(self, singleShot=True, interval=_BORROWED_AFTER_MS)
        self._soon.timeout.connect(self._activate)
        bridge.changed.connect(self._follow)
        bridge.settings_changed.connect(lambda *_: self._follow(Part.PHASE))

    @property
    def playing(self) -> bool:
        """Return whether the keyboard belongs to a game."""
        return self._bridge.state.phase in RUNNING

    @property
    def lent(self) -> bool:
        """Return whether the operator has the keyboard."""
        return self._lent

    @property
    def seconds_left(self) -> int:
        """Return whole seconds until the game gets the keyboard back, at least 1; 0: only by a click."""
        idle_s = self._bridge.settings.console.back_to_game_s
        if not (self._lent and idle_s):
            return 0
        return max(1, round(idle_s - (now_ns() - self._used_ns) / NS_PER_S + 0.5))

    def borrow(self, window: QWidget) -> None:
        """Give this window the keyboard; the agent pauses, and the game too where it can."""
        if not self.playing:
            return
        self._borrower = window
        if not self._lent:
            self._begin_loan()
        self._soon.start()

    def give_back(self) -> None:
        """Hand the keyboard to the game, and refuse it again."""
        self._soon.stop()
        if self._lent:
            self._lent = False
            self._timer.stop()
        if self._guarding:
            self._refuse_focus(True)
        self._bridge.send(commands.ReturnKeyboard())
        self.changed.emit()

    def close(self) -> None:
        """Follow no run any more; the windows are like any others again."""
        self._bridge.changed.disconnect(self._follow)
        self._guard(False)

    # ---- Qt's own

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
            if isinstance(watched, QWidget):
                self._pressed(watched, twice=kind == QEvent.Type.MouseButtonDblClick)
        elif kind == QEvent.Type.MouseButtonRelease:
            if self._lent and isinstance(watched, QWidget) and not _text_of(watched):
                QTimer.singleShot(0, self, self._after_action)
        elif kind == QEvent.Type.KeyPress:
            if self._lent and isinstance(watched, QWidget) and isinstance(event, QKeyEvent):
                self._typed(watched, event)
        elif kind == QEvent.Type.Show:
            if isinstance(watched, QWidget) and watched.isWindow():
                self._shown(watched)
        elif kind == QEvent.Type.WindowActivate and not self._lent:
            self._begin_loan()
        return False

    # ---- inside

    def _follow(self, changed: Part) -> None:
        if not changed & Part.PHASE:
            return
        self._guard(self.playing and self._bridge.settings.console.keyboard_in_game)

    def _guard(self, wanted: bool) -> None:
        app = QApplication.instance()
        if wanted == self._guarding or app is None:
            return
        self._guarding, self._lent = wanted, False
        self._timer.stop()
        self._soon.stop()
        if wanted:
            app.installEventFilter(self)
        else:
            app.removeEventFilter(self)
        self._refuse_focus(wanted)
        self.changed.emit()

    def _begin_loan(self) -> None:
        self._lent, self._used_ns = True, now_ns()
        self._refuse_focus(False)
        self._bridge.send(commands.BorrowKeyboard(hold=self._bridge.settings.console.hold_while_typing))
        self._timer.start()
        self.changed.emit()

    def _activate(self) -> None:
        if self._lent and self._borrower is not None:
            self._borrower.activateWindow()

    def _tick(self) -> None:
        idle_s = self._bridge.settings.console.back_to_game_s
        if idle_s and now_ns() - self._used_ns >= idle_s * NS_PER_S:
            self.give_back()
        else:
            self.changed.emit()

    def _pressed(self, widget: QWidget, *, twice: bool) -> None:
        self._used_ns = now_ns()
        if _text_of(widget):
            self.borrow(widget.window())
        elif twice:
            QTimer.singleShot(0, widget, lambda: self._borrow_for_editor(widget.window()))

    def _borrow_for_editor(self, window: QWidget) -> None:
        """Take the keyboard where a double click opened an editor in a table."""
        focused = window.focusWidget()
        around = focused.parent() if focused is not None and _text_of(focused) else None
        if around is not None and isinstance(around.parent(), QAbstractItemView):
            self.borrow(window)

    def _after_action(self) -> None:
        """Give the keyboard back after a click that needs none, unless a dialog is open."""
        window = QApplication.activeWindow()
        dialog = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if self._lent and dialog is None and window is not None:
            self.give_back()

    def _typed(self, widget: QWidget, event: QKeyEvent) -> None:
        self._used_ns = now_ns()
        if event.key() in _DONE_KEYS and isinstance(widget, QLineEdit):
            QTimer.singleShot(0, self, self._after_action)

    def _shown(self, window: QWidget) -> None:
        if window.windowType() == Qt.WindowType.Popup:
            QTimer.singleShot(0, window, lambda: self._leave_keyboard(window))
        elif window.windowType() not in _POPUPS and not self._lent:
            _refuse(window, True)
            QTimer.singleShot(0, window, lambda: self._borrow_for_dialog(window))

    def _leave_keyboard(self, popup: QWidget) -> None:
        """Let a list or menu take only the pointer: Qt would also take the keyboard from the game."""
        handle = popup.windowHandle()
        if handle is not None and not self._lent and popup.isVisible():
            handle.setKeyboardGrabEnabled(False)

    def _borrow_for_dialog(self, window: QWidget) -> None:
        focused = window.focusWidget()
        if window.isVisible() and focused is not None and _text_of(focused):
            self.borrow(window)

    def _refuse_focus(self, refuse: bool) -> None:
        for window in QApplication.topLevelWidgets():
            if window.windowType() not in _POPUPS and not window.testAttribute(
                Qt.WidgetAttribute.WA_ShowWithoutActivating
            ):
                _refuse(window, refuse)


def _refuse(window: QWidget, refuse: bool) -> None:
    """Tell the window system whether a click may give this window the keyboard."""
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
