"""Records of the core as rows of the run log and as plain JSON, and back.

Two things a database cannot hold are mended here, so that no strange text or reading ever costs a step:
half of a UTF-16 pair becomes "?", and a number that is not finite becomes none (in a field, which then
reads "could not be read") or, where a number is required, not-a-number again on the way back.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from pydantic import TypeAdapter

from pitwall.core import actions
from pitwall.core.observations import GameStatus
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.signals import SIGNALS, Reason, Route, Signals, TriggerSignal
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord, Timings
from pitwall.store import schema
from pitwall.store.database_errors import fields_in, object_in, reads_row


class Row(Protocol):
    """A row by column names."""

    def __getitem__(self, column: str, /) -> Any: ...


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
    """A record of the core as dictionaries, lists and values, fit for `to_json`.

    As dataclasses.asdict, at a third of its cost.
    """
    kind: object = type(record)
    content: dict[str, Any] = _adapter(kind).dump_python(record, warnings=False)
    return content


def to_json(value: Any) -> str:
    """Compact JSON that every reader accepts; see the module's text for what is mended."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, TypeError):
        text = json.dumps(_mended(value), ensure_ascii=False, separators=(",", ":"), default=str)
    return text


def manifest_row(manifest: RunManifest) -> dict[str, Any]:
    """Columns of `runs`, without the id."""
    return {
        "started_at": whole_text(manifest.started_at),
        "game_id": whole_text(manifest.game_id),
        "game_name": whole_text(manifest.game_name),
        "game_version": whole_text(manifest.game_version),
        "profile_hash": whole_text(manifest.profile_hash),
        "role": whole_text(manifest.role),
        "planner": whole_text(manifest.planner),
        "seed": manifest.seed,
        "screen_width": manifest.screen[0],
        "screen_height": manifest.screen[1],
        "settings": to_json(manifest.settings),
        "thresholds": to_json(manifest.thresholds),
        "versions": to_json(manifest.versions),
        "memory": whole_text(manifest.memory),
    }


@reads_row(schema.runs)
def manifest_of(row: Row) -> RunManifest:
    """The manifest in a row of `runs`."""
    return RunManifest(
        game_id=row["game_id"],
        game_name=row["game_name"],
        game_version=row["game_version"],
        profile_hash=row["profile_hash"],
        role=row["role"],
        planner=row["planner"],
        seed=row["seed"],
        started_at=row["started_at"],
        settings=object_in(row["settings"]),
        thresholds=object_in(row["thresholds"]),
        versions=object_in(row["versions"]),
        screen=(row["screen_width"], row["screen_height"]),
        memory=row["memory"],
    )


def step_row(run_id: int, step: StepRecord) -> dict[str, Any]:
    """Columns of `steps`."""
    timings = step.timings
    refusals = Counter(sent.refused.value for sent in step.sent if sent.refused is not None)
    row: dict[str, Any] = {
        "run_id": run_id,
        "step": step.step,
        "at_ns": step.at_ns,
        "frame_id": step.frame_id,
        "status": step.status.value,
        "route": step.route.value,
        "reasons": to_json(step.reasons),
        "why": whole_text(step.why),
        "fields": to_json(step.fields),
        "proposal_id": None if step.proposal is None else step.proposal.proposal_id,
        "proposal": None if step.proposal is None else to_json(plain(step.proposal)),
        "action": whole_text(step.action.name),
        "arguments": to_json(step.action.arguments),
        "invalid": None if step.invalid is None else step.invalid.value,
        "sent": to_json([plain(sent) for sent in step.sent]),
        "sent_events": sum(sent.sent_ns is not None for sent in step.sent),
        "refused_events": refusals.total(),
        "refusals": to_json(refusals),
        "effect": step.effect.value,
        "reaction_ms": timings.reaction_ms,
        "frame_age_ms": timings.frame_age_ms,
        "frame_ref": whole_text(step.frame_ref),
    }
    row.update((stage, getattr(timings, stage)) for stage in _STAGES)
    for signal in SIGNALS:
        value = getattr(step.signals, signal.name)
        row[signal.name] = value if signal.kind is float else int(value)
    return row


