"""Moves runs from the run log into an archive, and back: their rows and their folder.

An archived run is a folder: `run.json` says what it is, `rows.sqlite` has its rows, `files` is its folder.
Rows are copied, then deleted in the log, and the folder is moved last; restoring the run, or archiving it
again, completes a move that was broken off.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.store.database import database_uri, raw_connection
from pitwall.store.database_errors import named_faults
from pitwall.store.folder_errors import folder_error, write_file
from pitwall.store.lease import FileLock, write_lock_file
from pitwall.store.preparation import prepare_database
from pitwall.store.run_reader import RunReader, RunRow

_COUNTED = {"events": "event_id", "reflexes": "reflex_id"}
"""Columns that number a table's rows over all runs: another run may have taken a number meanwhile."""
_TABLES = ("runs", "steps", "events", "summaries", "calls", "episodes", "retrievals", "reflexes")
_TEXTS = """
SELECT * FROM main.texts WHERE content_hash IN (SELECT prompt_hash FROM main.calls WHERE run_id = :run_id
    UNION SELECT grammar_hash FROM main.calls WHERE run_id = :run_id)
"""
_ABOUT, _ROWS, _FILES = "run.json", "rows.sqlite", "files"


class ArchivedRun(BaseModel):
    """A run in an archive.

    Attributes:
        batch: when it was archived; runs that went together have the same. bytes: of its folder's files.
    """

    model_config = ConfigDict(frozen=True)

    run_id: int
    batch: str
    game: str
    started_at: str
    steps: int
    bytes: int


def archive_folder(data: DataFolder, named: Path | None = None) -> Path:
    """Return the folder of archived runs: the named one, or `archive` in the data folder."""
    return named.expanduser().resolve() if named is not None else data.root / "archive"


def archived_runs(archive: Path) -> list[ArchivedRun]:
    """List an archive's runs by id; an unreadable one is left out."""
    runs = []
    for file in sorted(archive.glob(f"*/{_ABOUT}")):
        with contextlib.suppress(PitwallError, OSError):
            runs.append(read_model(ArchivedRun, file))
    return sorted(runs, key=lambda run: run.run_id)


def archive_runs(data: DataFolder, run_ids: Sequence[int], archive: Path) -> list[ArchivedRun]:
    """Move runs into an archive, together as one batch.

    Raises:
        UnknownRun: there is no such run; nothing was moved. DataFolderError: the log is being written, or a
            folder cannot be. PitwallError: a run is still being played.
    """
    batch, moved = datetime.now(UTC).isoformat(timespec="milliseconds"), []
    with _written_log(data) as connection, contextlib.closing(RunReader(data)) as reader:
        for row in [reader.run(run_id) for run_id in run_ids]:
            about = _about(data, row, batch)
            place = archive / f"{row.run_id:06d}"
            _keep_rows(connection, row.run_id, place)
            write_file(place / _ABOUT, about.model_dump_json(indent=1), sync=True)
            _delete_rows(connection, row.run_id)
            _move(data.run(row.run_id), place / _FILES)
            moved.append(about)
    return moved


def restore_runs(
    data: DataFolder, run_ids: Sequence[int], archive: Path, *, as_new: bool = False
) -> list[ArchivedRun]:
    """Move runs back from an archive, and return them with the numbers that they have now.

    Args:
        as_new: give each the log's next number; for runs that come from another data folder.

    Raises:
        UnknownRun: the archive has no such run; nothing was moved. DataFolderError: the log is being written,
            or a folder cannot be. PitwallError: a run of this number is in the log.
    """
    runs = _archived(archive, run_ids)
    restored = []
    with _written_log(data, make=as_new) as connection:
        for run in runs:
            place = archive / f"{run.run_id:06d}"
            run_id = _take_rows(connection, run.run_id, place, as_new=as_new)
            _move(place / _FILES, data.run(run_id))
            shutil.rmtree(place)
            restored.append(run.model_copy(update={"run_id": run_id}))
    return restored


def delete_archived(archive: Path, run_ids: Sequence[int]) -> list[ArchivedRun]:
    """Delete archived runs for good.

    Raises:
        UnknownRun: the archive has no such run; nothing was deleted. DataFolderError: it cannot be deleted.
    """
    runs = _archived(archive, run_ids)
    for run_id in run_ids:
        place = archive / f"{run_id:06d}"
        try:
            shutil.rmtree(place)
        except OSError as error:
            raise folder_error(error, place) from error
    return runs


def folder_bytes(folder: Path) -> int:
    """Return the size of a folder's files."""
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += Path(root, name).lstat().st_size
    return size


