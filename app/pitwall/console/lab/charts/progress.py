"""How far a training is, how fast, and how long it will take, in words and as a share. No Qt."""

from __future__ import annotations

import math

import numpy as np

from pitwall.console.kit.format import clock
from pitwall.console.lab.charts.log_reader import TrainingRun

_LATE_S = 30.0
"""The pace is that of the last so many seconds of training."""


def share_done(run: TrainingRun) -> float:
    """0 … 1 of its steps; 0 where it is not known of how many."""
    steps = _steps(run)
    return min(1.0, _step(run) / steps) if steps else 0.0


def pace(run: TrainingRun) -> float:
    """Decisions per second of late, over all environments; NaN before the second point."""
    step, wall_s = run.curves.column("step"), run.curves.column("wall_s")
    if len(step) < 2:
        return math.nan
    first = min(int(np.searchsorted(wall_s, wall_s[-1] - _LATE_S)), len(step) - 2)
    seconds = float(wall_s[-1] - wall_s[first])
    return float(step[-1] - step[first]) / seconds if seconds > 0 else math.nan


def left_s(run: TrainingRun) -> float:
    """Seconds until its last step at that pace; NaN where that cannot be said."""
    rate = pace(run)
    return max(0.0, _steps(run) - _step(run)) / rate if rate > 0 and _steps(run) else math.nan


def sentence(run: TrainingRun) -> str:
    """ "212,400 of 300,000 steps, 914 decisions/s, 1:35 left", or why it does not go on."""
    done = f"{_step(run):,} of {_steps(run):,} steps" if _steps(run) else f"{_step(run):,} steps"
    if run.state is None:
        return done if run.curves.count else "no training yet"
    why = f": {run.state.why}" if run.state.why else ""
    if run.state.state != "running":
        return f"{run.state.state} at {done}{why}"
    words = [done]
    if math.isfinite(rate := pace(run)):
        words.append(f"{rate:,.0f} decisions/s")
    if math.isfinite(seconds := left_s(run)):
        words.append(f"{clock(seconds)} left")
    return ", ".join(words)


def _step(run: TrainingRun) -> int:
    known = int(run.curves.column("step")[-1]) if run.curves.count else 0
    return max(known, run.state.step if run.state is not None else 0)


def _steps(run: TrainingRun) -> int:
    if run.state is not None and run.state.steps:
        return run.state.steps
    return run.about.recipe.steps if run.about.recipe is not None else 0
