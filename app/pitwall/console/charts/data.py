"""Holds a chart's data: lines of runs, evaluations with their intervals, lines to compare with. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pitwall.console.charts.axes import AXIS_COLUMNS, Axis, Numbers, Scale, scale_for
from pitwall.store.csv_text import csv_text, shown_cell

_NEAR = 5
"""A reference number is on the scale if it is within so many times the range of the values."""
_FEW = 200
"""The most extreme share of the values may be beyond the scale."""


@dataclass(frozen=True, slots=True)
class Whiskers:
    """Evaluations: a point with its interval. All (m,), x rising."""

    x: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers
    best: np.typing.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Holds one run's values.

    Attributes:
        ink: its colour and shape. x: (n,) rising. raw: (n,), NaN where nothing was measured.
        smooth: (n,), or None where only raw is drawn.
        bridge: gaps of up to so many points are closed in the strong line.
    """

    label: str
    ink: int
    x: Numbers
    raw: Numbers
    smooth: Numbers | None = None
    bridge: int = 0
    whiskers: Whiskers | None = None

    @property
    def strong(self) -> Numbers:
        """Return the values of the strong line: smoothed ones, or raw ones where none are smoothed."""
        return self.raw if self.smooth is None else self.smooth

    def last(self) -> float:
        """Return the newest value of the strong line; NaN where there is none."""
        return _last(self.strong)

    def near(self, x: float, reach: float) -> int | None:
        """Return the place of the measured point nearest to x within reach."""
        if not len(self.x):
            return None
        at = int(np.searchsorted(self.x, x))
        span = slice(max(0, at - 64), at + 64)
        places = np.arange(len(self.x))[span][np.isfinite(self.strong[span])]
        if not len(places):
            return None
        best = int(places[np.argmin(np.abs(self.x[places] - x))])
        spacing = float(np.median(np.diff(self.x[span]))) if len(self.x) > 1 else 0.0
        return best if abs(float(self.x[best]) - x) <= max(reach, 1.5 * spacing) else None


@dataclass(frozen=True, slots=True)
class Reference:
    """A number to compare with: a dashed line with its text, "paper, mean 28.3 pipes".

    Attributes:
        chart: key of the chart that shows it.
    """

    value: float
    text: str
    chart: str = "score"


@dataclass(frozen=True, slots=True)
class ChartData:
    """Holds all that a chart shows.

    Attributes:
        empty: the sentence where there is nothing to draw.
    """

    lines: Sequence[Line] = ()
    references: Sequence[Reference] = ()
    log: bool = False
    empty: str = ""

    @property
    def bare(self) -> bool:
        """Return whether there is nothing to draw."""
        return not any(
            np.isfinite(line.raw).any() or (line.whiskers is not None and len(line.whiskers.x))
            for line in self.lines
        )

    def span(self) -> tuple[float, float] | None:
        """Return the least and the greatest x of all lines; None where there is no point."""
        ends: list[float] = []
        for line in self.lines:
            ends += _ends(line.x)
            ends += _ends(line.whiskers.x) if line.whiskers is not None else []
        return (min(ends), max(ends)) if ends else None

    def as_csv(self, axis: Axis) -> str:
        """List the points of all lines, in full: the run, its place, the raw value and the smoothed one."""
        rows = (
            [line.label, *cells(x, raw, strong if line.smooth is not None else math.nan)]
            for line in self.lines
            for x, raw, strong in zip(line.x, line.raw, line.strong, strict=True)
        )
        return csv_text(["series", AXIS_COLUMNS[axis], "value", "smoothed"], rows, shown_cell)

    def scale(self, left: float, right: float) -> Scale:
        """Return the scale of the values within left … right, without extreme raw values."""
        parts: list[Numbers] = []
        for line in self.lines:
            inside = _within(line.x, left, right)
            parts += [_tame(line.raw[inside]), _finite(line.strong[inside])]
            if line.whiskers is not None:
                near = _within(line.whiskers.x, left, right)
                parts += [_finite(line.whiskers.low[near]), _finite(line.whiskers.high[near])]
        values = np.concatenate(parts) if parts else np.zeros(0)
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        reach = _NEAR * (high - low or abs(high) or 1.0)
        compared = [
            reference.value for reference in self.references if low - reach <= reference.value <= high + reach
        ]
        low, high = min([low, *compared]), max([high, *compared])
        return scale_for(low, high, log=self.log)


def cells(*values: float) -> list[str]:
    """Return the numbers as the cells of a CSV file, in full; empty where nothing was measured."""
    return [f"{value:.12g}" if math.isfinite(value) else "" for value in values]


def columns_as_csv(titles: Sequence[str], numbers: Numbers) -> str:
    """Write a table of numbers (n, len(titles)) as CSV."""
    return csv_text(titles, (cells(*line) for line in numbers), shown_cell)


def _within(x: Numbers, left: float, right: float) -> slice:
    first, end = (int(index) for index in np.searchsorted(x, (left, right), side="left"))
    return slice(max(0, first - 1), end + 1)


def _finite(values: Numbers) -> Numbers:
    return values[np.isfinite(values)]


def _tame(values: Numbers) -> Numbers:
    values = _finite(values)
    if len(values) < _FEW:
        return values
    low, high = np.quantile(values, (0.005, 0.995))
    room = 0.1 * (high - low)
    tame: Numbers = values[(values >= low - room) & (values <= high + room)]
    return tame


def _ends(x: Numbers) -> list[float]:
    return [float(x[0]), float(x[-1])] if len(x) else []


def _last(values: Numbers) -> float:
    finite = np.flatnonzero(np.isfinite(values))
    return float(values[finite[-1]]) if len(finite) else float("nan")
