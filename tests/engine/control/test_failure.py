"""Failure levels: what raises them, what lowers them, and what the planner is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.core.actions import Effect, Invalid, Refusal, SemanticAction
from pitwall.core.signals import Failure
from pitwall.engine.control.failure import ENVIRONMENT, TRACE_LENGTH, FailureTracker, Outcome
from pitwall.models.replies.plan import Reflection

FORWARD = SemanticAction(name="forward")
SEEN = Outcome(step=1, action=FORWARD, effect=Effect.CONFIRMED)
UNSEEN = Outcome(step=1, action=FORWARD, effect=Effect.UNVERIFIED)
NOTHING = Outcome(step=1, action=FORWARD, effect=Effect.NONE)
INVALID = Outcome(step=1, action=FORWARD, effect=Effect.NONE, invalid=Invalid.OUT_OF_SPACE)
PROGRESS = Outcome(step=1, action=FORWARD, effect=Effect.UNVERIFIED, progressed=True)


def refused(*causes: Refusal, effect: Effect = Effect.NONE) -> Outcome:
    return Outcome(step=1, action=FORWARD, effect=effect, refusals=causes)


@pytest.mark.parametrize(
    ("outcomes", "levels"),
    [
        ([SEEN], [0]),
        ([NOTHING], [0]),
        ([UNSEEN, SEEN], [1, 0]),
        ([UNSEEN, UNSEEN, SEEN], [1, 1, 0]),
        ([UNSEEN, UNSEEN, UNSEEN], [1, 1, 2]),
        ([UNSEEN, UNSEEN, PROGRESS, UNSEEN, UNSEEN], [1, 1, 0, 1, 1]),
        ([UNSEEN, UNSEEN, NOTHING, UNSEEN], [1, 1, 1, 2]),
        ([INVALID], [2]),
        ([INVALID, SEEN, SEEN], [2, 1, 0]),
        ([INVALID, INVALID, INVALID], [2, 2, 3]),
        ([INVALID, SEEN, SEEN, SEEN, INVALID, INVALID], [2, 1, 0, 0, 2, 2]),
        ([INVALID, SEEN, INVALID, SEEN, INVALID], [2, 1, 2, 1, 3]),
        ([UNSEEN] * 9, [1, 1, 2, 2, 2, 2, 2, 2, 3]),
        ([refused(Refusal.RATE)], [1]),
        ([refused(Refusal.HELD_CAP), SEEN], [1, 0]),
        ([refused(Refusal.NOT_ALLOWED)], [2]),
        ([refused(Refusal.FORBIDDEN)], [2]),
        ([refused(Refusal.UNKNOWN_KEY, Refusal.FOCUS)], [2]),
    ],
)
def test_levels(outcomes: list[Outcome], levels: list[int]) -> None:
    tracker = FailureTracker()
    assert [int(tracker.note(outcome)) for outcome in outcomes] == levels


def judged(failure: Failure, *, effect: bool = True) -> Reflection:
    return Reflection(effect=effect, cause="a wall", next="turn", done=False, failure=failure, confidence=0.9)


@pytest.mark.parametrize(
    ("before", "verdict", "seen", "level"),
    [
        ([SEEN], judged(Failure.NONE), True, 0),
        ([SEEN], judged(Failure.NONE, effect=False), True, 1),
        ([UNSEEN, UNSEEN], judged(Failure.NONE, effect=False), True, 2),
        ([UNSEEN], judged(Failure.LOCAL, effect=False), False, 1),
        ([UNSEEN], judged(Failure.ERROR, effect=False), False, 2),
        ([INVALID], judged(Failure.ERROR), False, 2),
        ([INVALID, INVALID], judged(Failure.HARD), False, 3),
        ([SEEN], judged(Failure.HARD), True, 3),
    ],
)
def test_a_reflection_feeds_the_level(
    before: list[Outcome], verdict: Reflection, seen: bool, level: int
) -> None:
    tracker = FailureTracker()
    for outcome in before:
        tracker.note(outcome)
    tracker.reflected(verdict, step=1, action="forward", source="model:m", seen=seen)
    assert int(tracker.level) == level
    if verdict.failure or not verdict.effect:
        assert tracker.trace[-1].problem == "a wall", "the planner reads the cause that the model found"


@pytest.mark.parametrize("cause", sorted(ENVIRONMENT))
@pytest.mark.parametrize("effect", [Effect.NONE, Effect.UNVERIFIED])
def test_what_the_environment_refused_is_no_failure(cause: Refusal, effect: Effect) -> None:
    tracker = FailureTracker()
    for _ in range(10):
        assert tracker.note(refused(cause, effect=effect)) is Failure.NONE
    assert tracker.trace == ()


def test_every_refusal_is_judged() -> None:
    quiet = {cause for cause in Refusal if FailureTracker().note(refused(cause)) is Failure.NONE}
    assert quiet == ENVIRONMENT


def test_the_trace_names_step_action_source_and_problem() -> None:
    tracker = FailureTracker()
    tracker.note(Outcome(step=7, action=FORWARD, effect=Effect.UNVERIFIED, source="skill:walk"))
    tracker.plan_failed(step=9, action="forward", source="skill:walk", problem="repeated 5 times")
    tracker.stall(step=11, source="skill:turn", steps=4)
    assert [(note.number, note.step, note.action, note.source) for note in tracker.trace] == [
        (1, 7, "forward", "skill:walk"),
        (2, 9, "forward", "skill:walk"),
        (3, 11, "", "skill:turn"),
    ]
    assert [note.transient for note in tracker.trace] == [True, False, False]
    assert all(note.problem for note in tracker.trace)


def test_a_stall_is_evidence_but_no_failure_of_an_action() -> None:
    tracker = FailureTracker()
    tracker.stall(step=1, source="skill:wait", steps=4)
    assert tracker.level is Failure.NONE


def test_the_trace_is_short() -> None:
    tracker = FailureTracker()
    for _ in range(3 * TRACE_LENGTH):
        tracker.note(UNSEEN)
    assert [note.number for note in tracker.trace] == list(range(2 * TRACE_LENGTH + 1, 3 * TRACE_LENGTH + 1))


def test_a_new_plan_gets_its_own_chance_but_errors_are_remembered() -> None:
    tracker = FailureTracker()
    tracker.note(INVALID)
    tracker.replanned()
    assert tracker.level is Failure.LOCAL
    tracker.note(INVALID)
    tracker.replanned()
    assert tracker.note(INVALID) is Failure.HARD


def test_a_flush_ends_a_hard_failure_with_its_trace_and_counts() -> None:
    tracker = FailureTracker()
    for _ in range(3):
        tracker.note(INVALID)
    last = tracker.trace[-1].number
    tracker.replanned()
    assert tracker.level is Failure.NONE
    assert not tracker.trace
    assert tracker.note(INVALID) is Failure.ERROR
    assert tracker.trace[0].number == last + 1


_outcomes = st.lists(
    st.sampled_from([SEEN, UNSEEN, NOTHING, INVALID, PROGRESS, refused(Refusal.RATE), refused(Refusal.FOCUS)])
)


@given(_outcomes)
def test_confirmed_effects_always_lead_back_to_normal(before: Sequence[Outcome]) -> None:
    tracker = FailureTracker()
    for outcome in before:
        tracker.note(outcome)
    levels = [int(tracker.note(SEEN)) for _ in range(3)]
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == 0
