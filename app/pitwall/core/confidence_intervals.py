"""95 % confidence intervals of trials, tasks and suites: of a share of runs won, and of two shares."""

from __future__ import annotations

import math

_Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


def wilson(wins: float, runs: int) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927): low, high within 0 … 1.

    Args:
        wins: a fraction too, where each run is a span of which a share was won.
        runs: at least one, and no fewer than `wins`.
    """
    if not 0 <= wins <= runs or runs < 1:
        raise ValueError(f"{wins} of {runs} runs is no share")
    share, z2 = wins / runs, _Z * _Z
    middle = share + z2 / (2 * runs)
    reach = _Z * math.sqrt(share * (1 - share) / runs + z2 / (4 * runs * runs))
    scale = 1 + z2 / runs
    low = 0.0 if wins == 0 else (middle - reach) / scale
    high = 1.0 if wins == runs else (middle + reach) / scale
    return low, high


def share_difference(wins_a: int, runs_a: int, wins_b: int, runs_b: int) -> tuple[float, float]:
    """Return the interval of the difference of two shares, a − b (Newcombe 1998, method 10).

    It combines both shares' Wilson intervals, so 20 of 20 against 20 of 20 is no certainty.

    Returns:
        low, high, within −1 … 1.
    """
    low_a, high_a = wilson(wins_a, runs_a)
    low_b, high_b = wilson(wins_b, runs_b)
    a, b = wins_a / runs_a, wins_b / runs_b
    below, above = math.hypot(a - low_a, high_b - b), math.hypot(high_a - a, b - low_b)
    return a - b - below, a - b + above
