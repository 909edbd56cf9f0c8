"""The trigger's state machine: each signal, each threshold, each edge."""

from __future__ import annotations

import pytest

from pitwall.core.signals import Failure, Reason, Signals, Thresholds, TriggerDecision
from pitwall.engine.trigger.event_trigger import EventTrigger


def _step(
    trigger: EventTrigger,
    *,
    change: float = 0.0,
    progress: int = 0,
    failure: Failure = Failure.NONE,
    requested: bool = False,
    action: str = "",
) -> TriggerDecision:
    """One whole step; without an action named, each acts differently."""
    decision = trigger.step(change=change, progress=progress, failure=failure, requested=requested)
    if decision.escalate:
        trigger.planned()
    trigger.acted(action or f"action {id(decision)}")
    return decision


def _calm(**changed: float) -> Thresholds:
    """Thresholds that never hold, but for the named ones."""
    never = {
        "refresh_steps": 1000,
        "scene_change": 2.0,
        "stall_steps": 1000,
        "loop_repeats": 50,
        "loop_stall_steps": 1000,
        "failure_level": 3,
    }
    return Thresholds.model_validate({**never, **changed})


def test_the_first_step_is_all_zero_and_stays_reactive() -> None:
    decision = EventTrigger(Thresholds()).step(change=0.0, progress=7, failure=Failure.NONE, requested=False)
    assert decision.signals == Signals(progress=7)
    assert decision.reasons == () and not decision.escalate


@pytest.mark.parametrize(
    ("change", "reasons"),
    [(0.0, ()), (0.3499, ()), (0.35, (Reason.SCENE,)), (0.3501, (Reason.SCENE,)), (1.0, (Reason.SCENE,))],
)
def test_scene(change: float, reasons: tuple[Reason, ...]) -> None:
    trigger = EventTrigger(Thresholds())
    assert trigger.interrupts(change) is bool(reasons)
    assert _step(trigger, change=change).reasons == reasons


def test_refresh_comes_after_four_reactive_steps() -> None:
    trigger = EventTrigger(_calm(refresh_steps=4))
    seen = [_step(trigger, progress=step).signals.since_strategic for step in range(11)]
    assert seen == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0]


def test_refresh_holds_until_a_call_is_made() -> None:
    trigger = EventTrigger(_calm(refresh_steps=2))
    decisions = []
    for step in range(5):
        decisions.append(
            trigger.step(change=0.0, progress=step, failure=Failure.NONE, requested=False).reasons
        )
        trigger.acted(str(step))
    refresh = (Reason.REFRESH,)
    assert decisions == [(), (), refresh, refresh, refresh]


def test_a_call_between_steps_counts_from_the_next_action() -> None:
    trigger = EventTrigger(_calm())
    for step in range(3):
        _step(trigger, progress=step)
    trigger.planned()
    assert trigger.signals(0.0).since_strategic == 0
    assert [_step(trigger, progress=9 + step).signals.since_strategic for step in range(3)] == [0, 1, 2]


def test_reflex_steps_count_towards_refresh() -> None:
    trigger = EventTrigger(_calm(refresh_steps=4))
    for second in range(4):
        assert not _step(trigger, progress=second, action="reflex:autopilot").escalate
    assert _step(trigger, progress=4, action="reflex:autopilot").reasons == (Reason.REFRESH,)


def test_stall_counts_steps_in_which_progress_did_not_grow() -> None:
    trigger = EventTrigger(_calm(stall_steps=4))
    counted = [0, 0, 1, 1, 1, 1, 1, 2, 1]
    decisions = [_step(trigger, progress=p) for p in counted]
    assert [d.signals.stall for d in decisions] == [0, 1, 0, 1, 2, 3, 4, 0, 1]
    assert [d.escalate for d in decisions] == [False] * 6 + [True, False, False]
    assert decisions[6].reasons == (Reason.STALL,)


def test_repetition_is_the_tail_of_equal_actions_within_the_window() -> None:
    trigger = EventTrigger(_calm(repetition_window=5))
    actions = ["a", "b", "b", "a", "a", "a", "a", "a", "a", "a", "c"]
    seen = [_step(trigger, action=action).signals.repetition for action in actions]
    assert seen == [0, 1, 1, 2, 1, 2, 3, 4, 5, 5, 5]
    assert trigger.signals(0.0).repetition == 1


@pytest.mark.parametrize(
    ("repeats", "stalled", "loops"),
    [(5, 2, True), (4, 2, False), (5, 1, False), (4, 3, False), (5, 3, True)],
)
def test_a_loop_needs_both_repetition_and_a_stall(repeats: int, stalled: int, loops: bool) -> None:
    trigger = EventTrigger(_calm(loop_repeats=5, loop_stall_steps=2))
    progress = 0
    for number in range(repeats):
        progress += 1 if number <= repeats - stalled else 0
        _step(trigger, progress=progress, action="push")
    decision = trigger.step(change=0.0, progress=progress, failure=Failure.NONE, requested=False)
    assert (decision.signals.repetition, decision.signals.stall) == (repeats, stalled)
    assert decision.reasons == ((Reason.LOOP,) if loops else ())


@pytest.mark.parametrize(
    ("failure", "reasons"),
    [
        (Failure.NONE, ()),
        (Failure.LOCAL, ()),
        (Failure.ERROR, (Reason.FAILURE,)),
        (Failure.HARD, (Reason.FAILURE,)),
    ],
)
def test_failure_levels(failure: Failure, reasons: tuple[Reason, ...]) -> None:
    decision = _step(EventTrigger(Thresholds()), failure=failure)
    assert decision.reasons == reasons
    assert decision.signals.failure is failure


def test_a_request_escalates_at_any_threshold() -> None:
    assert _step(EventTrigger(_calm()), requested=True).reasons == (Reason.REQUESTED,)


def test_every_reason_that_holds_is_recorded_in_order() -> None:
    trigger = EventTrigger(Thresholds())
    for _ in range(5):
        trigger.step(change=0.0, progress=0, failure=Failure.NONE, requested=False)
        trigger.acted("walk")
    decision = trigger.step(change=0.9, progress=0, failure=Failure.HARD, requested=True)
    assert decision.reasons == tuple(reason for reason in Reason if reason is not Reason.SCHEDULE)
    assert decision.signals == Signals(
        change=0.9, progress=0, stall=5, repetition=5, since_strategic=5, failure=Failure.HARD
    )


def test_thresholds_change_while_it_runs() -> None:
    trigger = EventTrigger(_calm())
    for _ in range(3):
        assert not _step(trigger, action="walk").escalate
    trigger.thresholds = _calm(stall_steps=3)
    assert trigger.interrupts(0.5) is False
    assert _step(trigger, action="walk").reasons == (Reason.STALL,)
    trigger.thresholds = _calm(scene_change=0.5, repetition_window=2)
    assert trigger.interrupts(0.5) is True
    assert trigger.signals(0.1).repetition == 2
    trigger.thresholds = _calm(repetition_window=50)
    assert trigger.signals(0.1).repetition == 4


def test_signals_between_steps_do_not_count_as_a_step() -> None:
    trigger = EventTrigger(Thresholds())
    _step(trigger, progress=3, action="walk", failure=Failure.LOCAL)
    live = [trigger.signals(change) for change in (0.1, 0.2, 0.2)]
    assert live[0] == Signals(
        change=0.1, progress=3, stall=0, repetition=1, since_strategic=1, failure=Failure.LOCAL
    )
    assert live[1] == live[2]
    assert _step(trigger, progress=3).signals.stall == 1
