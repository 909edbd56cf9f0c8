"""A run as Parquet: the tables of its CSV export, in columns with types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy

from pitwall.core.clock import NS_PER_MS
from pitwall.store.export_formats import (
    CALL_CSV_COLUMNS,
    CSV_COLUMNS,
    call_csv_row,
    call_headers,
    csv_row,
    step_headers,
)
from pitwall.store.export_source import Source, batches, field_names, rows_of
from pitwall.store.run_reader import events_in
from pitwall.store.schema import calls, steps

_MS = {"at_ms"}


def write_parquet(source: Source, folder: Path) -> None:
    """Write steps.parquet, calls.parquet and events.parquet; the columns' names hold the units."""
    import pyarrow as pa  # takes a fifth of a second, and most commands never export

    fields = field_names(source)
    of_steps = [_type(pa, steps, CSV_COLUMNS.get(name, ""), name) for name in step_headers(())]
    rows = [csv_row(row, fields) for batch in batches(source, rows_of(source, steps)) for row in batch]
    source.advance(len(rows))
    read = [_common_type(pa, (row[len(of_steps) + at] for row in rows)) for at in range(len(fields))]
    _write(folder / "steps.parquet", step_headers(fields), [*of_steps, *read], rows)
    of_calls = [_type(pa, calls, CALL_CSV_COLUMNS.get(name, ""), name) for name in call_headers()]
    asked = [call_csv_row(row) for batch in batches(source, rows_of(source, calls)) for row in batch]
    source.advance(len(asked))
    _write(folder / "calls.parquet", call_headers(), of_calls, asked)
    happened = [
        [source.row.run_id, event.at_ns / NS_PER_MS, event.step, event.kind, event.text]
        for event in events_in(source.connection, source.row.run_id)
    ]
    types = [pa.int64(), pa.float64(), pa.int64(), pa.string(), pa.string()]
    _write(folder / "events.parquet", ["run_id", "at_ms", "step", "kind", "text"], types, happened)


def _write(file: Path, names: Sequence[str], types: Sequence[Any], rows: Sequence[Sequence[object]]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns = [
        pa.array([_plain(row[at], kind, pa) for row in rows], type=kind) for at, kind in enumerate(types)
    ]
    parquet.write_table(pa.table(columns, names=list(names)), file, compression="zstd")


def _plain(value: object, kind: Any, pa: Any) -> object:
    """Return a value as its column takes it: several kinds of values in one column are their JSON."""
    if value is None or not pa.types.is_string(kind) or isinstance(value, str):
        return value
    return json.dumps(value)


def _type(pa: Any, table: sqlalchemy.Table, column: str, name: str) -> Any:
    if name in _MS:
        return pa.float64()
    if name.startswith("tokens_"):
        return pa.int64()
    kind = table.c[column].type
    if isinstance(kind, sqlalchemy.Float):
        return pa.float64()
    return pa.int64() if isinstance(kind, sqlalchemy.Integer) and name != "subgoal" else pa.string()


def _common_type(pa: Any, values: Iterable[object]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()