@reads_row(schema.steps)
def step_of(row: Row) -> StepRecord:
    """The step in a row of `steps`."""
    return StepRecord(
        step=row["step"],
        at_ns=row["at_ns"],
        frame_id=row["frame_id"],
        status=GameStatus(row["status"]),
        route=Route(row["route"]),
        reasons=tuple(Reason(reason) for reason in json.loads(row["reasons"])),
        why=row["why"],
        signals=Signals(**{signal.name: _signal_of(signal, row[signal.name]) for signal in SIGNALS}),
        fields=fields_in(row["fields"]),
        proposal=None if row["proposal"] is None else _proposal_of(json.loads(row["proposal"])),
        action=_action_of(row["action"], object_in(row["arguments"])),
        invalid=None if row["invalid"] is None else actions.Invalid(row["invalid"]),
        sent=tuple(_sent_of(sent) for sent in json.loads(row["sent"])),
        effect=actions.Effect(row["effect"]),
        timings=Timings(
            **{stage: number_of(row[stage]) for stage in _STAGES},
            reaction_ms=row["reaction_ms"],
            frame_age_ms=row["frame_age_ms"],
        ),
        frame_ref=row["frame_ref"],
    )


def event_row(run_id: int, event: RunEvent) -> dict[str, Any]:
    """Columns of `events`, without the id."""
    return {
        "run_id": run_id,
        "at_ns": event.at_ns,
        "kind": whole_text(event.kind),
        "text": whole_text(event.text),
        "step": event.step,
    }


def reflex_row(run_id: int, reflex: ReflexRecord) -> dict[str, Any]:
    """Columns of `reflexes`, without the id."""
    return {
        "run_id": run_id,
        "step": reflex.step,
        "at_ns": reflex.at_ns,
        "module": reflex.module,
        "version": reflex.version,
        "start": reflex.start,
        "action": reflex.action,
        "fields": to_json(reflex.values),
    }


@reads_row(schema.reflexes)
def reflex_of(row: Row) -> ReflexRecord:
    """The decision in a row of `reflexes`."""
    return ReflexRecord(
        step=row["step"],
        at_ns=row["at_ns"],
        module=row["module"],
        version=row["version"],
        start=row["start"],
        action=row["action"],
        values=fields_in(row["fields"]),
    )


@reads_row(schema.events)
def event_of(row: Row) -> RunEvent:
    """The event in a row of `events`."""
    return RunEvent(at_ns=row["at_ns"], kind=row["kind"], text=row["text"], step=row["step"])


def summary_row(run_id: int, summary: RunSummary) -> dict[str, Any]:
    """Columns of `summaries`: `figures` holds what is no column."""
    figures = plain(summary)
    row = {name: figures.pop(name) for name in _SUMMARY_COLUMNS}
    return {"run_id": run_id, **row, "figures": to_json(figures)}


@reads_row(schema.summaries)
def summary_of(row: Row) -> RunSummary:
    """The summary in a row of `summaries`. What an older version did not keep takes its default."""
    figures = {name: value for name, value in json.loads(row["figures"]).items() if value is not None}
    figures.update((name, row[name]) for name in _SUMMARY_COLUMNS)
    summary: RunSummary = _adapter(RunSummary).validate_python(figures)
    return summary


def retrieval_row(run_id: int, retrieval: Retrieval) -> dict[str, Any]:
    """Columns of `retrievals`."""
    return {"run_id": run_id, "step": retrieval.step, "retrieval": to_json(plain(retrieval))}


@reads_row(schema.retrievals)
def retrieval_of(row: Row) -> Retrieval:
    """The retrieval in a row of `retrievals`. What an older version did not keep takes its default."""
    answer: Retrieval = _adapter(Retrieval).validate_json(row["retrieval"])
    return answer


def number_of(value: float | None) -> float:
    """A required number as the database gives it back: none stands for not-a-number."""
    return math.nan if value is None else value


def whole_text(text: str) -> str:
    """A text that every reader accepts: half of a UTF-16 pair becomes "?"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


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


def _mended(value: Any) -> Any:
    match value:
        case str():
            return whole_text(value)
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {whole_text(str(key)): _mended(inner) for key, inner in value.items()}
        case Sequence() | set() | frozenset():
            return [_mended(inner) for inner in value]
    return value
