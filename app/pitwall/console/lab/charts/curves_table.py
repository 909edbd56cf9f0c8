"""The curves as rows: every point of every shown run, and its evaluations on held-out seeds. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pitwall.console.charts.axes import Numbers
from pitwall.console.charts.data_sheet import Column, Sheet, clock_text, count_text, time_text
from pitwall.console.lab.charts.log_reader import TrainingRun
from pitwall.console.lab.charts.quantities import QUANTITIES, SCORE


def sheet_of(runs: Sequence[TrainingRun], score_unit: str = "") -> Sheet:
    """Rows in the order of the runs, each by step; an evaluation is a row of its own.

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
    curves, found = run.curves, run.evaluations
    width = 3 + len(QUANTITIES) + 4
    points = np.full((curves.count, width), np.nan)
    names = ["step", "wall_s", "at", *(quantity.key for quantity in QUANTITIES)]
    for at, name in enumerate(names):
        points[:, at] = curves.column(name)
    evaluated = np.full((len(found.step), width), np.nan)
    for at, values in zip(
        (0, 1, 2, width - 4, width - 3, width - 2, width - 1),
        (found.step, found.wall_s, found.at, found.mean, found.low, found.high, found.runs),
        strict=True,
    ):
        evaluated[:, at] = values
    both = np.concatenate((points, evaluated))
    return both[np.argsort(both[:, 0], kind="stable")]