def _archived(archive: Path, run_ids: Sequence[int]) -> list[ArchivedRun]:
    """Return these runs of an archive.

    Raises:
        UnknownRun: the archive has no such run.
    """
    known = {run.run_id: run for run in archived_runs(archive)}
    if missing := [run_id for run_id in run_ids if run_id not in known]:
        raise UnknownRun(f"run {missing[0]} is not in {archive}.", "List them: pitwall archive")
    return [known[run_id] for run_id in run_ids]


def _about(data: DataFolder, row: RunRow, batch: str) -> ArchivedRun:
    return ArchivedRun(
        run_id=row.run_id,
        batch=batch,
        game=row.manifest.game_id,
        started_at=row.manifest.started_at,
        steps=row.summary.steps,
        bytes=folder_bytes(data.run(row.run_id)),
    )


@contextlib.contextmanager
def _written_log(data: DataFolder, *, make: bool = False) -> Iterator[Any]:
    """Yield a connection to the run log, which no engine writes meanwhile.

    Args:
        make: make the log where there is none.
    """
    if not make and not data.database.is_file():
        raise UnknownRun(f"there are no runs in {data.root}.")
    lock = FileLock(write_lock_file(data), role="archive", subject=f"the run log {data.database}")
    with lock, named_faults(data.database):
        prepare_database(data.database)
        connection = raw_connection(data.database, "rw")
        connection.execute("PRAGMA foreign_keys=ON")
        try:
            yield connection
        finally:
            connection.close()


def _keep_rows(connection: Any, run_id: int, place: Path) -> None:
    """Copy a run's rows into its place of the archive."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / _ROWS).unlink(missing_ok=True)
    except OSError as error:
        raise folder_error(error, place) from error
    with _attached(connection, place / _ROWS, "rwc"):
        connection.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            connection.execute(
                f"CREATE TABLE kept.{table} AS SELECT * FROM main.{table} WHERE run_id = ?", (run_id,)
            )
        connection.execute(f"CREATE TABLE kept.texts AS {_TEXTS}", {"run_id": run_id})
        connection.execute("COMMIT")


def _delete_rows(connection: Any, run_id: int) -> None:
    """Delete a run in the log; its rows in other tables go with it."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
    connection.execute("COMMIT")


def _take_rows(connection: Any, run_id: int, place: Path, *, as_new: bool) -> int:
    """Copy a run's rows back into the log and return its number; columns that came since stay empty."""
    if not as_new and connection.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone():
        raise PitwallError(f"run {run_id} is in the run log.", "Archive it again to complete its move.")
    with _attached(connection, place / _ROWS, "ro"):
        connection.execute("BEGIN IMMEDIATE")
        if as_new:
            run_id = connection.execute(
                "SELECT coalesce(max(seq), 0) + 1 FROM main.sqlite_sequence WHERE name = 'runs'"
            ).fetchone()[0]
        numbered_anew = _COUNTED | ({"episodes": "episode_id"} if as_new else {})
        for table in ("texts", *_TABLES):
            kept = [row[1] for row in connection.execute(f"PRAGMA kept.table_info({table})")]
            own = {row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")}
            columns = [name for name in kept if name in own and name != numbered_anew.get(table)]
            values = [":run_id" if name == "run_id" else name for name in columns]
            connection.execute(
                f"INSERT OR IGNORE INTO main.{table} ({', '.join(columns)})"
                f" SELECT {', '.join(values)} FROM kept.{table}",
                {"run_id": run_id},
            )
        connection.execute("COMMIT")
    return run_id


@contextlib.contextmanager
def _attached(connection: Any, file: Path, mode: Any) -> Iterator[None]:
    connection.execute("ATTACH ? AS kept", (database_uri(file, mode),))
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("DETACH kept")


def _move(source: Path, target: Path) -> None:
    """Move a folder, to another disk too; one that is not there is left out."""
    if not source.is_dir():
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():  # a move that was broken off
            shutil.copytree(source, target, dirs_exist_ok=True, copy_function=_copy_longer)
            shutil.rmtree(source)
        else:
            shutil.move(source, target, copy_function=_copy_longer)
    except OSError as error:
        raise folder_error(error, target) from error


def _copy_longer(source: str, target: str) -> None:
    """Copy a file unless the target is as long: the shorter of both is a copy that was broken off.

    Raises:
        DataFolderError: it cannot be copied. After an OSError `shutil` would go on with the next file,
            and end in a list of all failures.
    """
    there = Path(target)
    try:
        if not there.is_file() or there.stat().st_size < Path(source).stat().st_size:
            shutil.copy2(source, target)
    except OSError as error:
        raise folder_error(error, there) from error
