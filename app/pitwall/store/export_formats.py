"""Writes a run as JSON lines and CSV. Each format streams one snapshot of the log."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import RowMapping, select

from pitwall.core.calls import PICTURE, TEMPLATE, CallRecord
from pitwall.core.clock import NS_PER_MS
from pitwall.core.prompts import Layer
from pitwall.core.runs import EXPORT_VERSION
from pitwall.core.signals import SIGNALS
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store import call_records, records, schema
from pitwall.store.csv_text import write_csv_rows
from pitwall.store.database_errors import fields_in, object_in, reads_row
from pitwall.store.export_source import Source, batches, field_names, rows_of, steps_of
from pitwall.store.run_reader import events_in
from pitwall.store.strict_json import to_json

_HEADERS = {
    "at_ns": "at_ms",
    "proposal": "subgoal",
    "proposed": "proposed_actions",
    "illegal": "illegal_actions",
}
_HEADERS |= {signal.name: f"{signal.name}_{signal.unit}" for signal in SIGNALS if signal.unit}
CSV_COLUMNS = {
    _HEADERS.get(column.name, column.name): column.name
    for column in schema.steps.columns
    if column.name not in ("fields", "sent")
}
"""Header → column of `steps`. State-reader fields follow, each as `field_<name>`."""
_CALL_COLUMNS = """run_id call step at_ns purpose tier model device outcome problem invalid proposed illegal
    prompt_tokens cached_tokens output_tokens queued_ms load_ms first_token_ms took_ms finish prompt_hash
    grammar_hash image_ref reply"""
CALL_CSV_COLUMNS = {_HEADERS.get(name, name): name for name in _CALL_COLUMNS.split()}
"""Header → column of `calls`. Prompt tokens by layer follow, each as `tokens_<layer>`."""

TOKEN_LAYERS = (*(layer.value for layer in Layer), TEMPLATE, PICTURE)


def write_jsonl(source: Source, folder: Path) -> None:
    """Write run.jsonl: a versioned event a line."""
    run_id = source.row.run_id
    with (folder / "run.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        out.write(_line("run", run_id, records.plain(source.row.manifest)))
        for moment in _moments(source):
            for kind, content in _lines_of(moment):
                out.write(_line(kind, run_id, content))
        for batch in batches(source, rows_of(source, schema.retrievals)):
            for row in batch:
                out.write(_line("retrieval", run_id, _retrieval_content(row)))
        for batch in batches(source, rows_of(source, schema.episodes)):
            for row in batch:
                out.write(_line("episode", run_id, records.plain(call_records.episode_of(row))))
        for batch in batches(source, rows_of(source, schema.reflexes)):
            for row in batch:
                out.write(_line("reflex", run_id, records.plain(records.reflex_of(row))))
        summary = {"finished": source.row.finished, **records.plain(source.row.summary)}
        out.write(_line("summary", run_id, summary))


def write_csv(source: Source, folder: Path) -> None:
    """Write steps.csv and calls.csv: a flat row for each, with units in the headers."""
    fields = field_names(source)
    with (folder / "steps.csv").open("w", encoding="utf-8", newline="") as out:
        write_csv_rows(out, [step_headers(fields)])
        for batch in batches(source, rows_of(source, schema.steps)):
            write_csv_rows(out, (csv_row(row, fields) for row in batch))
            source.advance(len(batch))
    with (folder / "calls.csv").open("w", encoding="utf-8", newline="") as out:
        write_csv_rows(out, [call_headers()])
        for batch in batches(source, rows_of(source, schema.calls)):
            write_csv_rows(out, map(call_csv_row, batch))
            source.advance(len(batch))


@dataclass(frozen=True, slots=True)
class _Call:
    """A call, and the texts that no earlier call named."""

    record: CallRecord
    texts: tuple[RowMapping, ...]

    @property
    def at_ns(self) -> int:
        return self.record.at_ns


_Moment = StepRecord | RunEvent | _Call


def _calls(source: Source) -> Iterator[_Call]:
    written: set[str] = set()
    for batch in batches(source, rows_of(source, schema.calls)):
        named = {row[column] for row in batch for column in ("prompt_hash", "grammar_hash") if row[column]}
        wanted = select(schema.texts).where(schema.texts.c.content_hash.in_(named - written))
        new = {row["content_hash"]: row for row in source.connection.execute(wanted).mappings()}
        written |= named
        for row in batch:
            first = (new.pop(row["prompt_hash"], None), new.pop(row["grammar_hash"], None))
            yield _Call(call_records.call_of(row), tuple(text for text in first if text is not None))
        source.advance(len(batch))


def _moments(source: Source) -> Iterator[_Moment]:
    streams: list[Iterable[_Moment]] = [
        steps_of(source),
        events_in(source.connection, source.row.run_id),
        _calls(source),
    ]
    return heapq.merge(*streams, key=lambda moment: moment.at_ns)


def _lines_of(moment: _Moment) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the types and contents of a moment's lines."""
    if isinstance(moment, _Call):
        for text in moment.texts:
            yield text["kind"], {"content_hash": text["content_hash"], **_text_content(text)}
        yield "call", records.plain(moment.record)
    else:
        yield "step" if isinstance(moment, StepRecord) else "event", records.plain(moment)


@reads_row("texts")
def _text_content(text: RowMapping) -> Mapping[str, Any]:
    if text["kind"] == "prompt":
        return {"messages": json.loads(text["content"])}
    return {"text": text["content"]}


def _line(kind: str, run_id: int, content: Mapping[str, Any]) -> str:
    return to_json({"v": EXPORT_VERSION, "type": kind, "run_id": run_id, **content}) + "\n"


@reads_row("retrievals")
def _retrieval_content(row: RowMapping) -> dict[str, Any]:
    return object_in(row["retrieval"])


def step_headers(fields: Sequence[str]) -> list[str]:
    """Return the names of the columns of `csv_row`."""
    return [*CSV_COLUMNS, *(f"field_{name}" for name in fields)]


def call_headers() -> list[str]:
    """Return the names of the columns of `call_csv_row`."""
    return [*CALL_CSV_COLUMNS, *(f"tokens_{layer}" for layer in TOKEN_LAYERS)]


@reads_row(schema.steps)
def csv_row(row: RowMapping, fields: Sequence[str]) -> list[object]:
    """Return a step as a flat row, with the values of these state-reader fields at its end."""
    values: dict[str, object] = {header: row[column] for header, column in CSV_COLUMNS.items()}
    values["at_ms"] = row["at_ns"] / NS_PER_MS
    values["reasons"] = " ".join(json.loads(row["reasons"]))
    values["subgoal"] = json.loads(row["proposal"])["subgoal"] if row["proposal"] else None
    read = fields_in(row["fields"])
    return [*values.values(), *(read.get(name) for name in fields)]


@reads_row(schema.calls)
def call_csv_row(row: RowMapping) -> list[object]:
    """Return a call as a flat row, with its prompt tokens by layer at its end."""
    values: dict[str, object] = {header: row[column] for header, column in CALL_CSV_COLUMNS.items()}
    values["at_ms"] = row["at_ns"] / NS_PER_MS
    by_layer = object_in(row["tokens_by_layer"])
    return [*values.values(), *(by_layer.get(layer) for layer in TOKEN_LAYERS)]
