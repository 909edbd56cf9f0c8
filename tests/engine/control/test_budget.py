"""Calls and steps: what counts, and when it is spent."""

from __future__ import annotations

import pytest

from pitwall.engine.control.budget import STEP_CAP, Budget, Difficulty


@pytest.mark.parametrize(("difficulty", "calls", "steps"), [("easy", 120, 30), ("medium", 200, 50)])
def test_budgets_follow_the_difficulty(difficulty: Difficulty, calls: int, steps: int) -> None:
    budget = Budget(difficulty, steps_cap=STEP_CAP[difficulty])
    assert (budget.calls_cap, budget.steps_cap) == (calls, steps)


def test_every_completion_counts_and_the_skill_planner_has_none() -> None:
    budget = Budget("hard")
    budget.strategic_calls += 1
    budget.strategic_calls += 1
    for _ in range(3):
        budget.calls += 1
    assert (budget.calls, budget.strategic_calls) == (3, 2)
    assert not budget.exhausted
    for _ in range(597):
        budget.calls += 1
    assert budget.calls_exhausted
    assert "600" in budget.exhausted


def test_steps_are_capped_only_where_a_cap_is_given() -> None:
    free, capped = Budget("easy"), Budget("easy", steps_cap=2)
    for _ in range(2):
        free.steps += 1
        capped.steps += 1
    assert not free.exhausted
    assert "2 steps" in capped.exhausted
    report = capped.report()
    assert (report.steps, report.steps_cap, report.calls, report.calls_cap) == (2, 2, 0, 120)
