"""The memory's only writer: the engine, a memory command, or the keeper that the console starts.

The operator's edits are on the disk when they return (synchronous=FULL). The agent's writes must not wait for
the disk: they survive a killed process at once, and a power cut after the next edit, checkpoint or close
(synchronous=NORMAL).
"""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.memories import EditResult, MemoryEdit, MemoryEntry, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.model_telemetry import Tally
from pitwall.core.paths import DataFolder
from pitwall.memory import track_record
from pitwall.memory.database import agent_writes, queries, run_log_episodes
from pitwall.memory.database.agent_writes import AgentWrite
from pitwall.memory.database.faults import EditRefused, UnknownSnapshot
from pitwall.memory.database.ledger import Ledger, now
from pitwall.memory.database.schema import metadata
from pitwall.memory.edits import EditConflicts
from pitwall.memory.edits import apply as apply_edits
from pitwall.memory.migrations import FOLDER, REVISIONS
from pitwall.memory.transfer import snapshots
from pitwall.memory.transfer.files import begin_from
from pitwall.memory.transfer.portable import hash_in
from pitwall.store.database import SqliteError, journal_mode, writer_engine
from pitwall.store.database_errors import named_faults
from pitwall.store.lease import FileLock, memory_lock_file
from pitwall.store.preparation import prepare_database

__all__ = ["NAME", "AgentWrite", "MemoryStore"]

NAME = "memory"
"""What messages call this database."""
_CACHE_KIB = 65_536


