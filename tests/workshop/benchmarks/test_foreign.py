"""The scores of `bench foreign`: a misread number is no record, a new game's is no misreading."""

from __future__ import annotations

import pytest

from workshop.benchmarks.foreign.runs import without_spikes


@pytest.mark.parametrize(
    ("read", "kept"),
    [
        ([0, 20, 20, 3298, 3298, 40, 60], [0, 20, 20, 40, 60]),
        ([329810, 329810, 5094, 5715], [5094, 5715]),
        ([100, 139, 1441, 1441, 14, 153, 156], [100, 139, 14, 153, 156]),
        ([0, 50, 300, 300, 0, 60, 60], [0, 50, 300, 300, 0, 60, 60]),
        ([100, 300, 0, 50], [100, 300, 0, 50]),
        ([20, 20, 0, 0], [20, 20, 0, 0]),
    ],
)
def test_what_is_read_above_a_lower_number_that_goes_on_is_left_out(
    read: list[float], kept: list[float]
) -> None:
    assert without_spikes(read) == kept
