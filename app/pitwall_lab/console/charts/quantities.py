"""Declares the quantities of a training log: a chart for each, and a table of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pitwall.console.charts.axes import AXIS_COLUMNS, Axis, Numbers
from pitwall.console.charts.data import Line, Whiskers
from pitwall_evaluation.console.data_sheet import Column, Sheet, clock_text, count_text, time_text
from pitwall_lab.console.charts.log_reader import TrainingRun
from pitwall_lab.console.charts.series import smooth


@dataclass(frozen=True, slots=True)
class Quantity:
    """Declares one chart.

    Attributes:
        key: the column of `Point`. per_episode: known only when an episode ended; the line bridges the gaps.
        noisy: it is smoothed.
        empty: text for a chart without values. tip: explains the quantity.
    """

    key: str
    title: str
    unit: str
    tip: str
    empty: str
    per_episode: bool = False
    noisy: bool = True


SCORE = Quantity(
    "score",
    "Score",
    "",
    "The trial's score. The line is the mean of training episodes, exploration included; points with "
    "whiskers are evaluations on held-out seeds with their 95 % interval, the filled one is the best.",
    "The score of training episodes, and of evaluations on held-out seeds, appears with the first that ends.",
    per_episode=True,
)
RETURN = Quantity(
    "episode_return",
    "Episode return",
    "reward",
    "Sum of an episode's rewards, averaged over episodes since the previous point. Reward functions "
    "differ: compare versions by score.",
    "The return appears when the first episode has ended.",
    per_episode=True,
)
LOSS = Quantity(
    "loss",
    "Loss",
    "",
    "Mean loss of the gradient steps since the previous point.",
    "The loss appears with the first gradient step.",
)
MEAN_Q = Quantity(
    "q",
    "Mean Q",
    "reward",
    "Mean estimated value of the chosen actions. Endless growth is a warning.",
    "Estimates appear with the first gradient step.",
)
EPSILON = Quantity(
    "epsilon",
    "Exploration",
    "share",
    "Exploration ε: the share of decisions taken at random.",
    "The share of random decisions appears with the first point.",
    noisy=False,
)
LENGTH = Quantity(
    "length",
    "Episode length",
    "decisions",
    "Mean length of the episodes that ended since the previous point.",
    "The length appears when the first episode has ended.",
    per_episode=True,
)
FPS = Quantity(
    "fps",
    "Decisions per second",
    "Hz",
    "Over all environments, in wall time, learning included.",
    "The speed appears with the first point.",
)
HELD_OUT = Quantity(
    "held_out",
    "Held-out loss",
    "",
    "A clone's loss on held-out play; the version keeps the weights with the lowest.",
    "The loss on held-out play appears when a version is cloned from demonstrations.",
)
_ALL = 1 << 40
"""Longer than any gap, so that the line bridges all of them."""
HEADLINES = {SCORE: "Score", RETURN: "Return", HELD_OUT: "Held-out"}
"""Quantities that can be the big chart, with their words in the choice."""
QUANTITIES = (SCORE, RETURN, LOSS, HELD_OUT, MEAN_Q, EPSILON, LENGTH, FPS)


def along(run: TrainingRun, axis: Axis) -> Numbers:
    """Return a run's positions on an axis (n,), never decreasing even if a clock was set back."""
    x = run.curves.column(AXIS_COLUMNS[axis])
    return x if axis == "step" else np.maximum.accumulate(x)


def line_of(run: TrainingRun, quantity: Quantity, axis: Axis, weight: float) -> Line:
    """Make the chart line of one quantity of one run.

    Args:
        weight: of smoothing, 0 … 0.99.
    """
    raw = run.curves.column(quantity.key)
    return Line(
        label=run.label,
        ink=run.colour,
        x=along(run, axis),
        raw=raw,
        smooth=smooth(raw, weight) if weight > 0 and quantity.noisy else None,
        bridge=_ALL if quantity.per_episode else 0,
        whiskers=whiskers_of(run, axis) if quantity is SCORE else None,
    )


def whiskers_of(run: TrainingRun, axis: Axis) -> Whiskers:
    """Return a run's evaluations on held-out seeds as whiskers."""
    evaluations = run.evaluations
    x = evaluations.column(AXIS_COLUMNS[axis])
    x = x if axis == "step" or not len(x) else np.maximum.accumulate(x)
    return Whiskers(x, evaluations.mean, evaluations.low, evaluations.high, evaluations.best)


def sheet_of(runs: Sequence[TrainingRun], score_unit: str = "") -> Sheet:
    """Make the table of the runs, each sorted by step; an evaluation has its own row.

    Args:
        score_unit: of the trial's score.
    """
    columns = [Column("step", count_text), Column("training time", time_text), Column("clock", clock_text)]
    for quantity in QUANTITIES:
        unit = score_unit if quantity is SCORE else quantity.unit
        columns.append(Column(f"{quantity.title.lower()}, {unit}" if unit else quantity.title.lower()))
    columns += [Column("held-out mean"), Column("95 % from"), Column("to"), Column("seeds", count_text)]
    blocks = [_rows(run) for run in runs]
    return Sheet(
        first="version",
        names=[run.label for run in runs],
        name_of=np.repeat(np.arange(len(runs)), [len(block) for block in blocks]),
        columns=columns,
        numbers=np.concatenate(blocks) if blocks else np.zeros((0, len(columns))),
    )


def _rows(run: TrainingRun) -> Numbers:
    curves, evaluations = run.curves, run.evaluations
    width = 3 + len(QUANTITIES) + 4
    points = np.full((curves.count, width), np.nan)
    names = ["step", "wall_s", "at", *(quantity.key for quantity in QUANTITIES)]
    for at, name in enumerate(names):
        points[:, at] = curves.column(name)
    evaluated = np.full((len(evaluations.step), width), np.nan)
    for at, values in zip(
        (0, 1, 2, width - 4, width - 3, width - 2, width - 1),
        (
            evaluations.step,
            evaluations.wall_s,
            evaluations.at,
            evaluations.mean,
            evaluations.low,
            evaluations.high,
            evaluations.runs,
        ),
        strict=True,
    ):
        evaluated[:, at] = values
    both = np.concatenate((points, evaluated))
    return both[np.argsort(both[:, 0], kind="stable")]
