"""The memory for those who only look: the console, the commands, the exporters."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from pitwall.core.memories import MemoryChange, MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.model_telemetry import Tally
from pitwall.core.paths import DataFolder
from pitwall.memory import track_record
from pitwall.memory.database import history, queries
from pitwall.memory.database.faults import UnknownSnapshot
from pitwall.memory.database.queries import PageRequest
from pitwall.memory.migrations import FOLDER, REVISIONS
from pitwall.memory.store import NAME
from pitwall.memory.transfer import diffing, snapshots
from pitwall.memory.transfer import files as transfer
from pitwall.memory.transfer.diffing import DiffRow
from pitwall.memory.transfer.files import ExportReport, Format
from pitwall.memory.transfer.portable import CanonicalHash, PortableEntry, hash_in
from pitwall.memory.transfer.snapshots import SnapshotRow
from pitwall.store.database import reader_engine
from pitwall.store.database_errors import named_faults
from pitwall.store.lease import FileLock, memory_lock_file
from pitwall.store.migrations import check_known, current_revision
from pitwall.store.preparation import migrate

__all__ = ["DiffRow", "ExportReport", "MemoryReader", "SnapshotRow"]


class MemoryReader:
    """Reads while another process writes; every call sees one consistent state, the newest.

    A data folder without a memory is an empty one. Usable from several threads.
    """

    def __init__(self, data: DataFolder) -> None:
        self._path = data.memory
        self._lock_file = memory_lock_file(data)
        self._engine = reader_engine(self._path)
        self._checking = threading.Lock()
        self._checked = False

    def close(self) -> None:
        """Release what the reader holds; no file stays open between calls."""
        self._engine.dispose()

    def entry(self, entry_id: int) -> MemoryEntry | None:
        """Return one entry, forgotten or not; None if there is none."""
        return next(iter(self.some([entry_id])), None)

    def some(self, entry_ids: Iterable[int]) -> list[MemoryEntry]:
        """Return these entries by id, forgotten ones included; missing ids are skipped."""
        with self._reading() as connection:
            return [] if connection is None else queries.some(connection, entry_ids)

    def entries(
        self, game_id: str, kinds: Iterable[MemoryKind] | None = None, *, forgotten: bool = False
    ) -> list[MemoryEntry]:
        """Return a game's entries by id; with `forgotten`, the forgotten ones instead."""
        with self._reading() as connection:
            if connection is None:
                return []
            return queries.entries(connection, game_id, kinds, forgotten=forgotten)

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
        """Return one page of a table, and how many rows it has in all.

        Args:
            search: words that all occur somewhere in an entry's texts, in any script and case.
            filters: name → wanted value (a list: any of them). Names as of `order`.
            order: entry_id, game_id, changed_at, created_at, version, pinned, author, run_id, kind, label,
                success_rate, or the name of a field of this kind's contents. Equal ones stand by id.

        Raises:
            PitwallError: a name that this kind has not.
        """
        asked = PageRequest(
            game_id=game_id,
            kind=kind,
            search=search,
            filters=filters,
            order=order,
            descending=descending,
            offset=offset,
            limit=limit,
            forgotten=forgotten,
        )
        with self._reading() as connection:
            return ([], 0) if connection is None else queries.page(connection, asked)

    def history(
        self, entry_id: int | None = None, *, game_id: str = "", limit: int = 200, offset: int = 0
    ) -> list[MemoryChange]:
        """Return changes, newest first: of one entry, of one game, or all."""
        with self._reading() as connection:
            if connection is None:
                return []
            return history.read(connection, entry_id, game_id=game_id, limit=limit, offset=offset)

    def undoable(self) -> tuple[bool, bool]:
        """Return whether an edit can be undone, and whether one can be redone."""
        with self._reading() as connection:
            return (False, False) if connection is None else history.possible(connection)

    def track_record(self, game_id: str) -> list[tuple[str, Tally]]:
        """Return the results of each driver in a game, with the model that played beside it."""
        with self._reading() as connection:
            return [] if connection is None else track_record.read(connection, game_id)

    def snapshots(self) -> list[SnapshotRow]:
        """Return snapshots, newest first."""
        with self._reading() as connection:
            return [] if connection is None else snapshots.listed(connection)

    def snapshot_entries(self, snapshot: str) -> tuple[str, list[PortableEntry]]:
        """Return the content hash and the entries of a snapshot, found by hash, beginning of hash, or name.

        Raises:
            UnknownSnapshot: no snapshot matches, or several do.
        """
        with self._reading() as connection:
            if connection is None:
                raise UnknownSnapshot(f"there is no snapshot {snapshot!r}: the memory is empty.")
            content_hash = str(snapshots.find(connection, snapshot)["content_hash"])
            return content_hash, list(snapshots.entries_in(connection, content_hash))

    def diff(self, hash_a: str, hash_b: str | None = None) -> list[DiffRow]:
        """Return the differences of b (None: the current memory) from a.

        Raises:
            UnknownSnapshot: there is no such snapshot; the beginning of its hash, or its name, is enough.
        """
        with self._reading() as connection:
            if connection is None:
                raise UnknownSnapshot(f"there is no snapshot {hash_a!r}: the memory is empty.")
            return diffing.diff(connection, hash_a, hash_b)

    def games(self) -> list[str]:
        """Return the games with entries, forgotten ones included."""
        with self._reading() as connection:
            return [] if connection is None else queries.games(connection)

    def counts(self, game_id: str) -> dict[str, int]:
        """Return entries in use, by kind (kinds without any have 0): of one game, or (empty) of all."""
        with self._reading() as connection:
            if connection is None:
                return {kind.value: 0 for kind in MemoryKind}
            return queries.counts(connection, game_id)

    def forgotten(self, game_id: str) -> int:
        """Count the forgotten entries of one game, or (empty) of all."""
        with self._reading() as connection:
            return 0 if connection is None else queries.forgotten(connection, game_id)

    def graph(
        self, game_id: str, *, most_states: int = sys.maxsize
    ) -> tuple[list[MemoryEntry], list[MemoryEntry], list[MemoryEntry]]:
        """Return the nodes, edges and likenesses of a game that are in use.

        Args:
            most_states: of a larger graph, only the states that changed last, and what lies between them.
        """
        with self._reading() as connection:
            return ([], [], []) if connection is None else queries.graph(connection, game_id, most_states)

    def vectors(self, embedder: str, game_id: str = "") -> dict[int, NDArray[np.float32]]:
        """Return vectors of states in use, by entry id: of one game, or of all."""
        with self._reading() as connection:
            return {} if connection is None else queries.vectors(connection, embedder, game_id)

    def embedder(self) -> str:
        """Return the name of the embedder that made the newest vectors; empty if there are none."""
        with self._reading() as connection:
            return "" if connection is None else queries.embedder(connection)

    def snapshot_hash(self, game_id: str) -> str:
        """Return SHA-256 over the canonical rows of a game's entries in use (empty: of all games)."""
        with self._reading() as connection:
            canonical = CanonicalHash() if connection is None else hash_in(connection, game_id)
            return canonical.hexdigest()

    def export(
        self,
        path: Path,
        format: Format,
        *,
        game_id: str = "",
        snapshot: str = "",
        forgotten: bool = False,
    ) -> ExportReport:
        """Write entries of one game, or of all, to a file: the current ones or those of a snapshot.

        Args:
            forgotten: include forgotten entries (JSONL of the current memory only).

        Raises:
            UnknownSnapshot: there is no such snapshot.
            DataFolderError: the file cannot be written.
        """
        with self._reading() as connection:
            if connection is None:
                raise UnknownSnapshot("the memory is empty: there is nothing to export.")
            return transfer.export(
                connection, path, format, game_id=game_id, snapshot=snapshot, forgotten=forgotten
            )

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        if not self._path.exists():
            yield None
            return
        with named_faults(self._path, NAME):
            if not self._is_ready():
                yield None
                return
            with self._engine.connect() as connection, connection.begin():
                yield connection

    def _is_ready(self) -> bool:
        if self._checked:
            return True
        with self._checking:
            with self._engine.connect() as connection:
                revision = current_revision(connection)
            if revision is None:  # its writer is just making it
                return False
            check_known(revision, self._path, REVISIONS, NAME)
            if revision != REVISIONS[-1]:
                with FileLock(self._lock_file, role="migration", subject=f"the memory {self._path}"):
                    migrate(self._path, revisions=REVISIONS, scripts=FOLDER, name=NAME)
            self._checked = True
        return True
