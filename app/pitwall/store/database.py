"""Chooses the SQLite library and sets up connections.

Linux uses pysqlite3, whose SQLite is current (the system's may still have the WAL bug that 3.51.3 fixed);
other systems use the interpreter's own.

Durability: WAL with synchronous=FULL. With NORMAL a killed process loses nothing that was committed, but a
power cut can undo the last commits, and "a step counts once its commit returned" would be untrue. FULL costs
one fsync a step; a run has a few steps a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, StaticPool

from pitwall.core.errors import DataFolderError

if sys.platform == "linux":
    import pysqlite3 as sqlite
else:
    import sqlite3 as sqlite

BUSY_TIMEOUT_MS = 5_000
_DRIVER: ModuleType = sqlite
SqliteError: type[Exception] = sqlite.Error
"""Base class of the driver's errors, for calls on a raw connection."""
SqliteWarning: type[Exception] = sqlite.Warning
"""Raised by the driver for a text of several statements."""


def writer_engine(path: Path, *, foreign_keys: bool = True) -> Engine:
    """Return an engine with one connection that writes; a missing file is created.

    Args:
        foreign_keys: off while a migration rebuilds tables.
    """
    return _engine(path, "rwc", foreign_keys=foreign_keys)


def reader_engine(path: Path) -> Engine:
    """Return an engine whose connections only read, safely beside a writer.

    Each query opens the file again, so a log that was set aside and replaced is noticed.
    """
    return _engine(path, "ro", foreign_keys=False)


def raw_connection(path: Path, mode: Literal["ro", "rw", "rwc"]) -> Any:
    """Return a plain DB-API connection in autocommit mode, for checks, backups and copies.

    Raises:
        DataFolderError: it is no regular file; SQLite would wait for ever on a pipe.
    """
    if path.exists() and not path.is_file():
        raise DataFolderError(f"{path} is no regular file.", "Move it away.")
    return connect(database_uri(path, mode))


def database_uri(path: Path, mode: Literal["ro", "rw", "rwc"]) -> str:
    """Return the URI that opens a database file in a mode.

    On a file system that cannot be written, a read-only connection treats the file as immutable, unless
    there is a write-ahead log with commits.
    """
    uri = f"{path.as_uri()}?mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK):
        wal = path.with_name(path.name + "-wal")
        if not wal.exists() or not wal.stat().st_size:
            uri += "&immutable=1"
    return uri


def connect(uri: str) -> Any:
    """Return a plain DB-API connection in autocommit mode to a `database_uri`, or to `:memory:`."""
    connection = sqlite.connect(
        uri, uri=True, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    return connection


def journal_mode(connection: Connection) -> str:
    """Return the journal mode: `wal`, or the mode that the file system allowed instead."""
    return str(connection.exec_driver_sql("PRAGMA journal_mode").scalar_one())


def _engine(path: Path, mode: Literal["ro", "rwc"], *, foreign_keys: bool) -> Engine:
    def opened() -> Any:
        connection = raw_connection(path, mode)
        if mode != "ro":
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        return connection

    engine = create_engine(
        "sqlite://",
        module=_DRIVER,
        creator=opened,
        poolclass=NullPool if mode == "ro" else StaticPool,
    )

    # The driver would begin only before INSERT, UPDATE and DELETE, leaving schema changes outside.
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if mode == "ro" else "BEGIN IMMEDIATE")

    return engine
