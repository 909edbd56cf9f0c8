"""Intervals of means against worked examples and against draws."""

from __future__ import annotations

import numpy as np
import pytest

from pitwall_evaluation.mean_interval import mean_interval


def test_the_bootstrap_covers_the_mean_about_as_often_as_it_says() -> None:
    draw = np.random.default_rng(3)
    held = 0
    for round_ in range(200):
        low, high = mean_interval(list(draw.normal(5.0, 2.0, 40)), seed=round_, samples=400)
        held += low <= 5.0 <= high
    assert 175 <= held <= 199


def test_the_bootstrap_repeats_itself_and_knows_no_spread_of_equals() -> None:
    assert mean_interval([1.0, 2.0, 7.0]) == mean_interval([1.0, 2.0, 7.0])
    assert mean_interval([4.0, 4.0, 4.0]) == (4.0, 4.0)
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])


def test_few_values_have_students_interval() -> None:
    """Student's t of three values: mean 10/3, deviation 3.2146, quantile 4.3027."""
    assert mean_interval([1.0, 2.0, 7.0]) == pytest.approx((-4.6520, 11.3187), abs=1e-4)
    assert mean_interval([0.2, 0.6], within=(0.0, 1.0)) == (0.0, 1.0)
    assert mean_interval([4.0]) == (4.0, 4.0)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_interval_of_few_values_covers_the_mean_as_often_as_it_says(count: int) -> None:
    draw = np.random.default_rng(count)
    intervals = [mean_interval(list(draw.normal(5.0, 2.0, count))) for _ in range(1000)]
    held = sum(low <= 5.0 <= high for low, high in intervals)
    assert 930 <= held <= 970
