"""Converts records of the core to rows of the run log and to plain JSON, and back.

Strange texts and numbers are mended (`strict_json`), so that none ever loses a step: a number that is not
finite becomes null (in a field it then means "could not be read"; where a number is required it is read back
as not-a-number).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import RowMapping, Table

from pitwall.core import actions
from pitwall.core.bounded_reading import valid_text
from pitwall.core.observations import GameStatus
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.signals import SIGNALS, Reason, Route, Signals, TriggerSignal
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord, Timings
from pitwall.store import schema
from pitwall.store.database_errors import fields_in, object_in, reads_row
from pitwall.store.strict_json import to_json

T = TypeVar("T")
Row: TypeAlias = Mapping[str, Any] | RowMapping
"""A row by column names."""


_NO_SIGNALS = Signals()
_STAGES = ("capture_ms", "perceive_ms", "trigger_ms", "decide_ms", "act_ms", "record_ms")
_SUMMARY_COLUMNS = (
    "outcome",
    "seconds",
    "steps",
    "frames",
    "dropped_frames",
    "strategic_calls",
    "events_sent",
    "takeovers",
    "stuck",
    "recovered",
)


def plain(record: Any) -> dict[str, Any]:
    """Return a record as dictionaries, lists and values for `to_json`, at a third of the cost of `asdict`."""
    kind: object = type(record)
    content: dict[str, Any] = _adapter(kind).dump_python(record, warnings=False)
    return content


def row_of(table: Table, record: Any, **columns: Any) -> dict[str, Any]:
    """Return a record as a row of `table`: its attributes by column name, and the given columns."""
    kind: Any = type(record)
    names = _shared_names(table, kind)
    return {name: _cell(getattr(record, name)) for name in names if name not in columns} | columns


def record_of(kind: Callable[..., T], row: Row, **attributes: Any) -> T:
    """Return a record of a dataclass from a row: its columns by attribute name, and the given attributes."""
    names = [name for name in _attributes(kind) if name not in attributes and name in row]
    return kind(**{name: row[name] for name in names}, **attributes)


def manifest_row(manifest: RunManifest) -> dict[str, Any]:
    """Return the columns of `runs`, without the id."""
    width, height = manifest.screen
    return row_of(schema.runs, manifest, screen_width=width, screen_height=height)


@reads_row(schema.runs)
def manifest_of(row: Row) -> RunManifest:
    """Return the manifest in a row of `runs`."""
    objects = {name: object_in(row[name]) for name in ("settings", "thresholds", "versions")}
    return record_of(RunManifest, row, screen=(row["screen_width"], row["screen_height"]), **objects)


def step_row(run_id: int, step: StepRecord) -> dict[str, Any]:
    """Return the columns of `steps`."""
    refusals = Counter(sent.refused.value for sent in step.sent if sent.refused is not None)
    proposal = step.proposal
    return {
        **row_of(schema.steps, step.signals),
        **row_of(schema.steps, step.timings),
        **row_of(
            schema.steps,
            step,
            run_id=run_id,
            proposal_id=None if proposal is None else proposal.proposal_id,
            proposal=None if proposal is None else to_json(plain(proposal)),
            action=valid_text(step.action.name),
            arguments=to_json(step.action.arguments),
            sent=to_json([plain(sent) for sent in step.sent]),
            sent_events=sum(sent.sent_ns is not None for sent in step.sent),
            refused_events=refusals.total(),
            refusals=to_json(refusals),
        ),
    }


@reads_row(schema.steps)
def step_of(row: Row) -> StepRecord:
    """Return the step in a row of `steps`."""
    stages = {stage: number_of(row[stage]) for stage in _STAGES}
    return record_of(
        StepRecord,
        row,
        status=GameStatus(row["status"]),
        route=Route(row["route"]),
        reasons=tuple(Reason(reason) for reason in json.loads(row["reasons"])),
        signals=Signals(**{signal.name: _signal_of(signal, row[signal.name]) for signal in SIGNALS}),
        fields=fields_in(row["fields"]),
        proposal=None if row["proposal"] is None else _proposal_of(json.loads(row["proposal"])),
        action=_action_of(row["action"], object_in(row["arguments"])),
        invalid=None if row["invalid"] is None else actions.Invalid(row["invalid"]),
        sent=tuple(_sent_of(sent) for sent in json.loads(row["sent"])),
        effect=actions.Effect(row["effect"]),
        effect_why=row["effect_why"] or "",
        timings=record_of(Timings, row, **stages),
    )


def event_row(run_id: int, event: RunEvent) -> dict[str, Any]:
    """Return the columns of `events`, without the id."""
    return row_of(schema.events, event, run_id=run_id)


@reads_row(schema.events)
def event_of(row: Row) -> RunEvent:
    """Return the event in a row of `events`."""
    return record_of(RunEvent, row)


def reflex_row(run_id: int, reflex: ReflexRecord) -> dict[str, Any]:
    """Return the columns of `reflexes`, without the id."""
    return row_of(schema.reflexes, reflex, run_id=run_id, fields=to_json(reflex.values))


@reads_row(schema.reflexes)
def reflex_of(row: Row) -> ReflexRecord:
    """Return the decision in a row of `reflexes`."""
    return record_of(ReflexRecord, row, values=fields_in(row["fields"]))


def summary_row(run_id: int, summary: RunSummary) -> dict[str, Any]:
    """Return the columns of `summaries`; `figures` holds the remaining attributes."""
    figures = plain(summary)
    row = {name: figures.pop(name) for name in _SUMMARY_COLUMNS}
    return {"run_id": run_id, **row, "figures": to_json(figures)}


@reads_row(schema.summaries)
def summary_of(row: Row) -> RunSummary:
    """Return the summary in a row of `summaries`; attributes of later versions take their default."""
    figures = {name: value for name, value in json.loads(row["figures"]).items() if value is not None}
    figures.update((name, row[name]) for name in _SUMMARY_COLUMNS)
    summary: RunSummary = _adapter(RunSummary).validate_python(figures)
    return summary


def retrieval_row(run_id: int, retrieval: Retrieval) -> dict[str, Any]:
    """Return the columns of `retrievals`."""
    return {"run_id": run_id, "step": retrieval.step, "retrieval": to_json(plain(retrieval))}


@reads_row(schema.retrievals)
def retrieval_of(row: Row) -> Retrieval:
    """Return the retrieval in a row of `retrievals`; attributes of later versions take their default."""
    answer: Retrieval = _adapter(Retrieval).validate_json(row["retrieval"])
    return answer


def number_of(value: float | None) -> float:
    """Return a required number from a cell: null stands for not-a-number."""
    return math.nan if value is None else value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _attributes(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _shared_names(table: Table, kind: Any) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name in _attributes(kind))


def _cell(value: object) -> Any:
    """Return an attribute's value as a cell holds it."""
    if isinstance(value, str):
        return valid_text(str(value))
    if isinstance(value, Enum):
        return value.value
    return value if value is None or isinstance(value, int | float) else to_json(value)


def _action_of(name: str, arguments: Mapping[str, actions.Argument | None]) -> actions.SemanticAction:
    whole = {key: math.nan if value is None else value for key, value in arguments.items()}
    return actions.SemanticAction(name=name, arguments=whole)


def _signal_of(signal: TriggerSignal, value: Any) -> Any:
    """Return a signal's value; steps recorded before the signal existed have its default."""
    if signal.kind is float:
        return number_of(value)
    return getattr(_NO_SIGNALS, signal.name) if value is None else signal.kind(value)


def _proposal_of(plain: dict[str, Any]) -> actions.Proposal:
    candidates = tuple(_action_of(**candidate) for candidate in plain.pop("candidates"))
    return actions.Proposal(**plain, candidates=candidates)


def _sent_of(plain: Mapping[str, Any]) -> actions.SentEvent:
    refused = plain["refused"]
    return actions.SentEvent(
        event=actions.InputEvent(**plain["event"]),
        sent_ns=plain["sent_ns"],
        refused=None if refused is None else actions.Refusal(refused),
    )
