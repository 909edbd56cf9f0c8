"""Writes the run log, as its only writer: a step counts once its commit returned."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, Table, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import IntegrityError

from pitwall.core.bounded_reading import valid_text
from pitwall.core.calls import CallRecord
from pitwall.core.errors import PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt, hash_of
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord
from pitwall.store import call_records, records
from pitwall.store.database import SqliteError, journal_mode, writer_engine
from pitwall.store.database_errors import named_faults
from pitwall.store.lease import FileLock, write_lock_file
from pitwall.store.preparation import prepare_database
from pitwall.store.run_reader import RunReader, RunRow, computed_summary
from pitwall.store.schema import calls, events, reflexes, retrievals, runs, steps, summaries, texts

__all__ = ["RunLog", "RunReader", "RunRow"]


class RunLog:
    """Writes runs. Usable from several threads; calls wait for one another.

    A failed call leaves nothing half-written and the log usable: once space was freed, the next call works.
    The methods that add a record raise UnknownRun if there is no such run, and DataFolderError if the record
    could not be committed; then nothing of it is kept.

    Attributes:
        notices: sentences for the operator on problems met while opening.
    """

    def __init__(self, data: DataFolder, lock: FileLock, engine: Engine, notices: list[str]) -> None:
        self._data = data
        self._path = data.database
        self._lock_file = lock
        self._engine = engine
        self._connection: Connection | None = None
        self._turn = threading.Lock()
        self.notices = notices

    @classmethod
    def open(cls, data: DataFolder, *, role: str = "engine") -> RunLog:
        """Open for writing; make or migrate the database, set a damaged one aside.

        Runs that a killed writer left open are closed as "crashed".

        Raises:
            DataFolderError: the folder is read-only or full, the log is written by another process or
                was made by a newer Pitwall.
        """
        lock = FileLock(write_lock_file(data), role=role, subject=f"the run log {data.database}")
        lock.acquire()
        try:
            notices = prepare_database(data.database)
            log = cls(data, lock, writer_engine(data.database), notices)
        except BaseException:
            lock.release()
            raise
        try:
            log._connect()
        except BaseException:
            log.close()
            raise
        return log

    def close(self) -> None:
        """Fold the write-ahead log into the file and release the lock."""
        with self._turn:
            if self._connection is not None:
                self._checkpoint(self._connection)
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

    def begin(self, manifest: RunManifest) -> int:
        """Commit a new run and make its folder.

        Returns:
            Its id: 1, 2, 3 …; never one whose folder is already there.
        """
        with self._writing() as connection:
            newest = connection.execute(select(func.max(runs.c.run_id))).scalar() or 0
            used = (
                connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'runs'").scalar()
                or 0
            )
            folders = self._data.runs.iterdir() if self._data.runs.is_dir() else ()
            kept = [int(folder.name) for folder in folders if folder.name.isdecimal()]
            run_id = max(newest, int(used), *kept) + 1
            connection.execute(insert(runs).values(run_id=run_id, **records.manifest_row(manifest)))
            self._data.run(run_id).mkdir(parents=True)
        return run_id

    def add_step(self, run_id: int, step: StepRecord) -> None:
        """Commit one step; it counts once this returns."""
        self.add_steps(run_id, [step])

    def add_steps(self, run_id: int, batch: Sequence[StepRecord]) -> None:
        """Commit several steps together: all of them, or none on an error."""
        rows = [records.step_row(run_id, step) for step in batch]
        self._insert(steps, rows, run_id)

    def add_event(self, run_id: int, event: RunEvent) -> None:
        """Commit one event."""
        self._insert(events, [records.event_row(run_id, event)], run_id)

    def add_call(self, run_id: int, record: CallRecord, *, prompt: Prompt, grammar: str = "") -> None:
        """Commit one call with its prompt and grammar, each of which is kept only once.

        A second call of the same number replaces the first.

        Args:
            record: its hashes are replaced by those of `prompt` and `grammar`.
            grammar: empty for none.
        """
        prompt_hash, grammar_hash = prompt.content_hash, hash_of(grammar) if grammar else ""
        asked = [_text_row(prompt_hash, "prompt", call_records.prompt_text(prompt))]
        if grammar:
            asked.append(_text_row(grammar_hash, "grammar", valid_text(grammar)))
        row = call_records.call_row(
            run_id, replace(record, prompt_hash=prompt_hash, grammar_hash=grammar_hash)
        )
        with self._naming(run_id), self._writing() as connection:
            connection.execute(upsert(texts).on_conflict_do_nothing(), asked)
            connection.execute(upsert(calls).values(row).on_conflict_do_update(set_=row))

    def add_retrieval(self, run_id: int, retrieval: Retrieval) -> None:
        """Commit the memory's question and answer for a step, in place of an earlier one for it."""
        row = records.retrieval_row(run_id, retrieval)
        with self._naming(run_id), self._writing() as connection:
            connection.execute(upsert(retrievals).values(row).on_conflict_do_update(set_=row))

    def add_reflexes(self, run_id: int, batch: Sequence[ReflexRecord]) -> None:
        """Commit decisions of learned modules together: all of them, or none on an error."""
        self._insert(reflexes, [records.reflex_row(run_id, reflex) for reflex in batch], run_id)

    def finish(self, run_id: int, summary: RunSummary) -> None:
        """Commit the figures of a run; a second call replaces them."""
        row = records.summary_row(run_id, summary)
        with self._naming(run_id), self._writing() as connection:
            connection.execute(upsert(summaries).values(row).on_conflict_do_update(set_=row))
        with self._turn:
            self._checkpoint(self._open_connection())

    def _insert(self, table: Table, rows: list[dict[str, object]], run_id: int) -> None:
        if rows:
            with self._naming(run_id), self._writing() as connection:
                connection.execute(insert(table), rows)

    @contextlib.contextmanager
    def _naming(self, run_id: int) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            if "FOREIGN KEY" in str(error.orig):
                raise UnknownRun(f"run {run_id} was never begun in this run log.") from error
            raise PitwallError(f"run {run_id} already has this record, or its number is below 1.") from error
        except OverflowError as error:
            raise PitwallError(f"a number in a record of run {run_id} does not fit into 64 bits.") from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._turn, named_faults(self._path):
            connection = self._open_connection()
            with connection.begin():
                yield connection

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise PitwallError(f"the run log {self._path} is closed.")
        return self._connection

    def _connect(self) -> None:
        with named_faults(self._path):
            self._connection = self._engine.connect()
        with self._writing() as connection:
            left_open = runs.outerjoin(summaries, summaries.c.run_id == runs.c.run_id)
            wanted = select(runs.c.run_id).select_from(left_open).where(summaries.c.run_id.is_(None))
            for run_id in connection.execute(wanted).scalars().all():
                summary = computed_summary(connection, run_id, "crashed")
                connection.execute(insert(summaries).values(records.summary_row(run_id, summary)))
            if (mode := journal_mode(connection)) != "wal":
                self.notices.append(
                    f"The disk of the data folder does not allow write-ahead logging (journal: {mode}); "
                    "reading a run may have to wait for the writer."
                )

    def _checkpoint(self, connection: Connection) -> None:
        raw = connection.connection.dbapi_connection
        # A full disk may be in the way; the commits are safe in the write-ahead log.
        with contextlib.suppress(SqliteError):
            if raw is not None:
                raw.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")


def _text_row(content_hash: str, kind: str, content: str) -> dict[str, str]:
    return {"content_hash": content_hash, "kind": kind, "content": content}
