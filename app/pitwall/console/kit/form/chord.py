"""A chord typed by pressing it, in the canonical names of core.keys."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from pitwall.console.kit.elements import key_words
from pitwall.core.keys import CHARACTER_KEYS

_K = Qt.Key
_NAMED = {
    _K.Key_Left: "ArrowLeft",
    _K.Key_Right: "ArrowRight",
    _K.Key_Up: "ArrowUp",
    _K.Key_Down: "ArrowDown",
    _K.Key_Space: "Space",
    _K.Key_Return: "Enter",
    _K.Key_Enter: "NumpadEnter",
    _K.Key_Escape: "Escape",
    _K.Key_Tab: "Tab",
    _K.Key_Backtab: "Tab",
    _K.Key_Backspace: "Backspace",
    _K.Key_Delete: "Delete",
    _K.Key_Insert: "Insert",
    _K.Key_Home: "Home",
    _K.Key_End: "End",
    _K.Key_PageUp: "PageUp",
    _K.Key_PageDown: "PageDown",
    _K.Key_CapsLock: "CapsLock",
    _K.Key_NumLock: "NumLock",
    _K.Key_ScrollLock: "ScrollLock",
    _K.Key_Pause: "Pause",
    _K.Key_Print: "PrintScreen",
    _K.Key_Menu: "ContextMenu",
}
_PAD = {
    _K.Key_Plus: "NumpadAdd",
    _K.Key_Minus: "NumpadSubtract",
    _K.Key_Asterisk: "NumpadMultiply",
    _K.Key_Slash: "NumpadDivide",
    _K.Key_Period: "NumpadDecimal",
    _K.Key_Comma: "NumpadDecimal",
}
_MODIFIER_KEYS = frozenset(
    {_K.Key_Shift, _K.Key_Control, _K.Key_Alt, _K.Key_AltGr, _K.Key_Meta, _K.Key_Super_L, _K.Key_Super_R}
)
_MODIFIERS = (
    (Qt.KeyboardModifier.AltModifier, "Alt"),
    (Qt.KeyboardModifier.ControlModifier, "Control"),
    (Qt.KeyboardModifier.MetaModifier, "Meta"),
    (Qt.KeyboardModifier.ShiftModifier, "Shift"),
)
_UNSHIFTED = dict(zip('!@#$%^&*()_+{}:"<>?|~', "1234567890-=[];',./\\`", strict=True))


def key_name(key: int, modifiers: Qt.KeyboardModifier) -> str:
    """Return the canonical name of a Qt key; empty where it has none."""
    try:
        known = Qt.Key(key)
    except ValueError:
        return ""
    if modifiers & Qt.KeyboardModifier.KeypadModifier:
        if _K.Key_0 <= known <= _K.Key_9:
            return f"Numpad{known - _K.Key_0}"
        if known in _PAD:
            return _PAD[known]
    if known in _NAMED:
        return _NAMED[known]
    if _K.Key_F1 <= known <= _K.Key_F24:
        return f"F{known - _K.Key_F1 + 1}"
    character = chr(known).lower() if known < 0x80 else ""
    character = _UNSHIFTED.get(character, character)
    return character if character in CHARACTER_KEYS else ""


def chord_of(event: QKeyEvent) -> str:
    """Return the chord of a key event, like "Control+Shift+o"; empty for a key without a name."""
    name = key_name(event.key(), event.modifiers())
    held = [word for flag, word in _MODIFIERS if event.modifiers() & flag]
    return "+".join([*held, name]) if name else ""


class ChordEditor(QPushButton):
    """Shows a chord; pressed, it takes the next keys as the new one. Esc keeps the old.

    Signals:
        typed(chord): a chord was pressed. unusable(text): a key that has no name was.
    """

    typed = Signal(str)
    unusable = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._chord = ""
        self._listening = False
        self.setMinimumWidth(180)
        self.clicked.connect(self.listen)

    @property
    def chord(self) -> str:
        return self._chord

    @property
    def listening(self) -> bool:
        return self._listening

    def set_chord(self, chord: str) -> None:
        """Show a chord and listen no more."""
        self._chord = chord
        self._rest()

    def listen(self) -> None:
        """Take the next keys that are pressed."""
        self._listening = True
        self.setText("Press keys · Esc keeps")
        self.setAccessibleName(f"{self._name}: press the new keys, Escape keeps {key_words(self._chord)}")
        self.setFocus()
        self.grabKeyboard()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._listening:
            super().keyPressEvent(event)
            return
        event.accept()
        if event.isAutoRepeat() or event.key() in _MODIFIER_KEYS:
            return
        self._rest()
        if event.key() == Qt.Key.Key_Escape:
            return
        chord = chord_of(event)
        if chord:
            self.set_chord(chord)
            self.typed.emit(chord)
        else:
            self.unusable.emit(f"This key ({event.text() or hex(event.key())}) cannot be a hotkey.")

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self._listening:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._listening:
            self._rest()
        super().focusOutEvent(event)

    def _rest(self) -> None:
        if self._listening:
            self._listening = False
            self.releaseKeyboard()
        words = key_words(self._chord)
        self.setText(words)
        self.setAccessibleName(f"{self._name}: {words}, press to change")
