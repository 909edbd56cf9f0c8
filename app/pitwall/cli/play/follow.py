"""`pitwall run --follow`: what a program that watches a run is told as it comes, a JSON line each."""

from __future__ import annotations

import time
from typing import Any

import typer
from pydantic import TypeAdapter

from pitwall.core import telemetry

_FRAMES_EVERY_S = 0.1
_TELEMETRY: TypeAdapter[Any] = TypeAdapter(telemetry.Telemetry)
_TOLD = (
    telemetry.StateChanged,
    telemetry.RunBegan,
    telemetry.RunEnded,
    telemetry.StepNote,
    telemetry.RingOpened,
    telemetry.Stats,
    telemetry.Budgets,
    telemetry.Fault,
)


class Follower:
    """Prints the records that tell how a run goes; of the frames' notes ten a second at most."""

    def __init__(self) -> None:
        self._frame_at_s = 0.0

    def __call__(self, record: Any) -> None:
        now_s = time.monotonic()
        if isinstance(record, telemetry.FrameNote):
            if now_s - self._frame_at_s < _FRAMES_EVERY_S:
                return
            self._frame_at_s = now_s
        elif not isinstance(record, _TOLD):
            return
        typer.echo(_TELEMETRY.dump_json(record))
