"""Reading the memory beside the window: one thread reads, the answers come back as Qt events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall_memory_editor.console.kinds import TABLES

T = TypeVar("T")
EVERY_GAME = "*"
"""In place of a game's id: entries of all games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Declares what a table shows.

    Attributes:
        game_id: whose entries; EVERY_GAME for all games.
        filters: name and wanted value, of `MemoryReader.page`.
        forgotten: the forgotten entries instead of those in use.
    """

    game_id: str
    kind: MemoryKind
    search: str = ""
    filters: tuple[tuple[str, object], ...] = ()
    forgotten: bool = False
    order: str = "changed_at"
    descending: bool = True

    @property
    def narrowed(self) -> bool:
        """Return whether it leaves anything out."""
        return bool(self.search or self.filters or self.forgotten)


@dataclass(frozen=True, slots=True)
class Portion:
    """Rows of a table from `offset` on.

    Attributes:
        total: rows of the whole table. names: texts of the states that the rows name.
    """

    offset: int
    entries: tuple[MemoryEntry, ...]
    total: int
    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts a game's entries in use by kind."""

    game_id: str
    games: tuple[str, ...]
    counts: dict[str, int]


class MemoryReadWorker(QObject):
    """Asks a data folder's memory, in order, without making the window wait.

    Attributes:
        failed: signal(error): a read met a PitwallError that nobody else takes.
    """

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.data = data
        self._reader: MemoryReader | None = None  # made and used in the reading thread
        self._aside = BackgroundWorker("memory", self)
        self.failed = self._aside.failed

    def ask(
        self,
        read: Callable[[MemoryReader], T],
        deliver: Callable[[T], object],
        failed: Callable[[PitwallError], object] | None = None,
    ) -> None:
        """Run `read` in the reading thread, then `deliver` its result in this one."""
        self._aside.ask(lambda: read(self._opened()), deliver, failed)

    def close(self) -> None:
        """Read no more; waits for the read that is going on."""
        self._aside.close()
        if self._reader is not None:
            self._reader.close()

    def _opened(self) -> MemoryReader:
        if self._reader is None:
            self._reader = MemoryReader(self.data)
        return self._reader


def portion(reader: MemoryReader, query: Query, offset: int, limit: int) -> Portion:
    """Read rows of a table, with the texts of the states that they name."""
    entries, total = reader.page(
        "" if query.game_id == EVERY_GAME else query.game_id,
        query.kind,
        search=query.search,
        filters=dict(query.filters),
        order=query.order,
        descending=query.descending,
        offset=offset,
        limit=limit,
        forgotten=query.forgotten,
    )
    names: dict[int, str] = {}
    if states := [column.state for column in TABLES[query.kind].columns if column.state]:
        wanted = {getattr(entry.content, state) for entry in entries for state in states} - {None}
        names = {entry.entry_id: entry.content.words for entry in reader.some(wanted)}
    return Portion(offset, tuple(entries), total, names)


def overview(reader: MemoryReader, game_id: str) -> Overview:
    """Read how much there is. Without a game, of the first that something is remembered of."""
    games = tuple(reader.games())
    game = game_id or (games[0] if games else "")
    if not game:
        return Overview("", games, {})
    return Overview(game, games, reader.counts("" if game == EVERY_GAME else game))
