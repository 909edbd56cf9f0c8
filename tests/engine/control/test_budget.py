"""Calls and steps: what counts, and when it is spent."""

from __future__ import annotations

import pytest

from pitwall.core.calls import CallTokens
from pitwall.core.observations import GameStatus
from pitwall.core.runs import Difficulty
from pitwall.engine.control.budget import Budget


@pytest.mark.parametrize(("difficulty", "calls"), [("easy", 120), ("medium", 200)])
def test_budgets_follow_the_difficulty(difficulty: Difficulty, calls: int) -> None:
    assert Budget(difficulty).calls_cap == calls


def test_every_completion_counts_and_the_skill_planner_has_none() -> None:
    budget = Budget("hard")
    budget.strategic_calls += 1
    budget.strategic_calls += 1
    for _ in range(3):
        budget.calls += 1
    assert (budget.calls, budget.strategic_calls) == (3, 2)
    for _ in range(597):
        budget.calls += 1
    budget.step_over()
    assert budget.calls_exhausted and not budget.ended_by, (
        "used up by difficulty, it only silences the planner"
    )


def test_a_bound_that_was_given_ends_the_run_and_says_which() -> None:
    free, capped = Budget("easy"), Budget("easy", steps_cap=2)
    few, short = Budget("easy", calls_cap=1), Budget("easy", tokens_cap=100)
    few.calls = 1
    few.step_over(waiting=True)
    short.count_tokens(CallTokens(prompt=90, output=20))
    assert not few.ended_by, "the answer to the last call is still to come"
    for budget in (free, capped, few, short):
        budget.step_over()
    capped.step_over()
    assert [budget.ended_by for budget in (free, capped, few, short)] == ["", "steps", "calls", "tokens"]
    report = capped.report()
    assert (report.steps, report.steps_cap, report.calls, report.calls_cap) == (2, 2, 0, 120)


def test_a_run_until_the_game_is_over_ends_there_and_not_at_an_earlier_game_s_end() -> None:
    usual, until_over = Budget("easy"), Budget("easy", until_over=True)
    for status in (GameStatus.TERMINAL, GameStatus.MENU, GameStatus.PLAYING, GameStatus.TERMINAL):
        for budget in (usual, until_over):
            assert not budget.ended_by
            budget.step_over(status)
    assert (usual.ended_by, until_over.ended_by) == ("", "game")
