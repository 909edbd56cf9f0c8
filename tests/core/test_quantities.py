"""Numbers, counts, sizes, ages and durations in words."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone

import pytest

from pitwall.core import quantities

GIB = 1 << 30
_NOW = datetime(2025, 6, 3, 15, 0, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.02, "<0.1 ms"),
        (0.0, "0.0 ms"),
        (0.64, "0.6 ms"),
        (12.0, "12.0 ms"),
        (1234.0, "1,234 ms"),
    ],
)
def test_a_figure_carries_its_unit(value: float | None, shown: str) -> None:
    assert quantities.figure(value, "ms") == shown


def test_numbers_have_three_figures() -> None:
    values = (0, 12, 1.5, 18.06, 151.4, -3, 250_000, 0.00012, math.nan)
    assert [quantities.number(value) for value in values] == [
        *("0", "12", "1.50", "18.1", "151", "−3", "250 k", "0.00012", "–"),
    ]
    assert quantities.number(2.5, "s") == "2.50 s"


def test_counts_and_shares() -> None:
    assert quantities.counted(1, "step") == "1 step"
    assert quantities.counted(1284, "step") == "1,284 steps"
    assert quantities.counted(2, "match", "matches") == "2 matches"
    assert quantities.count_share(3, 0) == "3"
    assert quantities.count_share(3, 12) == "3 (25 %)"
    assert [quantities.share(value) for value in (None, 0.0001, 0.004, 0.19)] == [
        "–",
        "<0.1 %",
        "0.4 %",
        "19 %",
    ]


def test_a_tally_lists_the_largest_count_first() -> None:
    counts = {"focus": 1, "held_cap": 12, "rate": 0, "pointer": 3}
    assert quantities.tally(counts) == "held cap 12 · pointer 3 · focus 1"
    assert quantities.tally(counts, most=2) == "held cap 12 · pointer 3 · 1 more"
    assert (quantities.tally({}), quantities.tally({}, "0")) == ("none", "0")


def test_clocks_and_durations() -> None:
    assert [quantities.clock(seconds) for seconds in (7.9, 761.2, 3723)] == ["0:07", "12:41", "1:02:03"]
    assert quantities.clock_tenths(761.26) == "12:41.2"
    durations = [quantities.duration_text(seconds) for seconds in (0.4, 59, 61, 3725)]
    assert durations == ["0 s", "59 s", "1:01 min", "1:02:05 h"]
    remaining = [quantities.left(seconds) for seconds in (0.2, 185, 3_723)]
    assert remaining == ["1 s left", "3:05 min left", "1:02:03 h left"]


def test_ages() -> None:
    ages = [quantities.age(seconds) for seconds in (0, 40, 540, 18_000, 1_036_800, None)]
    assert ages == ["now", "40 s", "9 min", "5 h", "12 d", "–"]
    assert [quantities.ago(seconds) for seconds in (-0.2, 42, 240)] == ["just now", "42 s ago", "4 min ago"]
    assert quantities.seconds_since("1970-01-01T00:00:00+00:00", 120) == 120
    assert quantities.seconds_since("no date", 120) is None
    assert quantities.seconds_since(0.0, 120) is None


@pytest.mark.parametrize(
    ("stamp", "text"),
    [
        ("2025-06-03T12:05:00.000000+00:00", "today 14:05"),
        ("2025-06-02T22:30:00.000000+00:00", "today 00:30"),
        ("2025-01-09T08:00:00.000000+00:00", "9 Jan 10:00"),
        ("2024-12-31T23:30:00.000000+00:00", "1 Jan 01:30"),
        ("2023-12-30T08:00:00.000000+00:00", "30 Dec 2023 10:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_moments_are_local(stamp: str, text: str) -> None:
    assert quantities.local_time(stamp, _NOW) == text


def test_a_moment_in_seconds_reads_like_its_stamp() -> None:
    stamp = "2025-06-03T12:05:00+00:00"
    assert quantities.local_time(datetime.fromisoformat(stamp).timestamp(), _NOW) == "today 14:05"
    assert quantities.date_time(0.0) == "–"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (900, "900 B"),
        (12_800, "12 KiB"),
        (509_696, "0.5 MiB"),
        (45 << 20, "45 MiB"),
        (1_020 << 20, "1.0 GiB"),
        (4_683_073_536, "4.4 GiB"),
        (150 * GIB, "150 GiB"),
    ],
)
def test_sizes_have_binary_units(count: int, text: str) -> None:
    assert quantities.byte_size(count) == text


def test_sizes_share_a_unit() -> None:
    assert quantities.byte_share(3 * GIB, 8 * GIB) == "3.0 of 8.0 GiB"
    assert quantities.byte_share(3 << 20, 8 * GIB) == "3.0 MiB of 8.0 GiB"
    assert quantities.byte_rate(45 * (1 << 20)) == "45 MiB/s"
    assert quantities.byte_rate(0.0) == ""


def test_large_counts_are_spelled() -> None:
    counts = (7_615_616_512, 999_900_000, 51_000, 0)
    assert [quantities.spelled(count) for count in counts] == [
        "7.6 billion",
        "1.0 billion",
        "51.0 thousand",
        "–",
    ]


def test_a_score_of_one_has_its_unit_in_the_singular() -> None:
    texts = [quantities.score_text(*score) for score in ((1, "pipes"), (2, "pipes"), (1, "gold"), (1, ""))]
    assert texts == ["1 pipe", "2 pipes", "1 gold", "1"]
