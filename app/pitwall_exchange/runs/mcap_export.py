"""Exports a run as an MCAP recording, for Foxglove and other programs that replay robots' logs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pitwall.core.calls import CallRecord
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store import records
from pitwall.store.export_source import Source, calls_of, picture_of, steps_of, wall_ns
from pitwall.store.run_reader import events_in
from pitwall.store.strict_json import to_json
from pitwall_exchange.mcap_file import NUMBER, PICTURE_SCHEMA, SCREEN, TEXT, WHOLE, written_mcap

_STEP, _EVENT, _CALL = "/step", "/event", "/call"
_OBJECT: dict[str, Any] = {"type": "object"}
_SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    SCREEN: PICTURE_SCHEMA,
    _STEP: (
        "pitwall.Step",
        {"step": WHOLE, "status": TEXT, "route": TEXT, "why": TEXT, "effect": TEXT}
        | {"signals": _OBJECT, "fields": _OBJECT, "action": _OBJECT, "timings": _OBJECT},
    ),
    _EVENT: ("pitwall.Event", {"kind": TEXT, "text": TEXT, "step": WHOLE}),
    _CALL: (
        "pitwall.Call",
        {"call": WHOLE, "step": WHOLE, "purpose": TEXT, "tier": TEXT, "model": TEXT, "reply": TEXT}
        | {"outcome": TEXT, "tokens": _OBJECT, "times": _OBJECT, "took_ms": NUMBER},
    ),
}


def write_mcap(source: Source, folder: Path) -> None:
    """Write run.mcap: the step images, steps, events and model calls on the run's wall clock."""
    began = wall_ns(source)
    row = source.row
    metadata = {"run": to_json(records.plain(row.manifest))}
    metadata["summary"] = to_json(records.plain(row.summary))
    moments: list[Iterable[StepRecord | RunEvent | CallRecord]] = [
        steps_of(source),
        events_in(source.connection, row.run_id),
        calls_of(source),
    ]
    with written_mcap(folder / "run.mcap", _SCHEMAS, metadata) as out:
        for moment in heapq.merge(*moments, key=lambda record: record.at_ns):
            topic = _STEP if isinstance(moment, StepRecord) else _EVENT
            if isinstance(moment, CallRecord):
                topic = _CALL
            if isinstance(moment, StepRecord) and (picture := picture_of(source, moment)):
                form = "png" if moment.frame_ref.endswith(".png") else "jpeg"
                out.add_picture(began + moment.at_ns, picture, form)
            body = {key: value for key, value in records.plain(moment).items() if key != "at_ns"}
            out.add(topic, began + moment.at_ns, body)
