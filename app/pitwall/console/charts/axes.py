"""Scales, round steps, and the text of numbers on an axis or in a read-out. No Qt."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitwall.core.quantities import NONE, clock, compact, minus

Numbers = NDArray[np.float64]

Axis = Literal["step", "relative", "wall"]
AXIS_COLUMNS: dict[Axis, str] = {"step": "step", "relative": "wall_s", "wall": "at"}
AXIS_WORDS: dict[Axis, str] = {"step": "step", "relative": "training time", "wall": "clock"}

_TIMES_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_ROOM = 0.04
"""Room beyond the values, as a share of their span."""
_FAR = 1e-3
"""A scale around zero is straight within this share of its largest number, logarithmic beyond it."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The visible values, and their places along the axis of a plot.

    Attributes:
        bend: 0 for a linear scale; else it is logarithmic, and linear for numbers nearer to zero than this.
    """

    low: float
    high: float
    bend: float = 0.0

    def place(self, values: Numbers) -> Numbers:
        """Return the values' positions in the plot's coordinates; NaN stays NaN."""
        return np.sign(values) * np.log1p(np.abs(values) / self.bend) if self.bend else values

    def value(self, place: float) -> float:
        """Return the value at a place."""
        return self.bend * math.copysign(math.expm1(abs(place)), place) if self.bend else place

    @property
    def ends(self) -> tuple[float, float]:
        """Return the places of both ends."""
        low, high = self.place(np.asarray([self.low, self.high]))
        return float(low), float(high)

    def powers(self, most: int) -> list[float]:
        """Return the powers of ten in it, at most about so many; none if it is linear or too short."""
        if not self.bend:
            return []
        far = max(abs(self.low), abs(self.high))
        tens = [
            10.0**power for power in range(math.ceil(math.log10(self.bend)), math.floor(math.log10(far)) + 1)
        ]
        seen = sorted(
            value for value in {0.0, *tens, *(-ten for ten in tens)} if self.low <= value <= self.high
        )
        every = math.ceil(len(seen) / max(2, most))
        return seen[::-1][::every][::-1] if len(seen) > 2 else []


def scale_for(low: float, high: float, *, log: bool = False) -> Scale:
    """Make the scale that shows low … high with a little room, from zero where that is near."""
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = 0.0, 1.0
    low, high = min(low, high), max(low, high)
    if log:
        far = max(abs(low), abs(high)) or 1.0
        least = min(abs(low), abs(high)) if low * high > 0 else far * _FAR
        bend = max(least, far * 1e-6) / 10
        return Scale(low if low * high > 0 else min(low, 0.0), high if high > low else low + far, bend)
    if 0 < low < 0.5 * high:
        low = 0.0
    if high < 0 and high > 0.5 * low:
        high = 0.0
    room = _ROOM * (high - low)
    if room <= 1e-13 * max(1.0, abs(high)):
        room = abs(high) * 0.1 or 1.0
    return Scale(low - room if low else low, high + room if high or not low else high)


def nice_step(rough: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 × 10ⁿ that is at least `rough`."""
    if not rough > 0 or not math.isfinite(rough):
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))


def time_step(rough_s: float) -> float:
    """Return the smallest round number of seconds, minutes or hours that is at least `rough_s`."""
    if rough_s < 1:
        return nice_step(rough_s)
    return float(
        next((seconds for seconds in _TIMES_S if seconds >= rough_s), 86400 * math.ceil(rough_s / 86400))
    )


def axis_text(axis: Axis, value: float, span: float) -> str:
    """Write a place on the bottom axis: 50 k, 12:30 (minutes), 14:05 (time of day)."""
    if not math.isfinite(value):
        return NONE
    if axis == "step":
        return compact(value)
    if axis == "relative":
        return f"{value:g} s" if span < 60 else clock(max(0.0, value))
    pattern = "%H:%M:%S" if span < 600 else "%H:%M" if span < 86_400 else "%d %b %H:%M"
    return time.strftime(pattern, time.localtime(value))


def place_text(axis: Axis, value: float) -> str:
    """Write a place on the bottom axis exactly, for the read-out: step 51,200."""
    if not math.isfinite(value):
        return NONE
    if axis == "step":
        return f"step {value:,.0f}"
    if axis == "relative":
        return f"after {clock(max(0.0, value))}"
    return time.strftime("%d %b, %H:%M:%S", time.localtime(value))


def tick_text(value: float, step: float) -> str:
    """Write a tick with as many decimals as its distance to the next tick, `step`, needs."""
    if abs(value) >= 10_000 or not step > 0:
        return compact(value)
    decimals = next((n for n in range(7) if abs(step - round(step, n)) < step * 1e-3), 7)
    return minus(f"{value + 0.0:,.{decimals}f}")
