"""A training's log as columns of numbers that grow as it does; what a chart does to them. No Qt.

A snapshot (`Curves`) is a view of the columns as far as they reached: later points never change it, so a
thread may read the file while the window draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pitwall.console.charts.axes import Numbers
from pitwall_lab.training_log import Evaluated, Point

_SCALARS = (
    "step",
    "wall_s",
    "at",
    "episodes",
    "episode_return",
    "length",
    "score",
    "loss",
    "held_out",
    "q",
    "epsilon",
    "fps",
)
"""Numbers of a `Point` that become columns."""
_FIRST_ROOM = 512


def _none() -> Numbers:
    return np.zeros(0)


@dataclass(frozen=True, slots=True)
class Curves:
    """Points of a log, oldest first, with one value for each step; NaN where nothing was measured.

    Attributes:
        numbers: column of `Point` → (n,). actions: (n, A), how often each was chosen since the point before.
        states, rewards: name → (n,).
    """

    count: int = 0
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    actions: Numbers = field(default_factory=lambda: np.zeros((0, 0)))
    states: Mapping[str, Numbers] = field(default_factory=dict)
    rewards: Mapping[str, Numbers] = field(default_factory=dict)

    def column(self, name: str) -> Numbers:
        """Return one column (n,); all NaN if no column has the name."""
        return self.numbers.get(name, np.full(self.count, np.nan))


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Evaluations on held-out seeds as columns (m,), oldest first; `best` marks the best one so far."""

    step: Numbers = field(default_factory=_none)
    wall_s: Numbers = field(default_factory=_none)
    at: Numbers = field(default_factory=_none)
    mean: Numbers = field(default_factory=_none)
    low: Numbers = field(default_factory=_none)
    high: Numbers = field(default_factory=_none)
    runs: Numbers = field(default_factory=_none)
    wins: Numbers = field(default_factory=_none)
    best: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def column(self, name: str) -> Numbers:
        """step, wall_s or at."""
        return {"step": self.step, "wall_s": self.wall_s, "at": self.at}[name]


class Columns:
    """Takes points in as they come; a step that comes again replaces it and all after it."""

    def __init__(self) -> None:
        self._room: dict[tuple[str, str], Numbers] = {}
        self._count = 0

    def take(self, points: Sequence[Point]) -> None:
        """Take in further points."""
        if not points:
            return
        steps = np.asarray([point.step for point in points], np.float64)
        least_after = np.minimum.accumulate(steps[::-1])[::-1]
        kept = [point for point, more in zip(points[:-1], steps[:-1] < least_after[1:], strict=True) if more]
        kept.append(points[-1])
        self._forget_from(float(steps.min()))
        first = self._count
        self._count += len(kept)
        for name in _SCALARS:
            self._column("", name)[first : self._count] = [_or_nan(getattr(point, name)) for point in kept]
        for name in dict.fromkeys(name for point in kept for name in point.states):
            self._column("state", name)[first : self._count] = [
                _or_nan(point.states.get(name)) for point in kept
            ]
        for name in dict.fromkeys(name for point in kept for name in point.rewards):
            self._column("reward", name)[first : self._count] = [
                _or_nan(point.rewards.get(name)) for point in kept
            ]
        for at in range(max(len(point.actions) for point in kept)):
            times = [point.actions[at] if at < len(point.actions) else math.nan for point in kept]
            self._column("action", str(at))[first : self._count] = times

    def _forget_from(self, step: float) -> None:
        if not self._count or self._room["", "step"][self._count - 1] < step:
            return
        self._count = int(np.searchsorted(self._room["", "step"][: self._count], step))
        for key, column in self._room.items():  # copies: what was shown keeps its own
            fresh = np.full_like(column, np.nan)
            fresh[: self._count] = column[: self._count]
            self._room[key] = fresh

    def _column(self, group: str, name: str) -> Numbers:
        column = self._room.get((group, name))
        if column is None or len(column) < self._count:
            room = max(_FIRST_ROOM, 2 * self._count)
            grown = np.full(room, np.nan)
            if column is not None:
                grown[: len(column)] = column
            column = self._room[group, name] = grown
        return column

    def curves(self) -> Curves:
        """Return all curves taken in so far."""
        groups: dict[str, dict[str, Numbers]] = {"": {}, "action": {}, "state": {}, "reward": {}}
        for group, name in self._room:
            groups[group][name] = self._column(group, name)[: self._count]
        actions = [groups["action"][str(at)] for at in range(len(groups["action"]))]
        return Curves(
            count=self._count,
            numbers=groups[""],
            actions=np.column_stack(actions) if actions else np.zeros((self._count, 0)),
            states=groups["state"],
            rewards=groups["reward"],
        )


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def curves_of(points: Sequence[Point]) -> Curves:
    """Return the points as columns."""
    columns = Columns()
    columns.take(points)
    return columns.curves()


def evaluations_of(evaluated: Sequence[Evaluated]) -> Evaluations:
    """Return the evaluations as columns; of a step that was evaluated twice the later counts."""
    by_step = {evaluation.step: evaluation for evaluation in evaluated}
    kept = [by_step[step] for step in sorted(by_step)]
    names = ("step", "wall_s", "at", "mean", "low", "high", "runs", "wins")
    numbers = {
        name: np.asarray([getattr(evaluation, name) for evaluation in kept], np.float64) for name in names
    }
    return Evaluations(**numbers, best=np.asarray([evaluation.best for evaluation in kept], np.bool_))


def smooth(values: Numbers, weight: float) -> Numbers:
    """Return the exponential moving mean without its initial bias; values that are not finite stay NaN.

    y[t] = Σ w^j x[t−j] / Σ w^j over the finite x. The sum doubles its reach each round: some dozen passes
    over the array instead of a loop over its points.

    Args:
        weight: of the previous values, 0 (no smoothing) … 0.99.
    """
    finite = np.isfinite(values)
    smoothed = np.where(finite, values, np.nan)
    if weight <= 0 or not finite.any():
        return smoothed
    sums = values[finite].astype(np.float64)
    total = len(sums)
    reach, factor = 1, weight
    while reach < total and factor > 1e-12:
        sums[reach:] = sums[reach:] + factor * sums[:-reach]
        reach, factor = 2 * reach, factor * factor
    weights = (1.0 - weight ** np.arange(1, total + 1)) / (1.0 - weight)
    smoothed[finite] = sums / weights
    return smoothed


def without_short_gaps(x: Numbers, y: Numbers, longest: int) -> tuple[Numbers, Numbers]:
    """Return points (k,) of a line without gaps of at most so many points; NaN marks longer gaps."""
    finite = np.isfinite(y) & np.isfinite(x)
    if longest <= 0 or finite.all():
        return x, np.where(finite, y, np.nan)
    places = np.flatnonzero(finite)
    before = places[:-1][np.diff(places) > 1 + longest]
    kept = np.sort(np.concatenate((places, before + 1)))
    return x[kept], np.where(finite[kept], y[kept], np.nan)
