"""The judge of a task: SPEC §6 for any course of scores, and each way in which a run is over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.games.schema.profile import Task
from pitwall_bench.tasks.watch import TaskWatch, progress_of
from pitwall_evaluation.truth.state import TrueState


def task(**given: Any) -> Task:
    return Task.model_validate(
        {"id": "t", "instruction": "", "score": "game_state.score", "target": 10, **given}
    )


def state(score: float = 0, status: str = "playing", **more: Any) -> TrueState:
    terminal = {"isTerminal": status == "terminal", "outcome": more.pop("outcome", None)}
    return TrueState.model_validate(
        {
            "gameId": "g",
            "timestampMs": 0,
            "gameTimeMs": 0,
            "status": status,
            "terminal": terminal,
            "game_state": {"score": score},
            "metrics": more,
        }
    )


SCORES = st.lists(st.integers(-50, 50), min_size=1, max_size=30)


@settings(deadline=None)
@given(scores=SCORES, start=st.integers(-20, 9), target=st.integers(10, 40))
def test_progress_is_the_best_so_far_between_start_and_target(
    scores: list[int], start: int, target: int
) -> None:
    watch = TaskWatch(task(start=start, target=target))
    watch.stepped(1)
    seen: list[int] = []
    for score in scores:
        before = watch.progress
        move = watch.take(state(score))
        seen.append(score)
        assert watch.progress >= before
        assert watch.progress == min(max((max(seen) - start) / (target - start), 0), 1)
        assert watch.success is (max(seen) >= target)
        assert (move == "over") is watch.success
        if watch.success:
            break
    assert watch.best == max(seen)
    assert watch.ended == ("target" if max(seen) >= target else None)


@settings(deadline=None)
@given(flights=st.lists(SCORES, min_size=1, max_size=5), target=st.integers(20, 60))
def test_after_a_failure_it_is_begun_anew_and_the_best_is_kept(flights: list[list[int]], target: int) -> None:
    watch = TaskWatch(task(start=-100, target=target))
    watch.stepped(1)
    asked = 0
    for flight in flights:
        for score in flight:
            watch.take(state(score))
        for _ in range(3):
            asked += watch.take(state(flight[-1], "terminal")) == "reset"
        if watch.ended:
            break
    best = max(max(flight) for flight in flights)
    assert watch.success is (best >= target)
    if not watch.success:
        assert (asked, watch.resets) == (len(flights), len(flights) - 1)
        assert watch.best == best
        assert watch.down


@settings(deadline=None)
@given(parts=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_a_score_may_be_a_sum(parts: list[tuple[int, int]]) -> None:
    watch = TaskWatch(task(score=["metrics.a", "metrics.b"], target=19))
    for a, b in parts:
        watch.take(state(a=a, b=b))
    assert watch.best == max(a + b for a, b in parts)


@settings(deadline=None)
@given(best=st.floats(-1e6, 1e6), start=st.floats(-1e3, 1e3), more=st.floats(min_value=0.01, max_value=1e3))
def test_progress_is_always_a_share(best: float, start: float, more: float) -> None:
    assert 0 <= progress_of(best, start, start + more) <= 1


def test_a_sum_of_fractions_reaches_its_target() -> None:
    watch = TaskWatch(task(score=["metrics.a", "metrics.b"], target=0.8))
    watch.stepped(1)
    assert 0.1 + 0.7 < 0.8, "as binary fractions are"
    assert watch.take(state(a=0.1, b=0.7)) == "over"
    assert watch.success


def test_the_first_state_in_which_it_can_be_played_is_the_start() -> None:
    watch = TaskWatch(task(start="first", target=10))
    watch.take(state(7, "loading"))
    watch.take(state(8, "menu"))
    assert (watch.start, watch.progress) == (None, 0)
    watch.take(state(4, "ready"))
    watch.stepped(1)
    watch.take(state(7))
    assert watch.start == pytest.approx(4)
    assert watch.progress == pytest.approx(0.5)


def test_a_target_that_is_no_more_than_the_start_is_a_fault_of_the_task() -> None:
    watch = TaskWatch(task(start="first", target=10))
    assert watch.take(state(12)) == "over"
    assert watch.ended == "truth"
    assert "starts at 12, and the target is 10" in watch.why
    assert (watch.success, watch.progress) == (False, 0)


def test_a_target_that_holds_before_the_first_step_is_no_success() -> None:
    watch = TaskWatch(task(target=10))
    assert watch.take(state(12)) == "over"
    assert (watch.ended, watch.success) == ("truth", False)
    assert "before the first step" in watch.why


def test_a_failure_without_another_try_ends_it() -> None:
    watch = TaskWatch(task(continue_on_fail=False))
    watch.take(state(4))
    assert watch.take(state(4, "terminal", outcome="loss")) == "over"
    assert (watch.ended, watch.progress) == ("terminal", 0.4)
    assert watch.take(state(20)) == "over", "what comes later counts no more"
    assert watch.progress == 0.4


def test_a_game_that_is_won_below_the_target_is_over() -> None:
    watch = TaskWatch(task())
    assert watch.take(state(4, "terminal", outcome="win")) == "over"
    assert watch.ended == "terminal"


def test_the_target_counts_in_the_state_that_ends_the_game() -> None:
    watch = TaskWatch(task(continue_on_fail=False))
    watch.stepped(3)
    watch.take(state(10, "terminal"))
    assert (watch.ended, watch.success) == ("target", True)


@pytest.mark.parametrize("value", [True, 1, 0.5])
def test_the_end_field_ends_it(value: object) -> None:
    watch = TaskWatch(task(end="metrics.over"))
    assert watch.take(state(3, over=False)) == "on"
    assert watch.take(state(3, over=0)) == "on"
    assert watch.take(state(5, over=value)) == "over"
    assert (watch.ended, watch.progress) == ("end_field", 0.5)


@pytest.mark.parametrize(
    ("given", "metrics", "told"),
    [
        ({"score": "metrics.kils"}, {"kills": 2}, "Did you mean 'kills'?"),
        ({"score": "metrics.kills"}, {"kills": "two"}, "is 'two', no number"),
        ({"score": "metrics.kills"}, {"kills": True}, "is True, no number"),
        ({"score": "metrics.kills"}, {"kills": None}, "is None, no number"),
        ({"score": "metrics.kills"}, {"kills": float("nan")}, "is nan, no number"),
        ({"score": "metrics.kills.all"}, {"kills": 2}, "'all' is not there"),
        ({"end": "metrics.ovre"}, {"over": True}, "Did you mean 'over'?"),
        ({"end": "metrics.over"}, {"over": "yes"}, "neither true nor false"),
    ],
)
def test_a_field_that_is_missing_or_of_the_wrong_type_is_told(
    given: dict[str, Any], metrics: dict[str, Any], told: str
) -> None:
    watch = TaskWatch(task(**given))
    assert watch.take(state(1, **metrics)) == "over"
    assert watch.ended == "truth"
    assert told in watch.why


def test_what_a_log_has_not_said_yet_is_no_fault() -> None:
    watch = TaskWatch(
        task(score="metrics.kills", end="metrics.over"), unsaid={"metrics.kills", "metrics.over"}
    )
    assert watch.take(state()) == "on"
    assert (watch.score, watch.progress) == (None, 0)
    assert watch.take(state(kills=5)) == "on"
    assert watch.progress == 0.5


def test_budgets_end_it() -> None:
    steps, time, neither = (TaskWatch(task(steps=5, seconds=20), seconds=30) for _ in range(3))
    steps.stepped(5)
    steps.close(seconds=1)
    assert steps.ended == "steps"
    assert not time.late(19.9)
    assert time.late(20)
    time.close(seconds=20)
    assert time.ended == "time"
    neither.close(seconds=19)
    assert neither.ended is None


def test_what_stands_counts_when_time_is_over_and_not_before() -> None:
    watch = TaskWatch(task(start=-21, standing="metrics.standing"), seconds=60)
    watch.stepped(1)
    for standing in (5, 12, 4):
        assert watch.take(state(-21, standing=standing)) == "on", "a lead is no end: it may be lost again"
    assert watch.best == -21
    watch.close(seconds=60)
    assert (watch.ended, watch.best, watch.success) == ("time", 4, False)
