"""Figures as they are read: every number with its unit, nothing measured as a dash."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from pitwall.console.kit.format import counted, duration_text, started_text
from pitwall.console.kit.number_format import count_share, tally
from pitwall.console.run_view.format import invalid_rate, stuck
from pitwall.core.runs import RunSummary

_NOW = datetime(2025, 6, 3, 15, 0, tzinfo=timezone(timedelta(hours=2)))


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
def test_when_is_local(stamp: str, text: str) -> None:
    assert started_text(stamp, _NOW) == text


def test_lengths_carry_units() -> None:
    assert [duration_text(seconds) for seconds in (0.4, 59, 61, 3725)] == [
        "0 s",
        "59 s",
        "1:01 min",
        "1:02:05 h",
    ]


def test_counts_and_shares() -> None:
    assert counted(1, "step") == "1 step"
    assert counted(1284, "step") == "1,284 steps"
    assert count_share(3, 0) == "3"
    assert count_share(3, 12) == "3 (25 %)"
    assert tally({"focus": 1, "held_cap": 12, "rate": 0}) == "held cap 12 · focus 1"
    assert tally({}) == "none"


def test_no_stuck_events_is_said_and_not_zero() -> None:
    calm = RunSummary(steps=100)
    assert stuck(calm) == ("no stuck events", "no stuck events")
    assert stuck(replace(calm, stuck=20, recovered=5)) == ("20 (20 %)", "5 (25 %)")


def test_invalid_action_rate_is_of_all_steps() -> None:
    assert invalid_rate(RunSummary(steps=50, invalid={"out_of_space": 1})) == "1 (2 %)"
    assert _NOW.astimezone(UTC).hour == 13
