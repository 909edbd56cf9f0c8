"""The editor of each kind of field: its widget, how its value is read and shown, and its change signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QRadioButton, QWidget

from pitwall.console.kit.controls import Choice
from pitwall.console.kit.elements import Label, column
from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.kit.form.fields import Field, Kind, options_of, read_numbers, write_numbers
from pitwall.console.kit.form.inputs import Combo, Line, Lines, NumberBox, PathField
from pitwall.console.kit.theme import GAP, STEP, WIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """The editor of one field.

    Attributes:
        control: the widget with the keyboard focus. widget: the widget in the form.
        read: returns the entered value; raises ValueError with a sentence where it is invalid.
        show: displays a value. edited: emitted on any change. finished: emitted on Enter or a loss of focus.
    """

    control: QWidget
    widget: QWidget
    read: Callable[[], Any]
    show: Callable[[Any], object]
    edited: SignalInstance
    finished: SignalInstance


def build_editor(field: Field, *, live: bool, compact: bool) -> Editor:
    """Build the editor of a field.

    Args:
        live: keep numbers within their bounds while they are typed.
    """
    if field.kind == "number":
        return _number(field, live=live, compact=compact)
    editor = _BUILDERS[field.kind](field)
    if compact:
        editor.control.setProperty("kind", "compact")
    return editor


def number_box(field: Field, *, clamp: bool = True, compact: bool = False) -> NumberBox:
    """Build the number box of a field, for use outside a form."""
    box = NumberBox(
        field.spoken,
        field.least,
        field.most,
        decimals=field.decimals,
        step=field.step,
        unit=field.unit,
        special=field.special,
        clamp=clamp,
        compact=compact,
    )
    box.setPrefix(field.prefix)
    return box


def _number(field: Field, *, live: bool, compact: bool) -> Editor:
    box = number_box(field, clamp=live, compact=compact)
    return _editor(box, lambda: box.number, box.setValue, box.valueChanged, box.editingFinished)


def _text(field: Field) -> Editor:
    line = Line(field.spoken, field.hint)
    line.suggest(option.word for option in options_of(field.options))
    write, read = field.write or str, field.read or str

    def show(value: Any) -> None:
        if write(value) != line.text():
            line.setText(write(value))
            line.setCursorPosition(0)

    return _editor(line, lambda: read(line.text().strip()), show, line.textChanged, line.editingFinished)


def _list(field: Field) -> Editor:
    line = Line(field.spoken, field.hint)
    return _editor(
        line,
        lambda: read_numbers(line.text()),
        lambda value: line.setText(write_numbers(value)),
        line.textChanged,
        line.editingFinished,
    )


def _lines(field: Field) -> Editor:
    lines = Lines(field.spoken, field.hint, code=field.kind == "code")
    write, read = field.write or str, field.read or str

    def show(value: Any) -> None:
        if write(value) != lines.toPlainText():
            lines.setPlainText(write(value))

    return _editor(lines, lambda: read(lines.toPlainText()), show, lines.textChanged)


def _choice(field: Field) -> Editor:
    combo = Combo(field.spoken, field.options, letters=5)
    return _editor(combo, lambda: combo.current, combo.choose, combo.chosen)


def _segments(field: Field) -> Editor:
    choice = Choice(
        field.spoken, [(option.value, option.word, option.help) for option in options_of(field.options)]
    )
    return _editor(choice, lambda: choice.current, choice.choose, choice.chosen)


def _switch(field: Field) -> Editor:
    box = QCheckBox("Off")
    box.setAccessibleName(field.spoken)
    box.toggled.connect(lambda on: box.setText("On" if on else "Off"))
    return _editor(box, box.isChecked, lambda on: box.setChecked(bool(on)), box.toggled)


def _flag(field: Field) -> Editor:
    box = QCheckBox(field.label)
    box.setAccessibleName(field.spoken)
    return _editor(box, box.isChecked, lambda on: box.setChecked(bool(on)), box.toggled)


def _file(field: Field) -> Editor:
    path = PathField(field.spoken, field.hint, field.files, kind=field.kind)
    edited = path.line.textChanged
    return _editor(path.line, lambda: path.path, path.line.setText, edited, path.changed, widget=path)


def _chord(field: Field) -> Editor:
    button = ChordEditor(field.spoken)
    return _editor(button, lambda: button.chord, button.set_chord, button.typed)


class Ticks(QWidget):
    """Buttons under one another, each with its option's note: several ticked, or one of them.

    Signals: edited().
    """

    edited = Signal()

    def __init__(self, field: Field, button: type[QCheckBox] | type[QRadioButton]) -> None:
        super().__init__()
        self.setAccessibleName(field.spoken)
        self.buttons: dict[Any, QCheckBox | QRadioButton] = {}
        lines = column(gap=STEP)
        for option in options_of(field.options):
            tick = self.buttons[option.value] = button(option.word)
            note = option.refused or option.help
            tick.setEnabled(not option.refused)
            tick.setAccessibleDescription(note)
            tick.toggled.connect(lambda _: self.edited.emit())
            lines.addWidget(tick)
            if note:
                label = Label(note, "note", wrap=True)
                label.setContentsMargins(WIDE + GAP, 0, 0, 0)
                lines.addWidget(label)
        self.setLayout(lines)

    @property
    def ticked(self) -> list[Any]:
        return [value for value, button in self.buttons.items() if button.isChecked()]

    def tick(self, values: list[Any]) -> None:
        """Tick these, and of check boxes no others."""
        for value, button in self.buttons.items():
            button.setChecked(value in values)


def _flags(field: Field) -> Editor:
    ticks = Ticks(field, QCheckBox)
    return _editor(ticks, lambda: ticks.ticked, ticks.tick, ticks.edited)


def _radio(field: Field) -> Editor:
    ticks = Ticks(field, QRadioButton)
    return _editor(
        ticks, lambda: next(iter(ticks.ticked), None), lambda value: ticks.tick([value]), ticks.edited
    )


def _fixed(field: Field) -> Editor:
    label = Label("", wrap=True)
    label.setAccessibleDescription(field.spoken)
    return _editor(label, label.full_text, lambda value: label.set_text(str(value)), label.linkActivated)


def _editor(
    control: QWidget,
    read: Callable[[], Any],
    show: Callable[[Any], object],
    edited: SignalInstance,
    finished: SignalInstance | None = None,
    *,
    widget: QWidget | None = None,
) -> Editor:
    return Editor(
        control=control,
        widget=widget or control,
        read=read,
        show=show,
        edited=edited,
        finished=finished or edited,
    )


_BUILDERS: dict[Kind, Callable[[Field], Editor]] = {
    "text": _text,
    "lines": _lines,
    "code": _lines,
    "list": _list,
    "choice": _choice,
    "segments": _segments,
    "radio": _radio,
    "switch": _switch,
    "flag": _flag,
    "flags": _flags,
    "file": _file,
    "new_file": _file,
    "folder": _file,
    "chord": _chord,
    "fixed": _fixed,
}
_EMPTY: dict[Kind, Any] = {"number": 0, "switch": False, "flag": False, "flags": [], "list": []}


def first_value(field: Field) -> Any:
    """Return the value that a form begins with."""
    if field.default is not None:
        return field.default
    if field.kind in ("choice", "segments", "radio"):
        return next((option.value for option in options_of(field.options) if not option.refused), None)
    return _EMPTY.get(field.kind, "")
