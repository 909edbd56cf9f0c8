"""Intervals against worked examples."""

from __future__ import annotations

import pytest

from pitwall.core.confidence_intervals import share_difference, wilson


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
