"""The default agent's benchmark counts what a score grew by, and gives a ratio its interval."""

from __future__ import annotations

import math

from tests.plain_records import step_record

from pitwall.core.actions import SemanticAction
from pitwall.core.observations import Value
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord
from workshop.benchmarks.planning.default_agent import gain_of, ratio_interval


def _step(number: int, score: Value) -> StepRecord:
    return step_record(
        number,
        at_ns=number,
        route=Route.STRATEGIC,
        fields={"score": score},
        action=SemanticAction(name="wait"),
    )


def test_a_score_that_falls_is_a_new_game_and_one_that_was_not_read_is_none() -> None:
    scores: list[Value] = [5, 7, None, 8, 0, 2]
    assert gain_of([_step(number, score) for number, score in enumerate(scores, 1)], ["score"]) == 5.0


def test_a_ratio_has_an_interval_open_above_where_chance_gained_nothing() -> None:
    assert ratio_interval([2.0, 2.0], [1.0, 1.0]) == (2.0, 2.0)
    assert ratio_interval([1.0], [0.0]) == (math.inf, math.inf)
    assert ratio_interval([0.0], [0.0]) == (1.0, 1.0)
    low, high = ratio_interval([1.0, 3.0], [1.0, 3.0])
    assert low < 1.0 < high
