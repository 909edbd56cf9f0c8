"""Numbers within bounds: exactly these, and no others."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwall.models.grammars.number_patterns import decimal_patterns, whole_patterns

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _matches(patterns: list[str], text: str) -> bool:
    return re.fullmatch("|".join(patterns), text) is not None


@_PATIENT
@given(st.integers(-2_000, 2_000), st.integers(0, 3_000), st.integers(-6_000, 6_000))
def test_whole_numbers_are_those_of_the_range(low: int, width: int, number: int) -> None:
    assert _matches(whole_patterns(low, low + width), str(number)) == (low <= number <= low + width)


@pytest.mark.parametrize(("low", "high"), [(0, 9), (-5, 5), (50, 1200), (7, 7), (-1, 0), (99, 1001)])
def test_every_whole_number_of_a_range_can_be_written(low: int, high: int) -> None:
    patterns = whole_patterns(low, high)
    assert {n for n in range(-2000, 2000) if _matches(patterns, str(n))} == set(range(low, high + 1))
    assert not any(_matches(patterns, text) for text in ("", "-0", "00", "05", "+1", "1.0", "٣"))


def test_a_range_without_whole_numbers_has_no_pattern() -> None:
    assert whole_patterns(0.2, 0.8) == []


def test_a_missing_bound_still_bounds_what_is_written() -> None:
    for low, high in ((None, None), (3.0, None), (None, -20_000.0), (float("-inf"), float("inf"))):
        patterns = whole_patterns(low, high)
        assert patterns
        for number in (-30_000, -20_001, 0, 3, 10_000):
            if _matches(patterns, str(number)):
                assert (low is None or number >= low) and (high is None or number <= high)


@_PATIENT
@given(
    st.floats(-900, 900).map(lambda value: round(value, 3)),
    st.floats(0, 50).map(lambda value: round(value, 3)),
    st.floats(-1000, 1000),
)
def test_fractions_stay_inside(low: float, width: float, number: float) -> None:
    high = round(low + width, 3)
    patterns = decimal_patterns(low, high)
    for decimals in range(2, 7):
        text = f"{number:.{decimals}f}"
        if _matches(patterns, text):
            assert low <= float(text) <= high


def test_fractions_reach_both_ends() -> None:
    patterns = decimal_patterns(0.5, 2.25)
    assert all(_matches(patterns, text) for text in ("0.50", "1.37", "2.25"))
    assert not any(_matches(patterns, text) for text in ("0.49", "2.26", "2.3", "1", "-1.00"))
    assert decimal_patterns(0.5, 0.5)
