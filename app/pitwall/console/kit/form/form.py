"""A form made from a list of fields: it returns values as a dict, shows errors and marks changes.

    form = Form([Field(key="seed", label="Seed", kind="number", default=1), Field(key="name", label="Name")])
    form.edited.connect(lambda key: save.setEnabled(bool(form.changed) and not form.faults))
    form.show_values({"seed": 7, "name": "skills"})  # the values in force: nothing counts as changed
    order(**form.values)                             # {"seed": 7, "name": "skills"}
    form.show_fault("name", "Taken. Choose another.")  # until the field is edited

Layouts: "beside" (label left, editor right), "explained" (label and help left, editor right), "above" (label
over its editor), "compact" (low editors, help as tooltip).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from pitwall.console.kit.elements import WHOLE, Button, Chip, Label, column, row, set_property
from pitwall.console.kit.form.chord import ChordEditor
from pitwall.console.kit.form.editors import Editor, build_editor, first_value
from pitwall.console.kit.form.fault_line import FaultLine, keep_room
from pitwall.console.kit.form.fields import Field, OptionLike
from pitwall.console.kit.form.inputs import Combo, NumberBox
from pitwall.console.kit.theme import GAP, PAD, STEP

Layout = Literal["beside", "explained", "above", "compact"]
Check = Callable[[dict[str, Any]], Mapping[str, str]]
_LIST_PX = 260
"""Most room for the longest option of a list."""
_EDITOR_PX = {"beside": 0, "explained": 190, "above": 0, "compact": 86}
_SHORT = ("number", "switch", "chord", "flag")
"""Kinds that leave room for a phrase at their right."""
_TALL = ("radio", "flags")
_CHOSEN = ("choice", "segments", "radio", "switch", "flag", "flags", "fixed")
"""Kinds in which nothing wrong can be typed."""
_WIDE = ("lines", "code")
"""Texts take the form's whole width, under their label."""


