"""Defines a line of the event list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Holds one line of the event list.

    Attributes:
        number: 1, 2, 3 … over the session; a view knows by it what it has shown.
        run_s: seconds since the run began; None outside a run.
    """

    number: int
    run_s: float | None
    kind: str
    text: str
    step: int
