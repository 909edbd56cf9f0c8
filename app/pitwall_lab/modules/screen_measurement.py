"""Records the effect of this machine's screen on a module: delay, jitter, lost frames, noise of each field.

`measured.json` in the module's folder keeps the newest; a recipe takes its values from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.bounded_reading import read_model
from pitwall.store.folder_errors import write_file

MEASUREMENT_FILE = "measured.json"
_LEAST_PAIRS = 20
"""A field's noise is offered to a recipe from this many pairs on."""


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(_Kept):
    """Median and tail in milliseconds; None where nothing was measured."""

    p50: float | None = None
    p95: float | None = None
    n: int = 0


class FieldNoise(_Kept):
    """A field's readings against the game's true state, where that names the same quantity.

    Attributes:
        truth: dotted path of the quantity in the true state.
        pairs: readings compared with a true value.
        bias: median of reading − truth. spread: standard deviation about it, estimated from the median
            absolute deviation (× 1.4826), in the field's unit.
        wrong: share of pairs further than 5 spreads (and 1 unit) off: misread, not noisy.
        lag_ms: how much later than the true state the matching picture was captured; found as the lag that
            leaves the least difference.
        unread: share of frames, while the game was played, on which the field read nothing.
    """

    truth: str
    unit: str = ""
    pairs: int
    bias: float
    spread: float
    wrong: float = 0.0
    lag_ms: float = 0.0
    unread: float = 0.0


class ScreenMeasurement(_Kept):
    """Holds one measurement.

    Attributes:
        reaction_ms: changed pixels to first key sent. frame_ms: between two frames that were seen.
        age_ms: a frame's age when its processing ended, whether or not a key followed.
        jitter_ms: median absolute difference of a frame's interval from the median interval.
        dropped: share of changes that were overwritten before they were read.
        load: the machine's load average (one minute) at the end.
        at: seconds since 1970.
    """

    game_id: str
    module: str
    version: str
    seed: int
    scenario: str = ""
    seconds: float
    frames: int
    dropped: float
    reaction_ms: Figure
    frame_ms: Figure
    age_ms: Figure = Figure()
    jitter_ms: float | None = None
    noise: dict[str, FieldNoise] = Field(default_factory=dict)
    unmatched: tuple[str, ...] = Field((), description="Numeric fields that the true state does not name")
    load: float = 0.0
    at: float = 0.0

    def recipe(self) -> dict[str, Any]:
        """Convert to values of a Recipe: delay, its jitter, lost decisions and the fields' noise.

        The delay is the median from pixel to key, the jitter from there to the 95th percentile.
        """
        values: dict[str, Any] = {}
        p50, p95 = self.reaction_ms.p50, self.reaction_ms.p95
        if p50 is not None and p95 is not None:
            values["delay_ms"] = round(min(p50, 1_000.0), 2)
            values["jitter_ms"] = round(min(p95 - p50, 1_000.0), 2)
        values["drop"] = round(min(self.dropped, 0.5), 4)
        values["noise"] = {
            name: round(field.spread, 3)
            for name, field in self.noise.items()
            if field.pairs >= _LEAST_PAIRS and field.spread > 0
        }
        return values


def read_measured(folder: Path) -> ScreenMeasurement | None:
    """Return the newest measurement of a module; None where there is none.

    Args:
        folder: the module's (gsm.versions.ModuleFolder.root).

    Raises:
        PitwallError: it cannot be read.
    """
    file = folder / MEASUREMENT_FILE
    try:
        return read_model(ScreenMeasurement, file, fix="Measure again.")
    except FileNotFoundError:
        return None


def write_measured(folder: Path, measured: ScreenMeasurement) -> Path:
    """Keep a measurement in place of the one before; returns its file."""
    write_file(folder / MEASUREMENT_FILE, measured.model_dump_json(indent=1) + "\n")
    return folder / MEASUREMENT_FILE