class Form(QWidget):
    """Shows fields and returns their values.

    Args:
        live: emit `edited` on every keystroke; otherwise once an edit is finished, and then a number outside
            its bounds can be entered so that the field's check can explain it.
        marks: mark editors whose value differs from the shown one.
        resets: offer a reset button beside each field that differs from its default.
        check: returns faults of the values together, by key.

    Signals:
        edited(key): the operator changed a field. reset(key): the operator wants its default back.
    """

    edited = Signal(str)
    reset = Signal(str)

    def __init__(
        self,
        fields: Iterable[Field],
        *,
        layout: Layout = "beside",
        live: bool = True,
        marks: bool = False,
        resets: bool = False,
        check: Check | None = None,
    ) -> None:
        super().__init__()
        self.fields = {field.key: field for field in fields}
        self._style: Layout = layout
        self._live, self._marks, self._resets, self._check = live, marks, resets, check
        self._lines: dict[str, _Line] = {}
        self._base: dict[str, Any] = {}
        self._rounded: dict[str, Any] = {}
        self._shown_faults: dict[str, str] = {}
        self._accepted: dict[str, str] = {}
        self._filling = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(PAD)
        self._grid.setVerticalSpacing(STEP if layout == "compact" else GAP)
        self._grid.setColumnStretch(0 if layout == "explained" else 1, 0 if layout == "compact" else 1)
        joined: QHBoxLayout | None = None
        for field in self.fields.values():
            joined = self._add(field, joined)
        self.show_values({key: first_value(field) for key, field in self.fields.items()})

    # ---- values

    @property
    def values(self) -> dict[str, Any]:
        """Return every entered value by key; for an invalid entry, the value that was shown."""
        return self._read()[0]

    def value(self, key: str) -> Any:
        """Return the entered value of a field."""
        return self.values[key]

    @property
    def changed(self) -> dict[str, Any]:
        """Return the values that differ from those shown."""
        return {key: value for key, value in self.values.items() if value != self._base.get(key)}

    @property
    def faults(self) -> dict[str, str]:
        """Return the sentences about values that do not fit, by key; hidden fields have no fault."""
        return {key: text for key, text in self._read()[1].items() if self._lines[key].shown}

    @property
    def blocked(self) -> bool:
        """Return whether a field is faulty whose fault was not accepted before."""
        return any(not self._is_accepted(key, text, self.values) for key, text in self.faults.items())

    def accept(self, faults: Mapping[str, str]) -> None:
        """Accept the present faults: each is only a note until its field is edited."""
        self._accepted = dict(faults)
        self._judge()

    def show_values(self, values: Mapping[str, Any], *, keep_focused: bool = False) -> None:
        """Show the values in force without a signal; keys that are left out stay unchanged.

        Args:
            keep_focused: do not change the field that the operator is typing in.
        """
        self._base |= values
        if keep_focused:
            values = {key: value for key, value in values.items() if not self.editor(key).hasFocus()}
        self._rounded = {key: value for key, value in self._rounded.items() if key not in values}
        self._fill(values)
        read = self._read()[0]
        self._rounded |= {key: read[key] for key in values if self.fields[key].write is not None}

    def enter(self, values: Mapping[str, Any]) -> None:
        """Enter values like the operator does: they count as changed and emit `edited`."""
        self._fill(values)
        for key in values:
            self.edited.emit(key)

    # ---- fields

    def editor(self, key: str) -> QWidget:
        """Return the widget of a field that takes the keyboard."""
        return self._lines[key].editor.control

    def combo(self, key: str) -> Combo:
        """Return the combo box of a choice."""
        combo = self.editor(key)
        assert isinstance(combo, Combo)
        return combo

    def number(self, key: str) -> NumberBox:
        """Return the number box of a field."""
        box = self.editor(key)
        assert isinstance(box, NumberBox)
        return box

    def offer(self, key: str, options: Iterable[OptionLike], taken: object = None) -> None:
        """Replace the options of a choice; choose `taken`, else keep the present choice if possible."""
        self.combo(key).offer(options, taken)

    def show_field(self, key: str, shown: bool = True) -> None:
        """Show a field with its label, or hide it."""
        self._lines[key].set_shown(shown)

    def show_only(self, keys: Collection[str]) -> None:
        """Hide all fields but these."""
        for key, line in self._lines.items():
            line.set_shown(key in keys)

    def enable(self, key: str, enabled: bool = True, why_not: str = "") -> None:
        """Let a field be edited, or not, with the reason as its tooltip."""
        self._lines[key].editor.widget.setEnabled(enabled)
        self.editor(key).setToolTip("" if enabled else why_not)

    def show_help(self, key: str, text: str) -> None:
        """Change the phrase beside a field."""
        self._lines[key].show_help(text)

    def show_fault(self, key: str, text: str, *, serious: bool = True) -> None:
        """Show what is wrong with a field; empty clears it. A fault that is not serious is only a note."""
        self._shown_faults[key] = text
        self._lines[key].show_fault(text, serious=serious)

    def fault(self, key: str) -> str:
        """Return the sentence under a field."""
        return self._lines[key].fault.full_text()

    def reset_button(self, key: str) -> Button:
        """Return the button that resets a field to its default."""
        return self._lines[key].back

    def is_marked(self, key: str) -> bool:
        """Return whether a field is marked as changed."""
        return self.editor(key).property("tried") == "yes" or not self._lines[key].chip.isHidden()

    def focus_first(self) -> None:
        """Focus the first field that can be edited."""
        lines = (line for key, line in self._lines.items() if self.fields[key].kind != "fixed" and line.shown)
        first = next(lines, None)
        if first is not None:
            first.editor.control.setFocus()

    # ---- inside

    def _add(self, field: Field, joined: QHBoxLayout | None) -> QHBoxLayout:
        editor = build_editor(field, live=self._live, compact=self._style == "compact")
        line = _Line(field, editor, self._style, lambda: self.reset.emit(field.key))
        numbers_fit = self._live and field.check is None and self._check is None
        line.typed = field.kind not in _CHOSEN and not (field.kind == "number" and numbers_fit)
        self._lines[field.key] = line
        (editor.edited if self._live else editor.finished).connect(lambda *_: self._edited(field.key))
        if isinstance(editor.control, ChordEditor):
            editor.control.unusable.connect(lambda text: self.show_fault(field.key, text))
        free = self._style == "compact" and field.kind != "number"
        width = field.width or (0 if free else _EDITOR_PX[self._style])
        if width and isinstance(editor.widget, Combo) and not field.width:
            editor.widget.fit(width, _LIST_PX)
        elif width:
            editor.widget.setFixedWidth(width)
        if field.joins and joined is not None:
            line.join(joined)
            return joined
        return line.place(self._grid, self._style, resets=self._resets)

    def _fill(self, values: Mapping[str, Any]) -> None:
        self._filling = True
        for key, value in values.items():
            self._lines[key].editor.show(value)
            self._shown_faults.pop(key, None)
        self._filling = False
        self._judge()

    def _edited(self, key: str) -> None:
        if self._filling:
            return
        self._shown_faults.pop(key, None)
        self._judge()
        self.edited.emit(key)

    def _read(self) -> tuple[dict[str, Any], dict[str, str]]:
        values, faults = {}, {}
        for key, field in self.fields.items():
            try:
                values[key] = self._lines[key].editor.read()
                if key in self._rounded and values[key] == self._rounded[key]:
                    values[key] = self._base[key]  # untouched: the text may be rounded
                if field.check is not None and (text := field.check(values[key])):
                    faults[key] = text
            except ValueError as error:
                values[key] = self._base.get(key)
                faults[key] = str(error)
        if self._check is not None:
            faults = {**self._check(values), **faults}
        return values, faults | {key: text for key, text in self._shown_faults.items() if text}

    def _judge(self) -> None:
        values, faults = self._read()
        for key, line in self._lines.items():
            if key not in self._shown_faults:
                text = faults.get(key, "")
                line.show_fault(text, serious=not self._is_accepted(key, text, values))
            if self._marks:
                changed = key in faults or values[key] != self._base.get(key)
                set_property(line.editor.control, "tried", "yes" if changed else "no")
            if self._resets:
                line.show_reset(values[key] != first_value(self.fields[key]))

    def _is_accepted(self, key: str, text: str, values: Mapping[str, Any]) -> bool:
        return self._accepted.get(key) == text and values[key] == self._base.get(key)


