"""Prepares a database for use: sets damage aside, backs an older schema up and migrates it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pitwall.core.errors import DataFolderError
from pitwall.store import migrations
from pitwall.store.database import SqliteError, raw_connection, writer_engine
from pitwall.store.database_errors import DAMAGE, RUN_LOG, database_error, named_faults, sqlite_code
from pitwall.store.schema import metadata

_log = logging.getLogger(__name__)
_RUN_TABLES = frozenset(metadata.tables)


def prepare_database(
    path: Path,
    *,
    revisions: Sequence[str] = migrations.REVISIONS,
    scripts: Path = migrations.FOLDER,
    tables: Collection[str] = _RUN_TABLES,
    name: str = RUN_LOG,
) -> list[str]:
    """Make the database at `path` usable: whole, and at the newest of `revisions`.

    The caller holds the write lock.

    Args:
        tables: the names of the newest revision's tables.
        name: its name in messages.

    Returns:
        Sentences for the operator; empty when nothing unusual happened.

    Raises:
        DataFolderError: read-only, full, locked, or written by a newer Pitwall.
    """
    notices: list[str] = []
    if path.exists() and (damage := find_damage(path, revisions[-1], tables=tables, name=name)):
        kept = set_aside(path)
        notices.append(f"The {name} was damaged ({damage}); it was kept as {kept.name} and a new one begun.")
    notices += migrate(path, revisions=revisions, scripts=scripts, name=name)
    for notice in notices:
        _log.warning(notice)
    return notices


def find_damage(
    path: Path,
    newest: str = migrations.REVISIONS[-1],
    *,
    tables: Collection[str] = _RUN_TABLES,
    name: str = RUN_LOG,
) -> str:
    """Return the damage of the file itself in a few words; "" when it is intact.

    It is opened read-only: closing another kind of connection would fold or delete its write-ahead log,
    which is part of the evidence.

    Raises:
        DataFolderError: it cannot be read for another reason.
    """
    try:
        with contextlib.closing(raw_connection(path, "ro")) as connection:
            return _first_fault(connection, newest, tables, name)
    except UnicodeDecodeError:
        return "the names of its tables or columns are not UTF-8"
    except SqliteError as error:
        if sqlite_code(error) in DAMAGE:
            return str(error)
        raise database_error(error, path, name) from error


def set_aside(path: Path) -> Path:
    """Rename a database and its write-ahead log to a name with date and reason.

    Raises:
        DataFolderError: the folder does not let it be renamed.
    """
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    kept = _unused(path.with_name(f"{path.name}.damaged-{now}"))
    with named_faults(path):
        path.rename(kept)
        for tail in ("-wal", "-shm"):
            beside = path.with_name(path.name + tail)
            if beside.exists():
                beside.rename(kept.with_name(kept.name + tail))
    return kept


def migrate(
    path: Path,
    *,
    revisions: Sequence[str] = migrations.REVISIONS,
    scripts: Path = migrations.FOLDER,
    name: str = RUN_LOG,
) -> list[str]:
    """Bring the database to the newest revision in one transaction, after a backup of an existing one.

    Returns:
        A sentence that names the backup, where one was made.

    Raises:
        DataFolderError: it cannot be written, or a newer Pitwall wrote it.
    """
    engine = writer_engine(path, foreign_keys=False)
    notices: list[str] = []
    try:
        with named_faults(path, name), engine.connect() as connection:
            with connection.begin():
                revision = migrations.current_revision(connection)
                lacking = migrations.signals_without_column(connection)
            migrations.check_known(revision, path, revisions, name)
            if revision == revisions[-1] and not lacking:
                return notices
            if revision not in (None, revisions[-1]):
                kept = _back_up(path, revisions[-1], name)
                notices.append(f"The {name} was brought up to date; the one before was kept as {kept.name}.")
            with connection.begin():
                migrations.upgrade(connection, revisions[-1], scripts)
                migrations.add_signal_columns(connection)
                _refuse_orphans(connection.exec_driver_sql("PRAGMA foreign_key_check").all(), path, name)
    finally:
        engine.dispose()
    return notices


def _first_fault(connection: Any, newest: str, tables: Collection[str], name: str) -> str:
    fault = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if fault != "ok":
        return " ".join(fault.split())
    names = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names:
        return ""
    if "alembic_version" not in names:
        return f"it is no {name}"
    revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    missing = set(tables) - names
    if revision == (newest,) and missing:
        return f"it lacks the table {min(missing)}"
    return ""


def _back_up(path: Path, revision: str, name: str) -> Path:
    kept = _unused(path.with_name(f"{path.name}.before-{revision}"))
    aside = kept.with_name(kept.name + ".partial")
    aside.unlink(missing_ok=True)
    try:
        with (
            contextlib.closing(raw_connection(path, "rw")) as source,
            contextlib.closing(raw_connection(aside, "rwc")) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        aside.replace(kept)
    except SqliteError as error:
        aside.unlink(missing_ok=True)
        raise database_error(error, aside, name) from error
    return kept


def _refuse_orphans(orphans: Sequence[Any], path: Path, name: str) -> None:
    if orphans:
        raise DataFolderError(
            f"the {name} {path} could not be brought up to date: "
            f"{len(orphans)} rows of {orphans[0][0]} refer to {orphans[0][2]} that are not there.",
            "It was left as it was. Export what you need with the older Pitwall, then move it away.",
        )


def _unused(path: Path) -> Path:
    if not path.exists():
        return path
    number = 2
    while path.with_name(f"{path.name}-{number}").exists():
        number += 1
    return path.with_name(f"{path.name}-{number}")
