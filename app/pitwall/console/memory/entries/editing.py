"""From the form to the memory and back: saving, history, and conflicts until they are settled."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pitwall.console.memory.commands import MemoryCommands
from pitwall.console.memory.entries.bulk import purge_dialog
from pitwall.console.memory.entries.conflict import ConflictView
from pitwall.console.memory.entries.detail import EntryDetail
from pitwall.console.memory.reader import MemoryReadWorker
from pitwall.core.memories import EditConflict, EditResult, MemoryContent, MemoryEntry


class Editing(QObject):
    """Ties the form, the conflict view and the commands together.

    Signals:
        conflict_open(open): the conflict is to be shown, or is settled. kept(entry): an entry was saved.
    """

    conflict_open = Signal(bool)
    kept = Signal(object)

    def __init__(
        self, reading: MemoryReadWorker, commands: MemoryCommands, detail: EntryDetail, conflict: ConflictView
    ) -> None:
        super().__init__(detail)
        self._reading = reading
        self._commands = commands
        self._detail = detail
        self._conflict = conflict
        self._game_id = ""
        detail.save_wanted.connect(self._save)
        detail.compare_wanted.connect(self._compare)
        detail.pin_wanted.connect(lambda entry, on: commands.pin((entry.entry_id,), on))
        detail.forget_wanted.connect(lambda entry, on: commands.forget((entry.entry_id,), on))
        detail.purge_wanted.connect(self._ask_to_purge)
        detail.history_wanted.connect(self._read_history)
        commands.conflicted.connect(self._conflicted)
        conflict.kept.connect(self._keep)
        conflict.took.connect(self._take_theirs)
        conflict.later.connect(self._decide_later)

    def renew(self, entry_ids: tuple[int, ...]) -> None:
        """These entries changed (all of them where it is empty): show the chosen one as it stands."""
        entry = self._detail.entry
        if entry is None or (entry_ids and entry.entry_id not in entry_ids):
            return
        number = entry.entry_id

        def show(now: MemoryEntry | None) -> None:
            if now is None:
                self._detail.drop_entry(number)
            else:
                self._detail.update_entry(now)

        self._reading.ask(lambda reader: reader.entry(number), show)

    # ---- saving

    def _save(self, game_id: str, content: MemoryContent, base: MemoryEntry | None) -> None:
        self._commands.put(game_id, content, base, done=self._answered)

    def _answered(self, result: EditResult) -> None:
        if not result.done or not result.entry_ids:
            self._detail.not_saved()
            return
        number = result.entry_ids[0]

        def show(entry: MemoryEntry | None) -> None:
            if entry is not None:
                self._detail.saved(entry)
                self.kept.emit(entry)

        self._reading.ask(lambda reader: reader.entry(number), show)

    def _read_history(self, entry_id: int, count: int) -> None:
        def show(changes: object) -> None:
            entry = self._detail.entry
            if entry is not None and entry.entry_id == entry_id and isinstance(changes, list):
                self._detail.history.show_changes(changes)

        self._reading.ask(lambda reader: reader.history(entry_id, limit=count), show)

    def _ask_to_purge(self, entry: MemoryEntry) -> None:
        dialog = purge_dialog(1, self._detail.window())
        dialog.confirmed.connect(lambda: self._commands.purge((entry.entry_id,)))
        dialog.open()

    # ---- conflicts

    def _conflicted(self, conflict: EditConflict, base: MemoryEntry | None) -> None:
        known = base if base is not None and base.entry_id == conflict.entry_id else None
        theirs = conflict.theirs
        if known is not None and theirs is not None and theirs.content == known.content:
            self._commands.put(theirs.game_id, conflict.yours, theirs, done=self._answered)  # a flag changed
        else:
            self._open(known, conflict.yours, theirs)

    def _compare(self, base: MemoryEntry, yours: MemoryContent, theirs: MemoryEntry) -> None:
        self._open(base, yours, theirs)

    def _open(self, base: MemoryEntry | None, yours: MemoryContent, theirs: MemoryEntry | None) -> None:
        self._game_id = theirs.game_id if theirs is not None else base.game_id if base is not None else ""
        self._conflict.show_conflict(base.content if base is not None else None, yours, theirs)
        self.conflict_open.emit(True)

    def _keep(self, content: MemoryContent, theirs: MemoryEntry | None) -> None:
        def answered(result: EditResult) -> None:
            if result.done:
                self.conflict_open.emit(False)
                self._answered(result)

        self._commands.put(self._game_id, content, theirs, reason="settled a conflict", done=answered)

    def _take_theirs(self, theirs: MemoryEntry | None) -> None:
        self.conflict_open.emit(False)
        if theirs is not None:
            self._detail.settle(theirs.content, theirs)
        else:
            self._detail.show_entry(None)

    def _decide_later(self, content: MemoryContent, theirs: MemoryEntry | None) -> None:
        self.conflict_open.emit(False)
        if theirs is not None:
            self._detail.settle(content, theirs)
