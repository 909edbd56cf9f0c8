"""Figures as they are read: every number with its unit, nothing measured as a dash."""

from __future__ import annotations

from dataclasses import replace

from pitwall.console.run_view.format import invalid_rate, stuck
from pitwall.core.runs import RunSummary


def test_no_stuck_events_is_said_and_not_zero() -> None:
    calm = RunSummary(steps=100)
    assert stuck(calm) == ("no stuck events", "no stuck events")
    assert stuck(replace(calm, stuck=20, recovered=5)) == ("20 (20 %)", "5 (25 %)")


def test_invalid_action_rate_is_of_all_steps() -> None:
    assert invalid_rate(RunSummary(steps=50, invalid={"out_of_space": 1})) == "1 (2 %)"
