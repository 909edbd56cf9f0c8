"""The chosen entry: its contents to edit, its origin, its history, and further panels."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

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
    holder,
    row,
)
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.theme import PAD
from pitwall.core.memories import EditResult, MemoryChange, MemoryEntry
from pitwall.core.memory_kinds import MemoryContent
from pitwall.core.quantities import ago, seconds_since
from pitwall_memory_editor.console.commands import MemoryCommands
from pitwall_memory_editor.console.entries.bulk import purge_dialog
from pitwall_memory_editor.console.entries.form import EntryForm
from pitwall_memory_editor.console.entries.history import HistoryPanel
from pitwall_memory_editor.console.entries.step_link import StepFrame, StepLink
from pitwall_memory_editor.console.format import WHO, named, provenance_text
from pitwall_memory_editor.console.kinds import KindTable
from pitwall_memory_editor.console.reader import MemoryReadWorker
from pitwall_memory_editor.game_rules import Rules

_AGE_MS = 10_000


class EntryDetail(ScrollPane):
    """The column beside the tables.

    Args:
        below: a further section under the history.

    Signals:
        typed(): an edit was begun. kept(entry): an entry was saved. step_wanted(run_id, step).
        compare_wanted(base, yours, theirs): somebody else changed the entry while it was edited here.
    """

    typed = Signal()
    kept = Signal(object)
    step_wanted = Signal(int, int)
    compare_wanted = Signal(object, object, object)

    def __init__(self, reading: MemoryReadWorker, commands: MemoryCommands, below: QWidget) -> None:
        super().__init__("The chosen entry")
        self.setObjectName("side")
        self._reading, self._commands = reading, commands
        self._game_id = ""
        self._entry: MemoryEntry | None = None
        self._theirs: MemoryEntry | None = None
        self._base: MemoryEntry | None = None
        self._new = False
        self._saving: MemoryContent | None = None
        self._drafts: dict[int, tuple[MemoryEntry, MemoryContent]] = {}
        self.form = EntryForm()
        self.form.edited.connect(self._typed)
        self.history = HistoryPanel()
        self.history.step_wanted.connect(self.step_wanted)
        self.history.more_wanted.connect(lambda _: self._read_history())
        self._build(below)
        bind_keys(self, (QKeySequence.StandardKey.Save, self.save))
        self.ages = QTimer(self, interval=_AGE_MS)
        self.ages.timeout.connect(self._show_age)
        self.ages.start()
        self._show()

    # ---- what is shown

    @property
    def entry(self) -> MemoryEntry | None:
        """Return the chosen entry in its current version; None without one or while a new one is written."""
        return self._entry

    @property
    def unsaved(self) -> bool:
        """Return whether the form has changes that are not saved."""
        return (self._entry is not None or self._new) and self.form.changed

    @property
    def writing(self) -> bool:
        """Return whether a new entry is being written."""
        return self._new

    @property
    def overtaken(self) -> bool:
        """Return whether somebody else changed the entry while it was edited here."""
        return self._theirs is not None

    def use_rules(self, rules: Rules) -> None:
        """Check the form against the rules of the game."""
        self.form.use_rules(rules)
        self._unchecked.show_text(rules.missing)
        self._show_buttons()

    def show_entry(self, entry: MemoryEntry | None) -> None:
        """Show an entry, with the text that was typed for it earlier and not saved."""
        if entry is not None and self._entry is not None and entry.entry_id == self._entry.entry_id:
            self._update(entry)
            return
        self._keep_draft()
        self._new, self._saving = False, None
        self._entry = self._base = entry
        self._theirs = None
        self.history.start()
        if entry is not None:
            draft = self._drafts.pop(entry.entry_id, None)
            self.form.show_content(entry.content)
            if draft is not None:
                self._take_up(*draft, entry)
            self._read_history()
        self._show()

    def renew(self, entry_ids: tuple[int, ...]) -> None:
        """Show the chosen entry's current version if it is among the changed ones (empty: all changed)."""
        entry = self._entry
        if entry is None or (entry_ids and entry.entry_id not in entry_ids):
            return
        number = entry.entry_id

        def show(now: MemoryEntry | None) -> None:
            if now is None:
                self._drop(number)
            else:
                self._update(now)

        self._reading.ask(lambda reader: reader.entry(number), show)

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
        """Continue with the content of a settled conflict, based on this version and not saved yet."""
        self._entry = entry
        self._take_up(entry, content, entry)
        self._show()

    # ---- what the operator does

    def save(self) -> None:
        """Send the typed contents, unless they have faults."""
        content = self.form.content
        if content is None or self._saving is not None or self.form.blocked or not self.form.changed:
            return
        if self._theirs is not None:
            self.compare_wanted.emit(self._base, content, self._theirs)
            return
        game = self._entry.game_id if self._entry is not None else self._game_id
        self._saving = content
        self._show_buttons()
        self._commands.put(game, content, self._base, done=self.take_result)

    def take_result(self, result: EditResult) -> None:
        """Show the saved entry; refused text stays in the form."""
        if not result.done or not result.entry_ids:
            self._saving = None
            if self._entry is not None:
                self._update(self._entry)
            self._show()
            return

        def show(entry: MemoryEntry | None) -> None:
            if entry is not None:
                self._saved(entry)
                self.kept.emit(entry)

        self._reading.ask(lambda reader: reader.entry(result.entry_ids[0]), show)

    def revert(self) -> None:
        """Discard the typed text and show the saved entry."""
        if self._new:
            self._new = False
        elif self._entry is not None:
            self._base, self._theirs = self._entry, None
            self.form.show_content(self._entry.content)
        self._show()

    def _flag(self, flag: str) -> None:
        if self._entry is not None:
            ids, on = (self._entry.entry_id,), not getattr(self._entry, flag)
            (self._commands.pin if flag == "pinned" else self._commands.forget)(ids, on)

    def _ask_to_purge(self) -> None:
        if self._entry is not None:
            ids = (self._entry.entry_id,)
            dialog = purge_dialog(1, self)
            dialog.confirmed.connect(lambda: self._commands.purge(ids))
            dialog.open()

    # ---- parts

    def _build(self, below: QWidget) -> None:
        self._title = SectionTitle("Entry")
        self._overtaken_text = Label("", wrap=True)
        compare = PrimaryButton("Compare", self.save, name="Compare both versions")
        take = Button("Take theirs", self.revert, name="Take their version and drop yours")
        title = Label("Changed while you were editing", "strong", wrap=True)
        self._overtaken = Card(title, self._overtaken_text, row(compare, take, None))
        self._save = PrimaryButton("Save", self.save)
        self._save.setToolTip("Ctrl+S")
        self._revert = Button("Revert", self.revert, kind="quiet", name="Revert what was typed")
        self._pin = Button(
            "Pin", lambda: self._flag("pinned"), tip="The agent never overwrites or forgets what is pinned"
        )
        self._forget = Button("Forget", lambda: self._flag("forgotten"))
        self._purge = Button("Remove for good…", self._ask_to_purge, kind="quiet")
        self._made = KeyValue("Made by", wrap=True)
        self._by = KeyValue("Changed by", wrap=True)
        self._why = Label("", "note", wrap=True)
        self._step = StepLink()
        self._step.wanted.connect(self.step_wanted)
        self._frame = StepFrame(self._reading)
        self._unchecked = Label("", "note", wrap=True)
        self._unchecked.hide()
        self._whence = holder(
            column(Rule(), self._made, self._by, self._why, self._frame, row(self._step, None))
        )
        buttons = row(self._save, self._revert, self._pin, self._forget, None)
        # The buttons stand above the form: they stay in view, and nothing that is typed moves them.
        self._card = Card(buttons, self.form, self._unchecked, self._whence, row(self._purge, None))
        self._nothing = EmptyState(
            "No entry is chosen",
            "Its contents, where it came from and its history stand here.",
            width=260,
        )
        # What happens meanwhile stands below the card: nothing moves under the pointer.
        parts = (self._title, self._card, self._overtaken, self._nothing, self.history, below)
        self.setWidget(holder(column(*parts, None, margins=PAD)))

    def _show_age(self) -> None:
        """Say how long ago the chosen entry changed."""
        if (entry := self._entry) is not None:
            when = f"changed {ago(seconds_since(entry.changed_at))}"
            flags = {
                "pinned": entry.pinned,
                "forgotten": entry.forgotten,
                "changed by another": self._theirs is not None,
            }
            marks = [word for word, on in flags.items() if on]
            self._title.set_note(" · ".join((named(entry), *marks, when)))
            self.history.show_ages()

    def _show(self) -> None:
        entry = self._entry
        there = entry is not None or self._new
        self._nothing.setVisible(not there)
        self._card.setVisible(there)
        self._title.setVisible(there)
        self.history.setVisible(entry is not None and bool(self.history.changes))
        self._whence.setVisible(entry is not None)
        if entry is not None:
            self._show_whence(entry)
            self._show_age()
        elif self._new and self.form.content is not None:
            self._title.set_note(f"new {self.form.content.facts.noun}")
        self._overtaken.setVisible(self._theirs is not None)
        if self._theirs is not None:
            began = self._base.version if self._base is not None else 0
            self._overtaken_text.set_text(
                f"{WHO[self._theirs.changed_by.author]} wrote version {self._theirs.version}; yours began at "
                f"version {began}. Nothing is lost: compare both."
            )
        self._show_buttons()

    def _show_whence(self, entry: MemoryEntry) -> None:
        by, made = entry.changed_by, entry.provenance
        for line, place in ((self._made, made), (self._by, by)):
            line.set_value(provenance_text(place))
        self._by.setVisible(by != made)
        why = by.reason or made.reason
        self._why.show_text(f"Why: {why}" if why else "")
        self._step.show_place(by, made)
        self._frame.show_place(by, made)

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
            self._forget.setText("Restore" if forgotten else "Forget")
            self._forget.setToolTip(
                "Used again" if forgotten else "Not used any more; restorable until it is removed for good"
            )
            self._pin.setAccessibleName(f"{self._pin.text()} {name}")
            self._forget.setAccessibleName(f"{self._forget.text()} {name}")
            self._purge.setAccessibleName(f"Remove {name} for good")

    # ---- what happens meanwhile

    def _update(self, entry: MemoryEntry) -> None:
        """Show the current version of the chosen entry without touching text that is being typed."""
        if self._entry is None or entry.entry_id != self._entry.entry_id:
            return
        self._entry = entry
        if self._saving is not None:
            return  # `take_result` follows
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
        self._read_history()
        self._show()

    def _drop(self, entry_id: int) -> None:
        """Drop an entry that was removed for good. Typed text stays, as a new entry."""
        self._drafts.pop(entry_id, None)
        if self._entry is None or self._entry.entry_id != entry_id:
            return
        self._game_id, self._new = self._entry.game_id, self.form.changed
        self._entry = self._base = self._theirs = None
        self.history.start()
        self._show()

    def _saved(self, entry: MemoryEntry) -> None:
        """Take the saved entry; text typed meanwhile stays."""
        sent, self._saving = self._saving, None
        typed = self.form.content
        self._new, self._theirs = False, None
        self._entry = self._base = entry
        self._drafts.pop(entry.entry_id, None)
        self.form.show_content(entry.content)
        if typed is not None and sent is not None and typed != sent and type(typed) is type(sent):
            self.form.type_content(typed)
        self._read_history()
        self._show()

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
                self._drafts[self._entry.entry_id] = (self._base, content)

    def _typed(self) -> None:
        self._show_buttons()
        self.typed.emit()

    def _read_history(self) -> None:
        if self._entry is None:
            return
        number, count = self._entry.entry_id, self.history.wanted

        def show(changes: list[MemoryChange]) -> None:
            if self._entry is not None and self._entry.entry_id == number:
                self.history.show_changes(changes)

        self._reading.ask(lambda reader: reader.history(number, limit=count), show)
