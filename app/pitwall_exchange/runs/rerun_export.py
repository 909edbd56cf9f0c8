"""Exports a run as a Rerun recording: pictures, signals, fields and log lines on one timeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.errors import PitwallError
from pitwall.core.signals import SIGNALS
from pitwall.core.steps import StepRecord
from pitwall.store.export_source import Source, calls_of, picture_of, steps_of
from pitwall.store.run_reader import events_in

_NOT_INSTALLED = PitwallError("rerun-sdk is not installed.", "Install it: installer/extra rerun")
_TIME, _STEP = "run_time", "step"


def write_rerun(source: Source, folder: Path) -> None:
    """Write run.rrd, which is opened by the Rerun viewer, and by its Python library.

    Raises:
        PitwallError: the library is not installed.
    """
    try:
        import rerun
    except ImportError:
        raise _NOT_INSTALLED from None
    row = source.row
    name = f"{row.manifest.game_id}-run-{row.run_id}"
    recording = rerun.RecordingStream("pitwall", recording_id=f"{name}-{row.manifest.started_at}")
    recording.save(folder / "run.rrd")
    for step in steps_of(source):
        _at(recording, step.at_ns, step.step)
        _log_step(rerun, recording, source, step)
    for event in events_in(source.connection, row.run_id):
        _at(recording, event.at_ns, event.step)
        recording.log("log/events", rerun.TextLog(f"{event.kind}: {event.text}", level="WARN"))
    for call in calls_of(source):
        _at(recording, call.at_ns, call.step)
        text = f"{call.purpose.value} asked of {call.model}: {call.outcome.value}\n{call.reply}"
        recording.log("log/calls", rerun.TextLog(text, level="INFO"))
    recording.flush()
    recording.disconnect()


def _at(recording: Any, at_ns: int, step: int) -> None:
    recording.set_time(_TIME, duration=np.timedelta64(at_ns, "ns"))
    recording.set_time(_STEP, sequence=step)


def _log_step(rerun: Any, recording: Any, source: Source, step: StepRecord) -> None:
    numbers = {f"signals/{signal.name}": float(getattr(step.signals, signal.name)) for signal in SIGNALS}
    for name, value in step.fields.items():
        if isinstance(value, int | float):
            numbers[f"fields/{name}"] = float(value)
    if step.timings.reaction_ms is not None:
        numbers["times/reaction_ms"] = step.timings.reaction_ms
    for path, value in numbers.items():
        recording.log(path, rerun.Scalars(value))
    reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
    text = f"step {step.step}: {step.route.value}{reasons}, {step.action}. {step.why}"
    recording.log("log/steps", rerun.TextLog(text, level="INFO"))
    if picture := picture_of(source, step):
        media = "image/png" if step.frame_ref.endswith(".png") else "image/jpeg"
        recording.log("screen", rerun.EncodedImage(contents=picture, media_type=media))
