"""Intervals against worked examples."""

from __future__ import annotations

import numpy as np
import pytest

from pitwall.core.confidence_intervals import bootstrap_mean, share_difference, wilson


@pytest.mark.parametrize(
    ("wins", "runs", "low", "high"),
    [(0, 20, 0.0, 0.1611), (20, 20, 0.8389, 1.0), (19, 20, 0.7639, 0.9911), (12, 20, 0.3866, 0.7812)],
)
def test_wilson_gives_the_known_intervals(wins: int, runs: int, low: float, high: float) -> None:
    assert wilson(wins, runs) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(("wins", "runs"), [(0, 0), (3, 2), (-1, 5)])
def test_wilson_refuses_what_is_no_share(wins: int, runs: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(wins, runs)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 10), 0.6075, 1.0),
        ((20, 20), (20, 20), -0.1611, 0.1611),
    ],
)
def test_the_difference_of_shares_is_newcombes(
    a: tuple[int, int], b: tuple[int, int], low: float, high: float
) -> None:
    """His tables' examples (1998, method 10), and two full shares, which are no certainty."""
    assert share_difference(*a, *b) == pytest.approx((low, high), abs=1e-4)
    assert share_difference(*b, *a) == pytest.approx((-high, -low), abs=1e-4)


def test_the_bootstrap_covers_the_mean_about_as_often_as_it_says() -> None:
    draw = np.random.default_rng(3)
    held = 0
    for round_ in range(200):
        low, high = bootstrap_mean(list(draw.normal(5.0, 2.0, 40)), seed=round_, samples=400)
        held += low <= 5.0 <= high
    assert 175 <= held <= 199


def test_the_bootstrap_repeats_itself_and_knows_no_spread_of_equals() -> None:
    assert bootstrap_mean([1.0, 2.0, 7.0]) == bootstrap_mean([1.0, 2.0, 7.0])
    assert bootstrap_mean([4.0, 4.0, 4.0]) == (4.0, 4.0)
    with pytest.raises(ValueError, match="no values"):
        bootstrap_mean([])
