"""Recorded runs under other thresholds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plain_records import step_record

from pitwall.core.actions import SemanticAction
from pitwall.core.signals import Failure, Reason, Route, Thresholds
from pitwall.core.steps import StepRecord
from pitwall.engine.trigger.event_trigger import EventTrigger, replay

World = list[tuple[float, bool, Failure, bool, str]]
"""A run's steps: change, whether progress grew, failure, requested, action."""


def _record_run(world: World, thresholds: Thresholds) -> list[StepRecord]:
    trigger, progress, records = EventTrigger(thresholds), 0, []
    for step, (change, grew, failure, requested, action) in enumerate(world, start=1):
        progress += grew
        decision = trigger.step(change=change, progress=progress, failure=failure, requested=requested)
        if decision.escalate:
            trigger.planned()
        taken = SemanticAction(name=action)
        trigger.acted(str(taken))
        records.append(
            step_record(
                step,
                at_ns=step,
                route=Route.STRATEGIC if decision.escalate else Route.REACTIVE,
                reasons=decision.reasons,
                signals=decision.signals,
                action=taken,
            )
        )
    return records


STEP = st.tuples(
    st.sampled_from([0.0, 0.2, 0.34, 0.35, 0.9]),
    st.booleans(),
    st.sampled_from(Failure),
    st.booleans(),
    st.sampled_from(["walk", "turn"]),
)
THRESHOLDS = st.builds(
    Thresholds,
    refresh_steps=st.integers(1, 8),
    scene_change=st.floats(0, 1),
    stall_steps=st.integers(1, 6),
    loop_repeats=st.integers(2, 6),
    loop_stall_steps=st.integers(0, 4),
    repetition_window=st.integers(2, 8),
    failure_level=st.integers(1, 3),
)


@given(world=st.lists(STEP, max_size=40), thresholds=THRESHOLDS)
@settings(max_examples=60, deadline=None)
def test_its_own_thresholds_give_the_recorded_decisions(world: World, thresholds: Thresholds) -> None:
    records = _record_run(world, thresholds)
    decisions = replay(records, thresholds)
    assert [decision.signals for decision in decisions] == [record.signals for record in records]
    assert [decision.reasons for decision in decisions] == [record.reasons for record in records]


@given(world=st.lists(STEP, max_size=40), recorded=THRESHOLDS, tried=THRESHOLDS)
@settings(max_examples=60, deadline=None)
def test_other_thresholds_give_what_the_same_world_would_have_given(
    world: World, recorded: Thresholds, tried: Thresholds
) -> None:
    expected = _record_run(world, tried)
    decisions = replay(_record_run(world, recorded), tried)
    assert [decision.reasons for decision in decisions] == [record.reasons for record in expected]


def test_a_later_refresh_asks_less_often() -> None:
    world: World = [(0.0, True, Failure.NONE, False, f"action {number % 3}") for number in range(20)]
    records = _record_run(world, Thresholds())
    often = sum(Reason.REFRESH in decision.reasons for decision in replay(records, Thresholds()))
    seldom = replay(records, Thresholds(refresh_steps=9))
    assert often == 4
    assert sum(Reason.REFRESH in decision.reasons for decision in seldom) == 2


def test_nothing_recorded_nothing_replayed() -> None:
    assert replay([], Thresholds()) == []
