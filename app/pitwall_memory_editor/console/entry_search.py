"""Finds memory entries by typed words, for the command palette."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from pitwall.console.kit.command import Command
from pitwall.core.memories import MemoryEntry
from pitwall.core.paths import DataFolder
from pitwall_evaluation.console.memory_changes.differences import cut
from pitwall_memory_editor.console.format import named
from pitwall_memory_editor.console.reader import MemoryReadWorker


class EntrySearch(QObject):
    """Searches the entries of a data folder's memory (a `PageSearch`)."""

    answered = Signal(str, object)

    def __init__(self, data: DataFolder, show: Callable[[int], object]) -> None:
        super().__init__()
        self._show = show
        self._memory = MemoryReadWorker(data, self)

    def ask(self, words: str, most: int) -> None:
        self._memory.ask(
            lambda reader: reader.page("", None, search=words, limit=most)[0],
            lambda entries: self.answered.emit(words, [self._command(entry) for entry in entries]),
        )

    def close(self) -> None:
        self._memory.close()

    def _command(self, entry: MemoryEntry) -> Command:
        name = f"Memory · {named(entry)} · {cut(entry.content.words)}"
        return Command(name=name, run=partial(self._show, entry.entry_id))
