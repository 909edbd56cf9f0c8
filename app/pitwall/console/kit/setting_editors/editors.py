"""One editor for each kind of setting. An editor reports what was entered; the page judges it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from pitwall.console.kit.setting_editors.chord import ChordEditor
from pitwall.console.kit.setting_editors.fields import Kind, Scalar, SettingField

_WIDEST = 999_999_999
_EDITOR_WIDTH = 190
_SETTLE_MS = 250
"""Arrows held down are one entry, not thirty a second."""


class Editor(Protocol):
    """Shows a value, and tells `edited` when the operator entered another."""

    def show_value(self, value: Scalar) -> None: ...

    @property
    def control(self) -> QWidget: ...


class SettingEditor(QWidget):
    """The editor of one setting.

    Signals:
        edited(value): the operator entered a value that may or may not fit.
        unusable(text): what was entered is no value at all, with the reason.
    """

    edited = Signal(object)
    unusable = Signal(str)

    def __init__(self, field: SettingField) -> None:
        super().__init__()
        self._inner = _BUILDERS[field.kind](field, self)
        control = self._inner.control
        if not control.accessibleName():
            control.setAccessibleName(field.label)
        control.setAccessibleDescription(" ".join((field.key, field.fits)).strip())
        control.setFixedWidth(_EDITOR_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(control)
        self.setFocusProxy(control)

    def show_value(self, value: Scalar) -> None:
        """Show the value in force, without telling it back."""
        self._inner.show_value(value)

    @property
    def control(self) -> QWidget:
        """The widget that takes the keys."""
        return self._inner.control


class _Switch:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        self._box = QCheckBox("On")
        self._box.setAccessibleName(field.label)
        self._box.toggled.connect(lambda on: self._box.setText("On" if on else "Off"))
        self._box.clicked.connect(lambda on: owner.edited.emit(bool(on)))

    @property
    def control(self) -> QWidget:
        return self._box

    def show_value(self, value: Scalar) -> None:
        self._box.setChecked(bool(value))
        self._box.setText("On" if value else "Off")


class _Choice:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        self._box = QComboBox()
        self._box.addItems(field.choices)
        self._box.textActivated.connect(owner.edited.emit)
        scroll_past(self._box)

    @property
    def control(self) -> QWidget:
        return self._box

    def show_value(self, value: Scalar) -> None:
        self._box.setCurrentText(str(value))


class _WholeBox(QSpinBox):
    """Lets any number be typed, so that one that does not fit can be answered; arrows stay inside."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__()
        self._least, self._most = least, most
        self.setRange(-_WIDEST, _WIDEST)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self.editingFinished)

    def stepBy(self, steps: int) -> None:
        wanted = self.value() + steps * self.singleStep()
        self.setValue(min(max(wanted, self._least), self._most))
        self._settled.start()


class _Whole:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        least = int(field.least) if field.least is not None else -_WIDEST
        most = int(field.most) if field.most is not None else _WIDEST
        self._box = _WholeBox(least, most)
        self._box.setSingleStep(_step(least, most))
        _dress(self._box, field)
        self._box.editingFinished.connect(lambda: owner.edited.emit(self._box.value()))

    @property
    def control(self) -> QWidget:
        return self._box

    def show_value(self, value: Scalar) -> None:
        self._box.setValue(int(value))


class _Number:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        self._box = QDoubleSpinBox()
        self._box.setRange(-_WIDEST, _WIDEST)
        self._box.setDecimals(3)
        self._box.setSingleStep(0.01)
        _dress(self._box, field)
        self._box.editingFinished.connect(lambda: owner.edited.emit(self._box.value()))

    @property
    def control(self) -> QWidget:
        return self._box

    def show_value(self, value: Scalar) -> None:
        self._box.setValue(float(value))


class _Chord:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        self._button = ChordEditor(field.label)
        self._button.typed.connect(owner.edited.emit)
        self._button.unusable.connect(owner.unusable.emit)

    @property
    def control(self) -> QWidget:
        return self._button

    def show_value(self, value: Scalar) -> None:
        self._button.set_chord(str(value))


class _Text:
    def __init__(self, field: SettingField, owner: SettingEditor) -> None:
        self._line = QLineEdit()
        self._line.setPlaceholderText(str(field.default))
        self._line.editingFinished.connect(lambda: owner.edited.emit(self._line.text()))

    @property
    def control(self) -> QWidget:
        return self._line

    def show_value(self, value: Scalar) -> None:
        self._line.setText(str(value))


_BUILDERS: dict[Kind, Callable[[SettingField, SettingEditor], Editor]] = {
    Kind.SWITCH: _Switch,
    Kind.CHOICE: _Choice,
    Kind.WHOLE: _Whole,
    Kind.NUMBER: _Number,
    Kind.CHORD: _Chord,
    Kind.TEXT: _Text,
}


def _dress(box: QSpinBox | QDoubleSpinBox, field: SettingField) -> None:
    box.setSuffix(f" {field.unit}" if field.unit else "")
    box.setGroupSeparatorShown(True)
    box.setKeyboardTracking(False)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
    scroll_past(box)


def _step(least: int, most: int) -> int:
    """A step that crosses the bounds in some fifty presses: 1, 5, 10, 50, 100 …"""
    span, step = most - least, 1
    while span / step > 120:
        step *= 5 if str(step).startswith("1") else 2
    return step


class _ScrollPast(QObject):
    """The wheel scrolls the page; it never changes a value in passing."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def scroll_past(widget: QWidget) -> None:
    """Let the wheel scroll the page while the pointer is over a widget that has not the focus."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_ScrollPast(widget))