class _Line:
    """The widgets of one field: label, editor, help, fault."""

    def __init__(self, field: Field, editor: Editor, style: Layout, reset: Callable[[], object]) -> None:
        self.field, self.editor = field, editor
        self.shown, self.changed = True, False
        in_editor = field.kind == "flag" and style != "explained"
        explained = style == "explained"
        name = "" if in_editor else field.label
        self.label = Label(name, "" if explained else "dim", wrap=explained, least=WHOLE)
        self.help = Label(field.help, "note", wrap=style != "beside" or field.kind not in _SHORT)
        self.fault = FaultLine()
        self.typed = False
        """Something wrong can be typed, so that the fault's room is kept."""
        self._helps = bool(field.help) and style != "compact"
        self._shares = False
        """The fault stands in the place of the help."""
        self.chip = Chip("changed")
        self.back = Button("Reset", reset, kind="quiet", name=f"Reset: {field.label}")
        for part in (self.chip, self.back, self.fault):
            part.hide()
        if not self._helps:
            self.help.hide()
        tip = field.help if style == "compact" else ""
        self.label.setToolTip(tip)
        editor.control.setToolTip("\n".join(filter(None, (tip, field.more))))
        self._describe(field.help)
        if not self.label.full_text():
            self.label.hide()

    def place(self, grid: QGridLayout, style: Layout, *, resets: bool) -> QHBoxLayout:
        """Put the widgets into the next rows of a form; returns the line that later fields may join."""
        at = grid.rowCount()
        self._shares = not (self.field.kind in _SHORT and style in ("beside", "compact"))
        self._keep_places(True)
        if style == "explained":
            note = QGridLayout()
            note.addWidget(self.help, 0, 0)
            note.addWidget(self.fault, 0, 0)
            words = column(self.label, note, gap=0)
            line = row(self.editor.widget)
            grid.addLayout(words, at, 0)
            if resets:
                grid.addWidget(self.chip, at, 1, Qt.AlignmentFlag.AlignVCenter)
                grid.addWidget(self.back, at, 3, Qt.AlignmentFlag.AlignVCenter)
            grid.addLayout(line, at, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            return line
        line = row(self.editor.widget, gap=GAP)
        if self.field.kind in _WIDE:
            style = "above"
        if style == "above":
            grid.addWidget(self.label, at, 0, 1, 2)
            grid.addLayout(line, at + 1, 0, 1, 2)
        else:
            top = self.field.kind in _TALL
            grid.addWidget(
                self.label, at, 0, Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag.AlignVCenter
            )
            grid.addLayout(line, at, 1)
        first = 0 if style == "above" else 1
        if self._shares:
            grid.addWidget(self.help, at + 2, first, 1, 2 - first)
        else:
            line.addWidget(self.help)
        if self.field.kind in (*_SHORT, "segments"):
            line.addStretch(1)
        grid.addWidget(self.fault, at + 2, first, 1, 2 - first)
        return line

    def join(self, line: QHBoxLayout) -> None:
        last = line.itemAt(line.count() - 1)
        end = line.count() - (last is not None and last.spacerItem() is not None)
        line.insertWidget(end, self.label)
        line.insertWidget(end + 1, self.editor.widget)
        self.label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def set_shown(self, shown: bool) -> None:
        self.shown = shown
        self._keep_places(shown)
        self.editor.widget.setVisible(shown)
        self.label.setVisible(shown and bool(self.label.full_text()))
        self._show_words()
        self.show_reset(self.changed)

    def _keep_places(self, kept: bool) -> None:
        """Keep the room of what comes and goes, that nothing moves for it; none in a hidden line."""
        shared = self._shares and self._helps
        for part in (self.chip, self.back):
            keep_room(part, kept)
        keep_room(self.help, kept and shared)
        keep_room(self.fault, kept and (self.typed or shared))

    def show_help(self, text: str) -> None:
        self.help.set_text(text)
        self._helps = bool(text)
        self._keep_places(self.shown)
        self._show_words()

    def show_fault(self, text: str, *, serious: bool) -> None:
        self.fault.set_text(text)
        self._show_words()
        set_property(self.fault, "kind", "error" if serious else "note")
        set_property(self.editor.control, "fault", "yes" if text and serious else "no")
        self._describe(text or self.field.help)

    def _show_words(self) -> None:
        """Show what is wrong, in place of the help where both have one place."""
        if self.fault.parentWidget() is None:
            return  # the field joined another's line, where only its frame shows a fault
        faulty = bool(self.fault.full_text())
        self.help.setVisible(self.shown and self._helps and not (faulty and self._shares))
        self.fault.setVisible(self.shown and faulty)

    def _describe(self, text: str) -> None:
        """Tell screen readers what to say of the editor."""
        tip = "\n".join(filter(None, (text, self.field.more)))
        self.editor.control.setAccessibleDescription(tip)

    def show_reset(self, changed: bool) -> None:
        self.changed = changed
        for part in (self.chip, self.back):
            part.setVisible(changed and self.shown)
