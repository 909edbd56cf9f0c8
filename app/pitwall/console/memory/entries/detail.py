"""The chosen entry: its contents to edit, where it came from, its history, and panels of others."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QScrollArea, QWidget

from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import (
    Button,
    Card,
    EmptyState,
    KeyValue,
    Label,
    PrimaryButton,
    Rule,
    SectionTitle,
    column,
    row,
)
from pitwall.console.kit.theme import GAP, PAD
from pitwall.console.memory.entries.form import EntryForm
from pitwall.console.memory.entries.history import HistoryPanel
from pitwall.console.memory.format import SHORT, WHO, ago, kind_of, named, provenance_text
from pitwall.console.memory.kinds import KindTable
from pitwall.core.memories import MemoryContent, MemoryEntry
from pitwall.memory.game_rules import Rules


@dataclass(slots=True)
class Draft:
    """What was typed and not saved.

    Attributes:
        base: the entry as it was when the edit began; None for a new one.
    """

    base: MemoryEntry | None
    content: MemoryContent


class EntryDetail(QScrollArea):
    """The column beside the tables.

    Signals:
        save_wanted(game_id, content, base): base is the version that was edited, None for a new entry.
        typed(): an edit was begun. compare_wanted(base, yours, theirs).
        pin_wanted(entry, pinned). forget_wanted(entry, forgotten). purge_wanted(entry).
        step_wanted(run_id, step). history_wanted(entry_id, count).
    """

    save_wanted = Signal(str, object, object)
    typed = Signal()
    compare_wanted = Signal(object, object, object)
    pin_wanted = Signal(object, bool)
    forget_wanted = Signal(object, bool)
    purge_wanted = Signal(object)
    step_wanted = Signal(int, int)
    history_wanted = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The chosen entry")
        self._game_id = ""
        self._entry: MemoryEntry | None = None
        self._theirs: MemoryEntry | None = None
        self._base: MemoryEntry | None = None
        self._new = False
        self._saving: MemoryContent | None = None
        self._drafts: dict[int, Draft] = {}
        self.form = EntryForm()
        self.form.edited.connect(self._typed)
        self.history = HistoryPanel()
        self.history.step_wanted.connect(self.step_wanted)
        self.history.more_wanted.connect(self._more_history)
        self._build()
        bind_keys(self, (QKeySequence.StandardKey.Save, self.save))
        self._show()

    # ---- what is shown

    @property
    def entry(self) -> MemoryEntry | None:
        """The chosen entry as it stands; None where none is, or a new one is being written."""
        return self._entry

    @property
    def unsaved(self) -> bool:
        """Whether something was typed here and not saved."""
        return (self._entry is not None or self._new) and self.form.changed

    @property
    def writing(self) -> bool:
        """Whether a new entry is being written."""
        return self._new

    @property
    def overtaken(self) -> bool:
        """Whether the entry was changed by somebody else while it was edited here."""
        return self._theirs is not None

    def use_rules(self, rules: Rules) -> None:
        """What the game allows."""
        self.form.use_rules(rules)
        self._unchecked.set_text(rules.missing)
        self._unchecked.setVisible(bool(rules.missing))
        self._show_buttons()

    def show_entry(self, entry: MemoryEntry | None) -> None:
        """Turn to an entry; what was typed for another one and not saved comes back with it."""
        if entry is not None and self._entry is not None and entry.entry_id == self._entry.entry_id:
            self.update_entry(entry)
            return
        self._keep_draft()
        self._new, self._saving = False, None
        self._entry = self._base = entry
        self._theirs = None
        self.history.start()
        if entry is not None:
            draft = self._drafts.pop(entry.entry_id, None)
            self.form.show_content(entry.content)
            if draft is not None and draft.base is not None:
                self._take_up(draft.base, draft.content, entry)
            self.history_wanted.emit(entry.entry_id, self.history.wanted)
        self._show()

    def update_entry(self, entry: MemoryEntry) -> None:
        """The chosen entry as it stands now, whoever changed it; what is being typed stays."""
        if self._entry is None or entry.entry_id != self._entry.entry_id:
            return
        self._entry = entry
        if self._saving is not None:
            return  # `saved` or `not_saved` follows
        base = self._base
        assert base is not None
        typed = self.form.content
        if not self.form.changed or typed == entry.content:
            self._base, self._theirs = entry, None
            if entry.content != base.content or typed == entry.content:
                self.form.show_content(entry.content)
        elif entry.content != base.content:
            self._theirs = entry
        else:
            self._base = entry  # a flag: nothing of what is typed is touched
        self.history_wanted.emit(entry.entry_id, self.history.wanted)
        self._show()

    def drop_entry(self, entry_id: int) -> None:
        """It was removed for good. What was typed of it stays, as a new entry."""
        self._drafts.pop(entry_id, None)
        if self._entry is None or self._entry.entry_id != entry_id:
            return
        if self.form.changed:
            self._game_id = self._entry.game_id
            self._entry = self._base = self._theirs = None
            self._new = True
        else:
            self._entry = self._base = None
        self.history.start()
        self._show()

    def begin_new(self, table: KindTable, game_id: str) -> None:
        """Write a new entry of a kind."""
        self._keep_draft()
        self._game_id = game_id
        self._entry = self._base = self._theirs = None
        self._new = True
        self.history.start()
        self.form.show_content(table.blank())
        self._show()
        self.form.focus_first()
        self.typed.emit()

    def settle(self, content: MemoryContent, entry: MemoryEntry) -> None:
        """A conflict was settled: go on with this content, on this version, not saved yet."""
        self._entry = entry
        self._take_up(entry, content, entry)
        self._show()

    def saved(self, entry: MemoryEntry) -> None:
        """What was sent is kept, as this entry; what was typed meanwhile stays."""
        sent, self._saving = self._saving, None
        typed = self.form.content
        self._new, self._theirs = False, None
        self._entry = self._base = entry
        self._drafts.pop(entry.entry_id, None)
        self.form.show_content(entry.content)
        if typed is not None and sent is not None and typed != sent and type(typed) is type(sent):
            self.form.type_content(typed)
        self.history_wanted.emit(entry.entry_id, self.history.wanted)
        self._show()

    def not_saved(self) -> None:
        """What was sent was refused: it is still typed here."""
        self._saving = None
        if self._entry is not None:
            self.update_entry(self._entry)
        self._show()

    def add_panel(self, title: str, widget: QWidget) -> SectionTitle:
        """One more section under the history. Returns its title, whose note can be changed."""
        head = SectionTitle(title)
        self._panels.addWidget(head)
        self._panels.addWidget(widget)
        return head

    # ---- what the operator does

    def save(self) -> None:
        """Send what was typed; a fault keeps it here."""
        content = self.form.content
        if content is None or self._saving is not None or self.form.blocked or not self.form.changed:
            return
        if self._theirs is not None:
            self.compare_wanted.emit(self._base, content, self._theirs)
            return
        game = self._entry.game_id if self._entry is not None else self._game_id
        self._saving = content
        self._show_buttons()
        self.save_wanted.emit(game, content, self._base)

    def revert(self) -> None:
        """Drop what was typed, and show the entry as it stands."""
        if self._new:
            self._new = False
        elif self._entry is not None:
            self._base, self._theirs = self._entry, None
            self.form.show_content(self._entry.content)
        self._show()

    # ---- inside

    def _build(self) -> None:
        self._title = SectionTitle("Entry")
        self._overtaken_text = Label("", wrap=True)
        self._overtaken = Card(
            Label("Changed while you were editing", "strong", wrap=True), self._overtaken_text
        )
        self._overtaken.body.addLayout(
            row(
                PrimaryButton("Compare", self.save, name="Compare both versions"),
                Button("Take theirs", self.revert, name="Take their version and drop yours"),
                None,
            )
        )
        self._save = PrimaryButton("Save", self.save, name="Save the entry")
        self._save.setToolTip("Ctrl+S")
        self._revert = Button("Revert", self.revert, kind="quiet", name="Revert what was typed")
        self._pin = Button("Pin", self._pin_pressed)
        self._forget = Button("Forget", self._forget_pressed)
        self._purge = Button("Remove for good…", self._purge_pressed, kind="quiet")
        self._made = KeyValue("Made by")
        self._by = KeyValue("Changed by")
        self._why = Label("", "note", wrap=True)
        self._go = Button("", self._go_pressed, kind="link")
        self._unchecked = Label("", "note", wrap=True)
        self._unchecked.hide()
        self._rule = Rule()
        self._card = Card(self.form, self._unchecked, self._rule, self._made, self._by, self._why)
        self._card.body.addLayout(row(self._go, None))
        buttons = row(self._save, self._revert, self._pin, self._forget, None)
        self._card.body.addLayout(buttons)
        self._card.body.addLayout(row(self._purge, None))
        self._nothing = EmptyState(
            "No entry is chosen",
            "Its contents, where it came from and its history stand here.",
            width=260,
        )
        self._panels_box = QWidget()
        self._panels = column(gap=GAP)
        self._panels_box.setLayout(self._panels)
        holder = QWidget()
        layout = column(
            self._title, self._overtaken, self._card, self._nothing, self.history, self._panels_box, gap=GAP
        )
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        layout.addStretch(1)
        holder.setLayout(layout)
        self.setWidget(holder)

    def _show(self) -> None:
        entry = self._entry
        there = entry is not None or self._new
        self._nothing.setVisible(not there)
        self._card.setVisible(there)
        self._title.setVisible(there)
        self.history.setVisible(entry is not None and bool(self.history.changes))
        for widget in (self._rule, self._made, self._by):
            widget.setVisible(entry is not None)
        self._show_whence(entry)
        if entry is not None:
            when = f"changed {ago(entry.changed_at, time.time())}"
            marks = [word for word, on in (("pinned", entry.pinned), ("forgotten", entry.forgotten)) if on]
            self._title.set_note(" · ".join((named(entry), *marks, when)))
        elif self._new and self.form.content is not None:
            self._title.set_note(f"new {SHORT[kind_of(self.form.content)]}")
        self._overtaken.setVisible(self._theirs is not None)
        if self._theirs is not None:
            began = self._base.version if self._base is not None else 0
            self._overtaken_text.set_text(
                f"{WHO[self._theirs.changed_by.author]} wrote version {self._theirs.version}; yours began at "
                f"version {began}. Nothing is lost: compare both."
            )
        self._show_buttons()

    def _show_whence(self, entry: MemoryEntry | None) -> None:
        self._why.hide()
        self._go.hide()
        if entry is None:
            return
        by = entry.changed_by
        self._made.set_value(provenance_text(entry.provenance))
        self._made.setToolTip(provenance_text(entry.provenance))
        self._by.set_value(provenance_text(by))
        self._by.setToolTip(provenance_text(by))
        self._by.setVisible(by != entry.provenance)
        why = by.reason or entry.provenance.reason
        self._why.set_text(f"Why: {why}")
        self._why.setVisible(bool(why))
        run = by.run_id if by.run_id is not None else entry.provenance.run_id
        if run is not None:
            step = by.step if by.run_id is not None else entry.provenance.step
            self._go.setText(f"Open run {run}" + (f", step {step:,}" if step else ""))
            self._go.setAccessibleName(f"{self._go.text()} on the Runs page")
            self._go.show()

    def _show_buttons(self) -> None:
        entry, changed = self._entry, self.form.changed
        forgotten = entry is not None and entry.forgotten
        self.form.setEnabled(not forgotten)
        self._save.setVisible(not forgotten)
        self._save.setText("Add" if self._new else "Save")
        self._save.setAccessibleName("Add the entry" if self._new else "Save the entry")
        self._save.setEnabled(changed and not self.form.blocked and self._saving is None)
        self._revert.setText("Cancel" if self._new else "Revert")
        self._revert.setVisible(self._new or changed)
        self._pin.setVisible(entry is not None and not forgotten)
        self._forget.setVisible(entry is not None)
        self._purge.setVisible(forgotten)
        if entry is not None:
            name = named(entry)
            self._pin.setText("Unpin" if entry.pinned else "Pin")
            self._pin.setToolTip("The agent never overwrites or forgets what is pinned")
            self._forget.setText("Restore" if forgotten else "Forget")
            self._forget.setToolTip(
                "Used again" if forgotten else "Not used any more; restorable until it is removed for good"
            )
            self._pin.setAccessibleName(f"{self._pin.text()} {name}")
            self._forget.setAccessibleName(f"{self._forget.text()} {name}")
            self._purge.setAccessibleName(f"Remove {name} for good")

    def _take_up(self, base: MemoryEntry, typed: MemoryContent, now: MemoryEntry) -> None:
        """Go on with something typed earlier: shown over the entry it was typed on."""
        self._base = base
        self._theirs = now if now.content not in (base.content, typed) else None
        self.form.show_content(base.content)
        self.form.type_content(typed)

    def _keep_draft(self) -> None:
        if self._entry is not None and self._base is not None and self.form.changed:
            content = self.form.content
            if content is not None and content != self._base.content:
                self._drafts[self._entry.entry_id] = Draft(self._base, content)

    def _typed(self) -> None:
        self._show_buttons()
        self.typed.emit()

    def _more_history(self, count: int) -> None:
        if self._entry is not None:
            self.history_wanted.emit(self._entry.entry_id, count)

    def _pin_pressed(self) -> None:
        if self._entry is not None:
            self.pin_wanted.emit(self._entry, not self._entry.pinned)

    def _forget_pressed(self) -> None:
        if self._entry is not None:
            self.forget_wanted.emit(self._entry, not self._entry.forgotten)

    def _purge_pressed(self) -> None:
        if self._entry is not None:
            self.purge_wanted.emit(self._entry)

    def _go_pressed(self) -> None:
        entry = self._entry
        if entry is None:
            return
        by = entry.changed_by if entry.changed_by.run_id is not None else entry.provenance
        if by.run_id is not None:
            self.step_wanted.emit(by.run_id, by.step or 0)
