"""The editor of one setting: reports what was entered; the page judges it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import row
from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.kit.form.editors import build_editor
from pitwall.console.kit.setting_editors.fields import Scalar, SettingField

_EDITOR_WIDTH = 190


class SettingEditor(QWidget):
    """The editor of one setting.

    Signals:
        edited(value): the operator entered a value that may or may not fit.
        unusable(text): a key that cannot be a hotkey was pressed.
    """

    edited = Signal(object)
    unusable = Signal(str)

    def __init__(self, field: SettingField) -> None:
        super().__init__()
        self._editor = build_editor(field.form_field(), live=False, compact=False)
        self._showing = False
        control = self._editor.control
        control.setAccessibleDescription(" ".join((field.key, field.fits)).strip())
        control.setFixedWidth(_EDITOR_WIDTH)
        self._editor.finished.connect(lambda *_: self._finished())
        if isinstance(control, ChordEditor):
            control.unusable.connect(self.unusable)
        self.setLayout(row(control))
        self.setFocusProxy(control)

    def show_value(self, value: Scalar) -> None:
        """Show the value in force, without telling it back."""
        self._showing = True
        self._editor.show(value)
        self._showing = False

    @property
    def control(self) -> QWidget:
        """The widget that takes the keys."""
        return self._editor.control

    def _finished(self) -> None:
        if not self._showing:
            self.edited.emit(self._editor.read())
