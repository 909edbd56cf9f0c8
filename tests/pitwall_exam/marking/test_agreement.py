"""The agreement of two answerers: published examples, and the limits."""

from __future__ import annotations

import numpy as np
import pytest

from pitwall_exam.marking.agreement import agreement, intraclass_correlation

_FOUR_JUDGES = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]
"""Ratings of six targets by four judges: Shrout and Fleiss (1979), Table 2."""


def test_the_intraclass_correlation_is_the_published_one() -> None:
    assert intraclass_correlation(np.array(_FOUR_JUDGES, np.float64)) == pytest.approx(0.29, abs=0.005)


def test_a_constant_difference_keeps_the_correlation_and_lowers_the_agreement() -> None:
    first = [0.1, 0.5, 0.9]
    moved = agreement("accuracy", first, [value + 0.1 for value in first])
    assert moved.pearson == pytest.approx(1.0)
    assert moved.mae == pytest.approx(0.1)
    assert moved.rmse == pytest.approx(0.1)
    assert moved.icc is not None
    assert moved.icc < 0.99
    same = agreement("accuracy", first, first)
    assert same.icc == pytest.approx(1.0)
    assert same.mae == 0.0


def test_without_spread_or_pairs_there_is_no_correlation() -> None:
    assert agreement("seconds", [1.0], [2.0]).icc is None
    flat = agreement("accuracy", [0.5, 0.5], [0.5, 0.5])
    assert (flat.pearson, flat.icc, flat.mae) == (None, None, 0.0)
