"""Shows two versions of an entry side by side: keep mine, take theirs, or merge by hand. Nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, SectionTitle, column, holder, row
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import GAP, PAD, WIDE
from pitwall.core.memories import EditConflict, EditResult, MemoryEntry
from pitwall.core.memory_fields import MemoryField
from pitwall.core.memory_kinds import MemoryContent, fields_of
from pitwall_evaluation.console.memory_changes.differences import content_fields, value_text
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.entries.detail import EntryDetail
from pitwall_memory_editor.console.entries.form import EntryForm
from pitwall_memory_editor.console.field_grid import FieldGrid
from pitwall_memory_editor.console.format import WHO, named, where

_FORM_WIDTH = 640


def merged(base: MemoryContent | None, yours: MemoryContent, theirs: MemoryContent) -> MemoryContent:
    """Return both changes where they touch different fields; yours where they touch the same.

    Args:
        base: what both began with; None where that is not known.
    """
    if base is None or type(base) is not type(yours) or type(theirs) is not type(yours):
        return yours
    taken: dict[str, Any] = {
        name: getattr(theirs, name)
        for name, value in content_fields(base).items()
        if getattr(yours, name) == value
    }
    return replace(yours, **taken)


class ConflictView(ScrollPane):
    """Shows one conflict at a time, until the operator settles it.

    Args:
        detail: receives the settled content.

    Signals:
        opened(open): a conflict is to be shown, or is settled.
    """

    opened = Signal(bool)

    def __init__(self, commands: MemoryCommands, detail: EntryDetail) -> None:
        super().__init__("Two versions of an entry")
        self._commands, self._detail = commands, detail
        self._game_id = ""
        self._yours: MemoryContent | None = None
        self._theirs: MemoryEntry | None = None
        self._title = Label("", "title", wrap=True)
        self._text = Label("", "dim", wrap=True)
        self._grid = FieldGrid()
        self.form = EntryForm()
        self.form.edited.connect(self._allow)
        self._mine = Button("Keep mine", lambda: self._keep(self._yours), name="Keep my version")
        self._take = Button("Take theirs", self._take_theirs, name="Take their version")
        self._merge = PrimaryButton("Save the merge", lambda: self._keep(self.form.content))
        later = Button("Later", self._put_off, kind="quiet", name="Decide later; what I typed stays")
        card = Card(self.form)
        card.setMaximumWidth(_FORM_WIDTH)
        head = SectionTitle("Merge by hand", "begins with both changes where they differ")
        self._by_hand = (self._merge, head, card)
        buttons = row(self._mine, self._take, self._merge, None, later)
        parts = (self._title, self._text, buttons, self._grid, head, card)
        self.setWidget(holder(column(*parts, None, margins=WIDE)))
        commands.conflicted.connect(self._conflicted)
        detail.compare_wanted.connect(self._open)

    # ---- what is shown

    def _conflicted(self, conflict: EditConflict, base: MemoryEntry | None) -> None:
        known = base if base is not None and base.entry_id == conflict.entry_id else None
        theirs, took = conflict.theirs, self._detail.take_result
        if known is not None and theirs is not None and theirs.content == known.content:
            self._commands.put(theirs.game_id, conflict.yours, theirs, done=took)  # a flag changed
        else:
            self._open(known, conflict.yours, theirs)

    def _open(self, base: MemoryEntry | None, yours: MemoryContent, theirs: MemoryEntry | None) -> None:
        """Show both versions.

        Args:
            base: the version that both began with, if known.
            theirs: the current entry; None if it was removed for good.
        """
        self._game_id = next((entry.game_id for entry in (theirs, base) if entry is not None), "")
        self._yours, self._theirs = yours, theirs
        gone = theirs is None
        self._title.set_text("The entry is gone" if theirs is None else f"Two versions of {named(theirs)}")
        self._text.set_text(_explanation(theirs))
        self._take.setText("Leave it gone" if gone else "Take theirs")
        self._mine.setText("Add mine as a new entry" if gone else "Keep mine")
        for widget in self._by_hand:
            widget.setVisible(not gone)
        began = base.content if base is not None else None
        self._fill(began, yours, theirs.content if theirs is not None else None)
        if theirs is not None:
            self.form.show_content(theirs.content)
            self.form.type_content(merged(began, yours, theirs.content))
        self._allow()
        self.opened.emit(True)
        (self._mine if gone else self._merge).setFocus()

    def _fill(self, base: MemoryContent | None, yours: MemoryContent, theirs: MemoryContent | None) -> None:
        self._grid.start(("Yours, not saved", "Theirs, the current version"))
        began = content_fields(base) if base is not None else {}
        other = content_fields(theirs) if theirs is not None else {}
        declared = fields_of(yours.kind)
        for name, value in content_fields(yours).items():
            sides = [(value, "Yours"), *([(other.get(name), "Theirs")] if theirs is not None else [])]
            if theirs is None or value != other.get(name):
                cards = (
                    self._side(declared[name], shown, who, changed=name not in began or shown != began[name])
                    for shown, who in sides
                )
                self._grid.add_field(declared[name].about.label, *cards)

    def _side(self, field: MemoryField, value: Any, who: str, *, changed: bool) -> QWidget:
        label, text = field.about.label, value_text(field, value) or "empty"
        words = Label(text, "" if changed else "dim", wrap=True)
        words.setAccessibleName(f"{who}, {label}: {text}")
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        use = Button(
            "Use", lambda: self._use(field.name, value), kind="link", name=f"Use {who.lower()}: {label}"
        )
        note = Label("changed" if changed else "as before", "note")
        card = Card(words, row(note, None, use), gap=GAP // 2)
        card.body.setContentsMargins(PAD, GAP, PAD, GAP)
        return card

    def _use(self, name: str, value: Any) -> None:
        content = self.form.content
        if content is not None and self._theirs is not None:
            fields: dict[str, Any] = {name: value}
            self.form.type_content(replace(content, **fields))
            self._allow()

    def _allow(self) -> None:
        self._merge.setEnabled(not self.form.blocked)

    # ---- what the operator decides

    def _keep(self, content: MemoryContent | None) -> None:
        def answered(result: EditResult) -> None:
            if result.done:
                self.opened.emit(False)
                self._detail.take_result(result)

        if content is not None:
            reason = "settled a conflict"
            self._commands.put(self._game_id, content, self._theirs, reason=reason, done=answered)

    def _take_theirs(self) -> None:
        self.opened.emit(False)
        if self._theirs is not None:
            self._detail.settle(self._theirs.content, self._theirs)
        else:
            self._detail.show_entry(None)

    def _put_off(self) -> None:
        self.opened.emit(False)
        if self._theirs is not None and (content := self.form.content) is not None:
            self._detail.settle(content, self._theirs)


def _explanation(theirs: MemoryEntry | None) -> str:
    if theirs is None:
        return "It was removed for good while you were editing it. What you wrote is still here."
    by = theirs.changed_by
    place = f" ({where(by)})" if where(by) else ""
    why = f" Why: {by.reason.removesuffix('.')}." if by.reason else ""
    return f"{WHO[by.author]} changed it while you were editing{place}: version {theirs.version}.{why}"
