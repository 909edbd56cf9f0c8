"""The source of every export of a run: one snapshot of the log, its rows in batches, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, Table, select

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.calls import CallRecord
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.steps import StepRecord
from pitwall.store import call_records, records
from pitwall.store.database_errors import fields_in, reads_row
from pitwall.store.run_reader import RunRow
from pitwall.store.schema import calls, steps

_BATCH = 250


class ExportError(PitwallError):
    """An export was refused or could not be written."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run as one snapshot shows it, and the progress of its export.

    Attributes:
        folder: the run's, with its pictures.
        advance: called with the number of rows or files done since the last call.
    """

    connection: Connection
    row: RunRow
    folder: Path
    advance: Callable[[int], None]


Writer = Callable[[Source, Path], None]
"""Writes a run into a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A format in which a run is exported; packages add theirs by entry points (`core/rail.py`).

    Attributes:
        title: its name on the screen.
        write: writes a run into a folder.
        files: each file that it writes → its contents in words, for the manifest of the export.
    """

    title: str
    write: Writer
    files: Mapping[str, str]


def rows_of(source: Source, table: Table) -> Select[Any]:
    """Return the query for the run's rows of a table, in order of its key."""
    return select(table).where(table.c.run_id == source.row.run_id).order_by(*table.primary_key)


def batches(source: Source, wanted: Select[Any]) -> Iterator[Sequence[RowMapping]]:
    """Return a query's rows, some hundreds at a time."""
    return source.connection.execute(wanted).mappings().partitions(_BATCH)


def steps_of(source: Source) -> Iterator[StepRecord]:
    """Yield the run's steps in order; each counts as progress."""
    for batch in batches(source, rows_of(source, steps)):
        yield from map(records.step_of, batch)
        source.advance(len(batch))


def field_names(source: Source) -> list[str]:
    """Return the names of all fields that were read, in the order of their first reading."""
    names: dict[str, None] = {}
    wanted = select(steps.c.fields).where(steps.c.run_id == source.row.run_id).order_by(steps.c.step)
    for text in source.connection.execute(wanted).scalars():
        names.update(dict.fromkeys(_names_in(text)))
    return list(names)


@reads_row("steps")
def _names_in(fields: str) -> list[str]:
    return list(fields_in(fields))


def calls_of(source: Source) -> Iterator[CallRecord]:
    """Yield the run's model calls in order; each counts as progress."""
    for batch in batches(source, rows_of(source, calls)):
        yield from map(call_records.call_of, batch)
        source.advance(len(batch))


def wall_ns(source: Source) -> int:
    """Return the run's start in nanoseconds since 1970; 0 where its log does not say."""
    try:
        return int(datetime.fromisoformat(source.row.manifest.started_at).timestamp() * NS_PER_S)
    except ValueError:
        return 0


def picture_of(source: Source, step: StepRecord) -> bytes:
    """Return a step's image as it was kept; empty where there is none in the run's folder."""
    file = source.folder / step.frame_ref
    if not step.frame_ref or not file.resolve().is_relative_to(source.folder.resolve()):
        return b""
    try:
        return read_bytes(file)
    except (FileNotFoundError, DamagedFile):
        return b""
