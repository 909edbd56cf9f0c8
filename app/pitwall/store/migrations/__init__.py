"""Upgrades a run log to this version's schema, a revision at a time, all in one transaction.

To add a step: write `versions/vNNNN_name.py`, change `schema.py` alike, append its revision to REVISIONS.
A signal needs none: `add_signal_columns` makes the column of each declared signal.
Alembic is imported only when there is something to migrate, as its import slows every start.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from pitwall.core.errors import DataFolderError
from pitwall.core.signals import TriggerSignal
from pitwall.store.database_errors import RUN_LOG
from pitwall.store.schema import LATER_SIGNALS

REVISIONS: tuple[str, ...] = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
"""Every revision, oldest first."""

FOLDER = Path(__file__).parent

_ONE_AT_A_TIME = threading.Lock()
"""Guards Alembic's context, which is global to the process: another thread would replace it."""


def current_revision(connection: Connection) -> str | None:
    """Return the database's revision; None for a new one."""
    table = connection.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").first()
    if table is None:
        return None
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if revision is None else str(revision)


def check_known(
    revision: str | None, path: Path, revisions: Sequence[str] = REVISIONS, name: str = RUN_LOG
) -> None:
    """Refuse a database that a newer Pitwall wrote.

    Raises:
        DataFolderError: its revision is not among the known ones.
    """
    if revision is not None and revision not in revisions:
        raise DataFolderError(
            f"the {name} {path} was written by a newer Pitwall "
            f"(schema {revision}; this one knows up to {revisions[-1]}).",
            "Update Pitwall, or set PITWALL_DATA to another folder.",
        )


def upgrade(connection: Connection, target: str = REVISIONS[-1], folder: Path = FOLDER) -> None:
    """Run the missing revisions up to `target` inside the connection's transaction.

    The caller commits, or rolls back, the schema changes together with their record.
    """
    with _ONE_AT_A_TIME:
        _upgrade(connection, target, folder)


def signals_without_column(connection: Connection) -> list[TriggerSignal]:
    """Return the declared signals without a column in `steps`; none where there is no such table."""
    columns = {row[1] for row in connection.exec_driver_sql("PRAGMA table_info(steps)")}
    return [signal for signal in LATER_SIGNALS if columns and signal.name not in columns]


def add_signal_columns(connection: Connection) -> None:
    """Give the steps a column for each declared signal; it is null in the steps recorded before."""
    for signal in signals_without_column(connection):
        kind = "FLOAT" if signal.kind is float else "INTEGER"
        connection.exec_driver_sql(f"ALTER TABLE steps ADD COLUMN {signal.name} {kind}")


def _upgrade(connection: Connection, target: str, folder: Path) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext, MigrationStep, RevisionStep
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(folder)
    start = current_revision(connection)

    def missing(_rev: object, _context: MigrationContext) -> list[RevisionStep]:
        newest_first = list(scripts.iterate_revisions(target, start or "base"))
        return [
            MigrationStep.upgrade_from_script(scripts.revision_map, script)
            for script in reversed(newest_first)
        ]

    context = MigrationContext.configure(connection, opts={"fn": missing, "transactional_ddl": True})
    with Operations.context(context):
        context.run_migrations()
