"""Decides whether one version is better than another on held-out seeds, or the difference is noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from pitwall.gsm.version_record import Score

Finding = Literal["better", "worse", "inside the noise"]
_SAMPLES = 10_000
LEAST_RUNS = 5


class Verdict(BaseModel):
    """The comparison of two versions.

    Attributes:
        difference, low, high: mean of new − old with its 95 % interval, in the score's unit.
        paired: compared run by run on the same seeds. runs: of the smaller trial.
        seeded: a seed decides the course of a run; else both only took turns.
    """

    model_config = ConfigDict(frozen=True)

    finding: Finding
    difference: float
    low: float
    high: float
    paired: bool
    runs: int
    unit: str = ""
    higher: bool = True
    seeded: bool = True

    @property
    def sentence(self) -> str:
        """Describe the verdict and its figures in one sentence."""
        unit = f" {self.unit}" if self.unit else ""
        figures = f"{self.difference:+.4g}{unit} (95 % interval {self.low:+.4g} … {self.high:+.4g})"
        way = "on the same held-out seeds" if self.paired else "on held-out seeds"
        way = way if self.seeded else "in turns, for the game takes no seed"
        return f"{figures} over {self.runs} runs {way}: {self.finding}."


def compare_scores(old: Score, new: Score, *, higher: bool = True, seeded: bool = True) -> Verdict:
    """Compare two scores of one trial.

    Runs on the same seeds are compared pair by pair; the interval is the percentile bootstrap's of the mean
    difference (Efron 1979). Fewer than five runs, or no values, are always inside the noise.

    Args:
        higher: more is better. seeded: a seed decides the course of a run.
    """
    paired = old.first_seed == new.first_seed and len(old.values) == len(new.values)
    runs = min(len(old.values), len(new.values))
    difference = new.mean - old.mean
    low, high = _interval(old.values, new.values, paired) if runs else (-math.inf, math.inf)
    finding: Finding = "inside the noise"
    if runs >= LEAST_RUNS and (low > 0 or high < 0):
        finding = "better" if (difference > 0) == higher else "worse"
    return Verdict(
        finding=finding,
        difference=difference,
        low=low,
        high=high,
        paired=paired,
        runs=runs,
        unit=new.unit,
        higher=higher,
        seeded=seeded,
    )


def _interval(old: Sequence[float], new: Sequence[float], paired: bool) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    before, after = np.asarray(old, np.float64), np.asarray(new, np.float64)
    drawn = (
        (_resampled(after - before, rng),) if paired else (_resampled(after, rng), -_resampled(before, rng))
    )
    low, high = np.percentile(sum(drawn), (2.5, 97.5))
    return float(low), float(high)


def _resampled(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    drawn = rng.integers(0, len(values), (_SAMPLES, len(values)))
    means: NDArray[np.float64] = values[drawn].mean(axis=1)
    return means
