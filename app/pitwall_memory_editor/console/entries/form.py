"""The editor of one entry's contents: a field each, judged as it is typed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import clear_layout, column
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import Line, Lines
from pitwall.console.kit.form.word_completer import WordCompleter
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import MemoryContent, fields_of
from pitwall_evaluation.console.memory_changes.differences import content_fields, value_text
from pitwall_memory_editor.console.kinds import TABLES
from pitwall_memory_editor.game_rules import Rules, check


class EntryForm(QWidget):
    """Shows a content and takes another.

    Signals:
        edited: something was typed.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rules = Rules(game_id="")
        self._shown: MemoryContent | None = None
        self._form = Form(())
        self._completers: dict[str, WordCompleter] = {}
        self._place = column(self._form, gap=0)
        self.setLayout(self._place)

    def show_content(self, content: MemoryContent) -> None:
        """Show a content and discard typed text."""
        if self._shown is None or content.kind != self._shown.kind:
            self._build(content)
        self._shown = content
        values, declared = content_fields(content), fields_of(content.kind)
        for key, field in self._form.fields.items():
            if field.kind == "fixed":
                text = "" if values[key] is None else value_text(declared[key], values[key])
                lines = text.count("\n") + 1
                values[key] = f"{lines} sentences" if lines > 1 else text
                self._form.editor(key).setToolTip(text)
                self._form.show_field(key, bool(text))
        self._form.show_values(values)
        self._form.accept(check(content, self._rules))

    def type_content(self, content: MemoryContent) -> None:
        """Put a content into the editors as if it had been typed: it counts as changed."""
        values = content_fields(content)
        fields = [key for key, field in self._form.fields.items() if field.kind != "fixed"]
        with QSignalBlocker(self._form):
            self._form.enter({key: values[key] for key in fields})

    def use_rules(self, rules: Rules) -> None:
        """Check the typed text against the rules of a game."""
        self._rules = rules
        if self._shown is not None:
            self._suggest(self._shown.kind)
            self._form.accept(check(self._shown, rules))

    @property
    def content(self) -> MemoryContent | None:
        """Return the typed contents; fields with invalid text keep their old values."""
        return self._with(self._form.values) if self._shown is not None else None

    @property
    def faults(self) -> dict[str, str]:
        """List the faults of the typed text, by field."""
        return self._form.faults

    @property
    def blocked(self) -> bool:
        """Return whether typed text is wrong.

        Faults that existed before and were not touched do not count.
        """
        return self._form.blocked

    @property
    def changed(self) -> bool:
        """Return whether the typed contents differ from the shown ones."""
        return bool(self._form.changed) or self.blocked

    def focus_first(self) -> None:
        """Focus the first field."""
        self._form.focus_first()

    def control(self, name: str) -> QWidget:
        """Return the widget that edits a field."""
        return self._form.editor(name)

    # ---- inside

    def _build(self, content: MemoryContent) -> None:
        clear_layout(self._place)
        self._shown = None
        self._completers.clear()
        self._form = Form(TABLES[MemoryKind(content.kind)].fields, check=self._judge)
        self._form.edited.connect(lambda _: self.edited.emit())
        self._place.addWidget(self._form)
        self._suggest(content.kind)

    def _suggest(self, kind: str) -> None:
        names = {
            "action": self._rules.actions,
            "module": self._rules.modules,
            "condition": ("status", *sorted(self._rules.fields or ())),
        }
        for key, field in fields_of(kind).items():
            editor = self._form.editor(key)
            if field.about.term and isinstance(editor, Line | Lines):
                if key not in self._completers:
                    self._completers[key] = WordCompleter(editor)
                self._completers[key].know(names[field.about.term])

    def _judge(self, values: dict[str, Any]) -> dict[str, str]:
        return check(self._with(values), self._rules) if self._shown is not None else {}

    def _with(self, values: dict[str, Any]) -> MemoryContent:
        """Return the shown content with these values of the editable fields."""
        assert self._shown is not None
        return replace(
            self._shown,
            **{key: values[key] for key, field in self._form.fields.items() if field.kind != "fixed"},
        )