class MemoryStore:
    """Writes the memory. Usable from several threads; calls wait for one another.

    A failed call leaves nothing half-written and the memory usable.

    Attributes:
        notices: what the operator should know about opening, one sentence each.
    """

    def __init__(self, data: DataFolder, lock: FileLock, engine: Engine, notices: list[str]) -> None:
        self._path = data.memory
        self._lock_file = lock
        self._engine = engine
        self._connection: Connection | None = None
        self._turn = threading.Lock()
        self._durable = True
        self.notices = notices

    @classmethod
    def open(cls, data: DataFolder, *, role: str) -> MemoryStore:
        """Take the lock, back up and migrate the file, set a damaged one aside, copy the run log's summaries.

        Raises:
            DataFolderError: the folder is read-only or full, or the memory belongs to another process (named)
            or a
                newer Pitwall.
        """
        lock = FileLock(memory_lock_file(data), role=role, subject=f"the memory {data.memory}")
        lock.acquire()
        try:
            notices = prepare_database(
                data.memory, revisions=REVISIONS, scripts=FOLDER, tables=frozenset(metadata.tables), name=NAME
            )
            store = cls(data, lock, writer_engine(data.memory), notices)
        except BaseException:
            lock.release()
            raise
        try:
            store._connect(data)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Fold the write-ahead log into the file and let others write."""
        with self._turn:
            if self._connection is not None:
                self._pragma(self._connection, "wal_checkpoint(TRUNCATE)")
                self._connection.close()
                self._connection = None
            self._engine.dispose()
            self._lock_file.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- reading, as the writer sees it

    def entries(
        self, game_id: str, kinds: Iterable[MemoryKind] | None = None, *, forgotten: bool = False
    ) -> list[MemoryEntry]:
        """Return a game's entries by id; with `forgotten`, the forgotten ones instead."""
        with self._reading() as connection:
            return queries.entries(connection, game_id, kinds, forgotten=forgotten)

    def some(self, entry_ids: Iterable[int]) -> list[MemoryEntry]:
        """Return these entries by id, forgotten ones included; missing ids are skipped."""
        with self._reading() as connection:
            return queries.some(connection, entry_ids)

    def counts(self, game_id: str) -> dict[str, int]:
        """Return entries in use, by kind (kinds without any have 0): of one game, or (empty) of all."""
        with self._reading() as connection:
            return queries.counts(connection, game_id)

    def forgotten(self, game_id: str) -> int:
        """Count the forgotten entries of one game, or (empty) of all."""
        with self._reading() as connection:
            return queries.forgotten(connection, game_id)

    def kinds(self, entry_ids: Iterable[int]) -> list[str]:
        """Return the kinds of these entries."""
        with self._reading() as connection:
            return queries.kinds(connection, entry_ids)

    def embedder(self) -> str:
        """Return the name of the embedder that made the newest vectors; empty if there are none."""
        with self._reading() as connection:
            return queries.embedder(connection)

    # ---- writing

    def apply(self, edits: Sequence[MemoryEdit], by: Provenance) -> EditResult:
        """Apply all edits in one transaction, or none; the result says why edits were refused.

        Raises:
            DataFolderError: the transaction failed; nothing was changed.
        """
        try:
            with self._writing(durable=True) as connection:
                return apply_edits(connection, edits, by)
        except (EditRefused, UnknownSnapshot) as refused:
            return EditResult(what=refused.what, fix=refused.fix)
        except OverflowError:
            return EditResult(what="a number in the edit does not fit into 64 bits.")
        except EditConflicts as met:
            return EditResult(conflicts=met.conflicts)

    def write(self, changes: Sequence[AgentWrite]) -> list[MemoryEntry | None]:
        """Commit the agent's changes in one transaction and return each entry as it is now.

        Pinned and forgotten entries are returned unchanged. Removed entries are created again. The result is
        None for an edge or likeness whose state is removed or forgotten. Long texts are cut.
        `agent_history.py` describes the history of these changes.

        Raises:
            DataFolderError: the transaction failed; nothing was changed.
        """
        if not changes:
            return []
        with self._writing(durable=False) as connection:
            return agent_writes.write(connection, changes, now())

    # ---- who drives

    def track_record(self, game_id: str) -> list[tuple[str, Tally]]:
        """Return the results of each driver in a game, with the model that played beside it."""
        with self._reading() as connection:
            return track_record.read(connection, game_id)

    def add_tally(self, game_id: str, model: str, tally: Tally) -> None:
        with self._writing(durable=False) as connection:
            track_record.add(connection, game_id, model, tally)

    def forget_track_record(self, game_id: str) -> None:
        """Remove a game's tallies: every model has to earn control again."""
        with self._writing(durable=True) as connection:
            track_record.forget(connection, game_id)

    # ---- vectors

    def vectors(self, embedder: str, game_id: str = "") -> dict[int, NDArray[np.float32]]:
        """Return vectors of states in use, by entry id: of one game, or of all."""
        with self._reading() as connection:
            return queries.vectors(connection, embedder, game_id)

    def put_vectors(self, embedder: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Store vectors of states; those of removed entries are ignored."""
        if not vectors:
            return
        rows = [
            (entry_id, embedder, np.ascontiguousarray(vector, dtype="<f4").tobytes(), entry_id)
            for entry_id, vector in vectors.items()
        ]
        with self._writing(durable=False) as connection:
            connection.exec_driver_sql(
                "INSERT OR REPLACE INTO vectors (entry_id, embedder, vector) SELECT ?, ?, ? WHERE EXISTS"
                " (SELECT 1 FROM entries WHERE entry_id = ? AND kind = 'node' AND standing != 2)",
                rows,
            )
            connection.exec_driver_sql(
                "INSERT OR REPLACE INTO meta (name, value) VALUES ('embedder', ?)", (embedder,)
            )

    # ---- snapshots

    def snapshot_hash(self, game_id: str) -> str:
        """Return SHA-256 over the canonical rows of a game's entries in use (empty: of all games)."""
        with self._reading() as connection:
            return hash_in(connection, game_id).hexdigest()

    def keep_snapshot(self, game_id: str, name: str = "") -> str:
        """Save a snapshot of a game (empty: of all), unless an equal one exists, and return its content hash.

        Of a game's snapshots without a name only the newest few dozen are kept.
        """
        with self._writing(durable=True) as connection:
            return snapshots.take(connection, game_id, name)[0]

    def begin_from(self, file: Path, content_hash: str) -> None:
        """Fill this empty memory with a snapshot's file, as `transfer.files.begin_from` does.

        Raises:
            ImportRefused, EditRefused: the file, or this memory, is another one.
        """
        with self._writing(durable=True) as connection:
            begin_from(Ledger(connection, Provenance(author="import")), file, content_hash)

    # ---- inside

    @contextlib.contextmanager
    def _writing(self, *, durable: bool) -> Iterator[Connection]:
        with self._turn, named_faults(self._path, NAME):
            connection = self._open_connection()
            if durable is not self._durable:
                self._pragma(connection, f"synchronous={'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._writing(durable=self._durable) as connection:
            yield connection

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise PitwallError(f"the memory {self._path} is closed.")
        return self._connection

    def _connect(self, data: DataFolder) -> None:
        with named_faults(self._path, NAME):
            self._connection = self._engine.connect()
            self._pragma(self._connection, f"cache_size=-{_CACHE_KIB}")
        with self._writing(durable=True) as connection:
            connection.exec_driver_sql(
                "INSERT OR IGNORE INTO meta (name, value) VALUES ('origin', ?)", (uuid.uuid4().hex,)
            )
            if (mode := journal_mode(connection)) != "wal":
                self.notices.append(
                    f"The disk of the data folder does not allow write-ahead logging (journal: {mode}); "
                    "reading the memory may have to wait for the writer."
                )
        try:
            with self._writing(durable=True) as connection:
                taken = run_log_episodes.take_over(connection, data)
        except (
            DataFolderError
        ) as error:  # the run log's own trouble: told where it is opened, tried again later
            self.notices.append(f"Episode summaries of the run log could not be taken over: {error.what}")
        else:
            if taken:
                self.notices.append(f"{taken} episode summaries were taken over from the run log.")

    def _pragma(self, connection: Connection, pragma: str) -> None:
        raw = connection.connection.dbapi_connection
        # A full disk may be in the way of a checkpoint; commits are safe in the write-ahead log.
        with contextlib.suppress(SqliteError):
            if raw is not None:
                raw.cursor().execute(f"PRAGMA {pragma}")
