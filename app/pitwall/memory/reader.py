"""The memory for those who only look: the console, the commands, the exporters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import MemoryChange, MemoryEntry, MemoryKind
from pitwall.core.paths import DataFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRow:
    """A snapshot as it is listed. game_id: empty where it holds every game. counts: entries by kind."""

    content_hash: str
    name: str
    at: str
    game_id: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """How one entry differs between two snapshots. entry_id: of the newer side, else of the older."""

    change: Literal["added", "removed", "changed"]
    entry_id: int
    before: MemoryEntry | None
    after: MemoryEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What was written. content_hash: of the entries, as a snapshot of them would have it."""

    path: Path
    entries: int
    content_hash: str
    notes: tuple[str, ...] = ()


class MemoryReader:
    """Reads while another process writes; every call sees one consistent state, the newest.

    A data folder without a memory is an empty one. Usable from several threads.
    """

    def __init__(self, data: DataFolder) -> None:
        self._path = data.memory

    def close(self) -> None:
        """Release what the reader holds."""
        raise NotImplementedError

    def entry(self, entry_id: int) -> MemoryEntry | None:
        """One entry, forgotten or not; None where there is none."""
        raise NotImplementedError

    def some(self, entry_ids: Iterable[int]) -> list[MemoryEntry]:
        """These entries by id, forgotten ones too; those that are not there are left out."""
        raise NotImplementedError

    def entries(
        self, game_id: str, kinds: Iterable[MemoryKind] | None = None, *, forgotten: bool = False
    ) -> list[MemoryEntry]:
        """Entries of a game by id; the forgotten ones instead where `forgotten`."""
        raise NotImplementedError

    def page(
        self,
        game_id: str,
        kind: MemoryKind | None,
        *,
        search: str = "",
        filters: Mapping[str, object] | None = None,
        order: str = "changed_at",
        descending: bool = True,
        offset: int = 0,
        limit: int = 200,
        forgotten: bool = False,
    ) -> tuple[list[MemoryEntry], int]:
        """One page of a table, and how many rows it has in all.

        Args:
            search: words that all occur somewhere in an entry's texts, in any script and case.
            filters: name → wanted value (a list: any of them). Names as of `order`.
            order: entry_id, changed_at, created_at, version, pinned, author, run_id, success_rate,
                or the name of a field of this kind's contents.

        Raises:
            PitwallError: a name that this kind has not.
        """
        raise NotImplementedError

    def history(
        self, entry_id: int | None = None, *, limit: int = 200, offset: int = 0
    ) -> list[MemoryChange]:
        """Changes, newest first: of one entry, or of all."""
        raise NotImplementedError

    def snapshots(self) -> list[SnapshotRow]:
        """Snapshots, newest first."""
        raise NotImplementedError

    def diff(self, hash_a: str, hash_b: str | None = None) -> list[DiffRow]:
        """What is different in b (None: in the memory as it stands) from a.

        Raises:
            PitwallError: there is no such snapshot; a beginning of its hash, or its name, is enough.
        """
        raise NotImplementedError

    def games(self) -> list[str]:
        """Games that something is remembered of, forgotten entries too."""
        raise NotImplementedError

    def counts(self, game_id: str) -> dict[str, int]:
        """Entries in use, by kind; kinds without any have 0."""
        raise NotImplementedError

    def forgotten(self, game_id: str) -> int:
        """How many entries of a game are forgotten."""
        raise NotImplementedError

    def graph(self, game_id: str) -> tuple[list[MemoryEntry], list[MemoryEntry], list[MemoryEntry]]:
        """Nodes, edges and likenesses of a game that are in use."""
        raise NotImplementedError

    def vectors(self, embedder: str, game_id: str = "") -> dict[int, NDArray[np.float32]]:
        """Vectors of states, by entry id: of one game, or of all."""
        raise NotImplementedError

    def export(
        self,
        path: Path,
        format: Literal["jsonl", "graphml"],
        *,
        game_id: str = "",
        snapshot: str = "",
        forgotten: bool = False,
    ) -> ExportReport:
        """Write entries to a file: of one game or all, as they stand or as a snapshot has them.

        Raises:
            PitwallError: there is no such snapshot, or the file cannot be written.
        """
        raise NotImplementedError
