"""A pad that reports every key that is pressed while it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame

from pitwall.console.kit.elements import Label, column, set_property
from pitwall.console.kit.form.chord import chord_of
from pitwall.console.kit.theme import WIDE

_MODIFIERS: dict[int, str] = {
    Qt.Key.Key_Shift: "Shift",
    Qt.Key.Key_Control: "Control",
    Qt.Key.Key_Alt: "Alt",
    Qt.Key.Key_AltGr: "AltGraph",
    Qt.Key.Key_Meta: "Meta",
}


class KeyPad(QFrame):
    """Takes all keys, even those with a meaning in this window (Tab, Esc, F5).

    Ctrl+Tab, or a click elsewhere, leaves it.

    Signals:
        typed(chord): canonical names, "Shift+ArrowLeft"; a modifier alone counts once it comes up.
        unusable(text): a key without a name was pressed.
    """

    typed = Signal(str)
    unusable = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Press the game's keys here")
        self._title = Label("", "title")
        self._note = Label("", "dim", wrap=True)
        self.setLayout(column(self._title, self._note, margins=WIDE))
        self._alone = ""
        self._words = ""
        self._show()

    def set_note(self, words: str) -> None:
        """Show the purpose of the keys."""
        self._words = words
        self._show()

    def event(self, event: QEvent) -> bool:
        """Take the window's shortcuts and Tab as keys, too."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        if event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Tab and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._alone = ""
            self.focusNextPrevChild(True)
            return
        self._alone = _MODIFIERS.get(event.key(), "")
        if self._alone:
            return
        if chord := chord_of(event):
            self.typed.emit(chord)
        else:
            self.unusable.emit("This key has no name that a game's folder can hold.")

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        event.accept()
        if self._alone and not event.isAutoRepeat():
            name, self._alone = self._alone, ""
            self.typed.emit(name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.setFocus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._alone = ""
        self._show()

    def _show(self) -> None:
        listens = self.hasFocus()
        self._title.set_text("● Press a key of the game" if listens else "○ Click here, then press keys")
        self._note.set_text(f"{self._words} Ctrl+Tab leaves.".strip())
        set_property(self, "listening", "yes" if listens else "no")
