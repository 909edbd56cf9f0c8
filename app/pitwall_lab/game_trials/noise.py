"""Computes how far a field's readings are from the game's true state. No input or output.

A true value is compared with the frame captured nearest to a fixed time (the lag) after it was written. The
lag with the smallest difference is chosen, because a picture shows a state only after it was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.observations import Value
from pitwall_evaluation.truth.state import TrueState
from pitwall_lab.modules.screen_measurement import FieldNoise

_LAGS_MS = np.arange(-40.0, 124.0, 4.0)
_NORMAL = 1.4826
"""Factor from the median absolute deviation to the standard deviation of a normal distribution."""
_WRONG_SPREADS = 5.0
_WRONG_LEAST = 1.0
_SECTIONS = ("raw.fields", "game_state.fields", "raw", "game_state", "metrics")
"""Sections of the true state that are searched for a field's name, in this order."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reading:
    """One frame: its capture time in milliseconds, and its readings."""

    at_ms: float
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class TrueNumbers:
    """One true state: its time on the same clock, and its numbers by dotted path."""

    at_ms: float
    numbers: Mapping[str, float]


def noise_of(
    seen: Sequence[Reading], known: Sequence[TrueNumbers], units: Mapping[str, str]
) -> tuple[dict[str, FieldNoise], tuple[str, ...]]:
    """Compute the noise of each field; return also the numeric fields that the true state does not name.

    Args:
        units: of every field to compare.
    """
    measured: dict[str, FieldNoise] = {}
    unmatched = []
    for name, unit in units.items():
        numbers = [_number(frame.values.get(name)) for frame in seen]
        if all(number is None for number in numbers):
            continue
        path = path_of(name, known)
        noise = _noise(seen, numbers, known, path, unit) if path else None
        if noise is None:
            unmatched.append(name)
        else:
            measured[name] = noise
    return measured, tuple(unmatched)


def path_of(name: str, known: Sequence[TrueNumbers]) -> str:
    """Return the path in the true state that ends with a field's name; empty if there is none, or two."""
    paths = {path for state in known for path in state.numbers}
    for section in _SECTIONS:
        inside = [path for path in paths if path.startswith(f"{section}.") and path.split(".")[-1] == name]
        if inside:
            return inside[0] if len(inside) == 1 else ""
    return ""


def numbers_of(state: TrueState) -> dict[str, float]:
    """Return every number of a state by its dotted path."""
    dump = state.model_dump(by_alias=False, include={"game_state", "metrics", "raw"})
    return dict(_leaves(dump, ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif (number := _number(value)) is not None:
        yield path, number


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _noise(
    seen: Sequence[Reading],
    numbers: Sequence[float | None],
    known: Sequence[TrueNumbers],
    path: str,
    unit: str,
) -> FieldNoise | None:
    times = np.array([frame.at_ms for frame in seen])
    read = np.array([np.nan if number is None else number for number in numbers])
    true = [(state.at_ms, state.numbers[path]) for state in known if path in state.numbers]
    at, truth = np.array([pair[0] for pair in true]), np.array([pair[1] for pair in true])
    best: tuple[float, float, Floats] | None = None
    for lag in _LAGS_MS:
        off = _differences(times, read, at + lag, truth)
        if not len(off):
            continue
        about = float(np.mean(np.minimum(np.abs(off - np.median(off)), _WRONG_LEAST * 50)))
        if best is None or (about, abs(lag)) < (best[0], abs(best[1])):
            best = (about, float(lag), off)
    if best is None:
        return None
    _, lag_ms, off = best
    bias = float(np.median(off))
    limit = max(_WRONG_LEAST, _WRONG_SPREADS * _NORMAL * float(np.median(np.abs(off - bias))))
    right = off[np.abs(off - bias) <= limit]
    return FieldNoise(
        truth=path,
        unit=unit,
        pairs=len(off),
        bias=bias,
        spread=float(right.std()),
        wrong=1.0 - len(right) / len(off),
        lag_ms=lag_ms,
        unread=float(np.isnan(read).mean()),
    )


def _differences(times: Floats, read: Floats, at: Floats, truth: Floats) -> Floats:
    """Return reading − truth, each with the nearest frame if it is nearer than a frame's interval."""
    interval = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    right = np.clip(np.searchsorted(times, at), 1, len(times) - 1)
    nearest = np.where(at - times[right - 1] <= times[right] - at, right - 1, right)
    off = read[nearest] - truth
    near = np.abs(times[nearest] - at) <= interval
    kept: Floats = off[near & ~np.isnan(off)]
    return kept
