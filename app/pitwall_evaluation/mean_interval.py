"""The 95 % confidence interval of a mean over runs or questions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_FEW = {2: 12.706205, 3: 4.302653, 4: 3.182446, 5: 2.776445}
"""Number of values → Student's t, 97.5 %, with a degree of freedom less."""


def mean_interval(
    values: Sequence[float],
    *,
    within: tuple[float, float] = (-math.inf, math.inf),
    seed: int = 0,
    samples: int = 5000,
) -> tuple[float, float]:
    """Return the 95 % interval of a mean: low, high in the values' unit.

    Of two to five values it is Student's t-interval (1908): a bootstrap of so few is far too narrow. Of more
    it is the percentile bootstrap's (Efron 1979).

    Args:
        values: at least one; the interval of a single value is that value.
        within: bounds that a mean cannot leave, like 0 and 1 for shares.
        seed: of the resampling, so that the same values always give the same interval.
        samples: number of resamplings.
    """
    if not values:
        raise ValueError("no values, no mean")
    of = np.asarray(values, np.float64)
    if len(of) in _FEW:
        reach = _FEW[len(of)] * of.std(ddof=1) / math.sqrt(len(of))
        low, high = of.mean() - reach, of.mean() + reach
    else:
        drawn = np.random.default_rng(seed).integers(0, len(of), (samples, len(of)))
        low, high = np.percentile(of[drawn].mean(axis=1), (2.5, 97.5))
    return max(float(low), within[0]), min(float(high), within[1])
