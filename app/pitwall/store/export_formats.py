"""The three shapes a run is exported in. Each reads one snapshot of the log and streams it."""

from __future__ import annotations

import csv
import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, RowMapping, Table, insert, select
from sqlalchemy.exc import DBAPIError

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.runs import EXPORT_VERSION
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store import records
from pitwall.store.database import writer_engine
from pitwall.store.migrations import REVISIONS
from pitwall.store.run_reader import RunRow, events_in
from pitwall.store.schema import events, metadata, runs, steps, summaries

_BATCH = 250

_CSV_COLUMNS = {
    "run_id": "run_id",
    "step": "step",
    "at_ms": "at_ns",
    "frame_id": "frame_id",
    "status": "status",
    "route": "route",
    "reasons": "reasons",
    "why": "why",
    "change": "change",
    "progress": "progress",
    "stall_steps": "stall",
    "repetition_actions": "repetition",
    "since_strategic_steps": "since_strategic",
    "failure_level": "failure",
    "proposal_id": "proposal_id",
    "subgoal": "proposal",
    "action": "action",
    "arguments": "arguments",
    "invalid": "invalid",
    "sent_events": "sent_events",
    "refused_events": "refused_events",
    "refusals": "refusals",
    "effect": "effect",
    "capture_ms": "capture_ms",
    "perceive_ms": "perceive_ms",
    "trigger_ms": "trigger_ms",
    "decide_ms": "decide_ms",
    "act_ms": "act_ms",
    "record_ms": "record_ms",
    "reaction_ms": "reaction_ms",
    "frame_age_ms": "frame_age_ms",
    "frame_ref": "frame_ref",
}
"""Header → column of `steps`. State-reader fields follow, each as `field_<name>`."""


class ExportError(PitwallError):
    """An export was refused or could not be written."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run as one snapshot shows it, and whom to tell how far its export is.

    Attributes:
        advance: called with the number of rows or files done since the last call.
    """

    connection: Connection
    row: RunRow
    advance: Callable[[int], None]


Writer = Callable[[Source, Path], None]


def write_jsonl(source: Source, file: Path) -> None:
    """One versioned event a line: the run, its steps and events in order of time, the summary."""
    run_id = source.row.run_id
    with file.open("w", encoding="utf-8", newline="\n") as out:
        out.write(_line("run", run_id, records.plain(source.row.manifest)))
        for moment in _moments(source):
            kind = "step" if isinstance(moment, StepRecord) else "event"
            out.write(_line(kind, run_id, records.plain(moment)))
        summary = {"finished": source.row.finished, **records.plain(source.row.summary)}
        out.write(_line("summary", run_id, summary))


def write_csv(source: Source, file: Path) -> None:
    """One flat row a step; units stand in the headers, and each state-reader field is a column."""
    fields = _field_names(source)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*_CSV_COLUMNS, *(f"field_{name}" for name in fields)])
        for batch in _batches(source, steps):
            writer.writerows(_csv_row(row, fields) for row in batch)
            source.advance(len(batch))


def write_sqlite(source: Source, file: Path) -> None:
    """A run log of its own with this run only; any Pitwall or SQLite program opens it."""
    engine = writer_engine(file)
    try:
        _fill(source, engine)
        _make_single_file(engine)
    except DBAPIError as error:
        raise ExportError(
            f"{file} cannot be written: {error.orig}.", "Free some space, or choose another folder."
        ) from error
    finally:
        engine.dispose()


Format = Literal["jsonl", "csv", "sqlite"]
WRITERS: dict[str, tuple[str, Writer]] = {
    "jsonl": ("run.jsonl", write_jsonl),
    "csv": ("steps.csv", write_csv),
    "sqlite": ("run.sqlite", write_sqlite),
}
"""Format → file name and writer."""


def _fill(source: Source, engine: Engine) -> None:
    with engine.connect() as connection, connection.begin():
        metadata.create_all(connection)
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (REVISIONS[-1],))
        for table in (runs, steps, events):
            for batch in _batches(source, table):
                connection.execute(insert(table), [dict(row) for row in batch])
                if table is steps:
                    source.advance(len(batch))
        connection.execute(insert(summaries), [records.summary_row(source.row.run_id, source.row.summary)])


def _make_single_file(engine: Engine) -> None:
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        if raw is not None:
            raw.cursor().execute("PRAGMA journal_mode=DELETE")


def _batches(source: Source, table: Table) -> Iterator[Sequence[RowMapping]]:
    wanted = select(table).where(table.c.run_id == source.row.run_id).order_by(*table.primary_key)
    return source.connection.execute(wanted).mappings().partitions(_BATCH)


def _steps(source: Source) -> Iterator[StepRecord]:
    for batch in _batches(source, steps):
        yield from map(records.step_of, batch)
        source.advance(len(batch))


def _moments(source: Source) -> Iterator[StepRecord | RunEvent]:
    streams: list[Iterable[StepRecord | RunEvent]] = [
        _steps(source),
        events_in(source.connection, source.row.run_id),
    ]
    return heapq.merge(*streams, key=lambda moment: moment.at_ns)


def _line(kind: str, run_id: int, content: dict[str, Any]) -> str:
    return records.to_json({"v": EXPORT_VERSION, "type": kind, "run_id": run_id, **content}) + "\n"


def _field_names(source: Source) -> list[str]:
    names: dict[str, None] = {}
    wanted = select(steps.c.fields).where(steps.c.run_id == source.row.run_id).order_by(steps.c.step)
    for text in source.connection.execute(wanted).scalars():
        names.update(dict.fromkeys(json.loads(text)))
    return list(names)


def _csv_row(row: RowMapping, fields: Sequence[str]) -> list[object]:
    values: dict[str, object] = {header: row[column] for header, column in _CSV_COLUMNS.items()}
    values["at_ms"] = row["at_ns"] / NS_PER_MS
    values["reasons"] = " ".join(json.loads(row["reasons"]))
    values["subgoal"] = json.loads(row["proposal"])["subgoal"] if row["proposal"] else None
    read = json.loads(row["fields"])
    return [*values.values(), *(read.get(name) for name in fields)]
