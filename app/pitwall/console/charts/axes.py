"""Scales, ticks and how numbers stand on an axis or in a read-out. No Qt."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from pitwall.console.charts.series import Numbers
from pitwall.console.kit.format import NONE, clock
from pitwall.console.kit.number_format import compact, minus

Axis = Literal["step", "relative", "wall"]
AXIS_COLUMNS: dict[Axis, str] = {"step": "step", "relative": "wall_s", "wall": "at"}
AXIS_WORDS: dict[Axis, str] = {"step": "step", "relative": "training time", "wall": "clock"}

_TIMES_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_FAR = 1e-3
"""A scale around zero is straight within this share of its largest number, logarithmic beyond it."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers to shares of a height, 0 at `low` and 1 at `high`.

    Attributes:
        bend: 0 for a linear scale; else it is logarithmic, and straight for numbers nearer to zero than this.
        percent: its ticks are shares of one.
    """

    low: float
    high: float
    bend: float = 0.0
    percent: bool = False

    def share(self, values: Numbers) -> Numbers:
        """Where numbers lie: 0 at the lower end, 1 at the upper; NaN stays NaN."""
        low, high = self._bent(np.asarray([self.low, self.high]))
        shares: Numbers = (self._bent(values) - low) / (high - low)
        return shares

    def at(self, share: float) -> float:
        """The number at a share of the height."""
        low, high = (float(one) for one in self._bent(np.asarray([self.low, self.high])))
        bent = low + share * (high - low)
        return self.bend * math.copysign(math.expm1(abs(bent)), bent) if self.bend else bent

    def ticks(self, most: int) -> list[float]:
        """Round numbers in it, at most about so many."""
        return _powers(self, most) if self.bend else nice_ticks(self.low, self.high, most)

    def _bent(self, values: Numbers) -> Numbers:
        return np.sign(values) * np.log1p(np.abs(values) / self.bend) if self.bend else values


def scale_for(low: float, high: float, *, log: bool, ticks: int) -> Scale:
    """The scale that shows low … high with round ends."""
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
    if high - low <= 1e-12 * max(1.0, abs(high)):
        spread = abs(high) * 0.1 or 1.0
        low, high = (0.0, high + spread) if high >= 0 and low == 0 else (low - spread, high + spread)
    step = nice_step((high - low) / max(1, ticks)) / 2
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)


def nice_step(rough: float) -> float:
    """The next of 1, 2, 2.5, 5 × 10ⁿ that is not below `rough`."""
    if not rough > 0 or not math.isfinite(rough):
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))


def nice_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of a round step within low … high."""
    step = nice_step((high - low) / max(1, most))
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [(first + at) * step for at in range(max(0, min(count, 100)))]


def _powers(scale: Scale, most: int) -> list[float]:
    far = max(abs(scale.low), abs(scale.high))
    tops = range(math.ceil(math.log10(scale.bend)), math.floor(math.log10(far)) + 1)
    found = [10.0**power for power in tops]
    signed = sorted({0.0, *found, *(-one for one in found)})
    seen = [one for one in signed if scale.low <= one <= scale.high]
    if len(seen) < 3:
        return nice_ticks(scale.low, scale.high, most)
    every = math.ceil(len(seen) / max(2, most))
    return seen[::-1][::every][::-1]


def time_ticks(low: float, high: float, most: int, *, wall: bool) -> list[float]:
    """Round times in seconds; with `wall` round on the local clock."""
    rough = (high - low) / max(1, most)
    if rough < 1:
        return nice_ticks(low, high, most)
    step = float(next((one for one in _TIMES_S if one >= rough), 86400 * math.ceil(rough / 86400)))
    shift = float(time.localtime(low).tm_gmtoff) if wall else 0.0
    first = math.ceil((low + shift) / step)
    count = math.floor((high + shift) / step) - first + 1
    return [(first + at) * step - shift for at in range(max(0, min(count, 100)))]


def axis_ticks(axis: Axis, low: float, high: float, most: int) -> list[float]:
    """Ticks of the axis along the bottom."""
    if axis == "step":
        return nice_ticks(low, high, most)
    return time_ticks(low, high, most, wall=axis == "wall")


def axis_text(axis: Axis, value: float, span: float) -> str:
    """A place on the axis along the bottom: 50 k, 12:30 (minutes), 14:05 (of the clock)."""
    if not math.isfinite(value):
        return NONE
    if axis == "step":
        return compact(value)
    if axis == "relative":
        return f"{value:g} s" if span < 60 else clock(max(0.0, value))
    pattern = "%H:%M:%S" if span < 600 else "%H:%M" if span < 86_400 else "%d %b %H:%M"
    return time.strftime(pattern, time.localtime(value))


def place_text(axis: Axis, value: float) -> str:
    """The same in a read-out, exactly: step 51,200."""
    if not math.isfinite(value):
        return NONE
    if axis == "step":
        return f"step {value:,.0f}"
    if axis == "relative":
        return f"after {clock(max(0.0, value))}"
    return time.strftime("%d %b, %H:%M:%S", time.localtime(value))


def tick_texts(ticks: list[float]) -> list[str]:
    """Numbers of one axis with as many decimals as tell them apart."""
    if not ticks:
        return []
    if max(abs(one) for one in ticks) >= 10_000:
        return [compact(one) for one in ticks]
    gaps = [abs(b - a) for a, b in pairwise(ticks)]
    least = min((gap for gap in gaps if gap > 0), default=abs(ticks[0]) or 1.0)
    if gaps and max(gaps) > 1.01 * least:  # powers of ten
        return [minus(f"{one:,g}") for one in ticks]
    decimals = next((n for n in range(7) if abs(least - round(least, n)) < least * 1e-3), 7)
    return [minus(f"{one + 0.0:,.{decimals}f}") for one in ticks]
