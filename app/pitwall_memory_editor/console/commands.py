"""The operator's commands to the memory: each sends one batch of edits and notifies of its outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.notification import Notification
from pitwall.core import memories
from pitwall.core.memory_kinds import MemoryContent
from pitwall.core.quantities import counted
from pitwall.memory.reader import MemoryReader
from pitwall_memory_editor.console.format import article, batch_words, named, sentence
from pitwall_memory_editor.console.port import MemoryPort
from pitwall_memory_editor.console.reader import MemoryReadWorker

OnResult = Callable[[memories.EditResult], object]
_LOOK_BACK = 400
"""Changes of an entry, or of all, that are looked through for what a batch did."""


class MemoryCommands(QObject):
    """Sends edits through the port and emits what became of them.

    Signals:
        notified(notification): a `Notification`.
        conflicted(conflict, base): an `EditConflict`, and the entry that the edit was made on.
        busy(text): something is being done that may take a while; empty once it is done.
    """

    notified = Signal(object)
    conflicted = Signal(object, object)
    busy = Signal(str)

    def __init__(self, port: MemoryPort, reading: MemoryReadWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.port = port
        self._reading = reading
        self._doing = 0

    # ---- one entry

    def put(
        self,
        game_id: str,
        content: MemoryContent,
        on: memories.MemoryEntry | None = None,
        *,
        reason: str = "",
        done: OnResult | None = None,
    ) -> None:
        """Add an entry, or change one.

        Args:
            on: the entry to change, in the version that was edited.
        """
        edit = memories.PutEntry(
            game_id=game_id,
            content=content,
            entry_id=on.entry_id if on is not None else None,
            version=on.version if on is not None else None,
            reason=reason,
        )
        noun = content.facts.noun
        text = f"Saved {named(on)}." if on is not None else f"Added {article(noun)} {noun}."
        self._ask((edit,), text, "undo", done, base=on)

    def judge(
        self, entry: memories.MemoryEntry, verdict: Literal["accept", "merge", "reject"], reason: str = ""
    ) -> None:
        """Decide about a proposed skill."""
        verb = {"accept": "Accepted", "merge": "Merged", "reject": "Rejected"}[verdict]
        edit = memories.JudgeSkill(entry_id=entry.entry_id, verdict=verdict, reason=reason)
        self._ask((edit,), f"{verb} {named(entry)}.", "undo")

    # ---- several

    def pin(self, entry_ids: Sequence[int], pinned: bool) -> None:
        edit = memories.FlagEntries(entry_ids=tuple(entry_ids), pinned=pinned)
        self._many(edit, "Pinned" if pinned else "Unpinned", "undo")

    def forget(self, entry_ids: Sequence[int], forgotten: bool) -> None:
        edit = memories.FlagEntries(entry_ids=tuple(entry_ids), forgotten=forgotten)
        self._many(edit, "Forgot" if forgotten else "Restored", "undo")

    def purge(self, entry_ids: Sequence[int]) -> None:
        """Remove forgotten entries for good; the caller asks for confirmation."""
        self._many(memories.PurgeEntries(entry_ids=tuple(entry_ids)), "Removed for good", "")

    # ---- the history

    def undo(self, batch: int | None = None) -> None:
        self._ask((memories.UndoEdit(batch=batch),), "Undone", "redo", explain=True)

    def redo(self) -> None:
        self._ask((memories.RedoEdit(),), "Done again", "undo", explain=True)

    # ---- all of it

    def snapshot(self, name: str, game_id: str, done: OnResult | None = None) -> None:
        """Save a snapshot of a game; without a name, of every game."""
        called = f" “{name}”" if name else ""
        self._ask((memories.TakeSnapshot(name=name, game_id=game_id),), f"Kept a snapshot{called}.", "", done)

    def restore(self, content_hash: str, name: str, game_id: str = "") -> None:
        """Restore a snapshot: of a game alone, or (empty) of what it was taken of."""
        called = f"“{name}”" if name else content_hash[:8]
        edit = memories.RestoreSnapshot(content_hash=content_hash, game_id=game_id)
        self._ask((edit,), f"Restored snapshot {called}.", "undo")

    def take_in(
        self,
        path: str,
        form: Literal["jsonl", "graphml"],
        game_id: str,
        done: OnResult,
        *,
        as_snapshot: bool = False,
    ) -> None:
        """Import a file; `done` receives the result, and no notification reports a refusal."""
        edit = memories.ImportMemory(path=path, format=form, game_id=game_id, as_snapshot=as_snapshot)
        self._ask((edit,), "", "undo", done, quietly=True)

    # ---- inside

    def _many(
        self, edit: memories.FlagEntries | memories.PurgeEntries, done: str, offers: Literal["", "undo"]
    ) -> None:
        if edit.entry_ids:
            self._ask((edit,), f"{done} {counted(len(edit.entry_ids), 'entry', 'entries')}.", offers)

    def _ask(
        self,
        edits: tuple[memories.MemoryEdit, ...],
        text: str,
        offers: Literal["", "undo", "redo"],
        done: OnResult | None = None,
        *,
        base: memories.MemoryEntry | None = None,
        explain: bool = False,
        quietly: bool = False,
    ) -> None:
        def answered(result: memories.EditResult) -> None:
            self._doing -= 1
            if not self._doing:
                self.busy.emit("")
            if done is not None:
                done(result)
            if len(result.conflicts) > 1:
                count = counted(len(result.conflicts), "entry", "entries")
                self.notified.emit(
                    Notification(f"Nothing was done: {count} changed since, by others.", done=False)
                )
            elif result.conflicts:
                self.conflicted.emit(result.conflicts[0], base)
            elif not result.done:
                if not quietly:
                    self.notified.emit(Notification(sentence(result.what, result.fix), done=False))
            elif explain:
                self._explain(result, text, offers)
            elif result.renamed:
                self.notified.emit(Notification(f"{text} Its name was “{result.renamed}” before."))
            elif text:
                self.notified.emit(Notification(text, offers=offers))

        self._doing += 1
        self.busy.emit(_doing_words(edits))
        self.port.edit(edits, answered)

    def _explain(self, result: memories.EditResult, text: str, offers: Literal["", "undo", "redo"]) -> None:
        """Notify of what the batch changed, as its history describes it."""

        def read(reader: MemoryReader) -> list[memories.MemoryChange]:
            first = result.entry_ids[0] if result.entry_ids else None
            changes = reader.history(first, limit=_LOOK_BACK)
            return [change for change in changes if change.batch == result.batch]

        def tell(changes: list[memories.MemoryChange]) -> None:
            total = max(len(result.entry_ids), len(changes))
            self.notified.emit(Notification(f"{text}: {batch_words(changes, total)}.", offers=offers))

        self._reading.ask(read, tell)


def _doing_words(edits: Sequence[memories.MemoryEdit]) -> str:
    match edits[0]:
        case memories.FlagEntries(entry_ids=ids) | memories.PurgeEntries(entry_ids=ids) if len(ids) > 1:
            return f"Changing {len(ids):,} entries …"
        case memories.ImportMemory():
            return "Taking in the file …"
        case memories.RestoreSnapshot():
            return "Restoring the snapshot …"
        case memories.TakeSnapshot():
            return "Keeping a snapshot …"
        case memories.UndoEdit() | memories.RedoEdit():
            return "Going through the history …"
        case _:
            return "Saving …"
