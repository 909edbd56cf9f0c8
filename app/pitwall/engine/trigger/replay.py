"""Replays the trigger over a recorded run with other thresholds."""

from __future__ import annotations

from collections.abc import Iterable

from pitwall.core.signals import Reason, Thresholds, TriggerDecision
from pitwall.core.steps import StepRecord
from pitwall.engine.trigger.event_trigger import EventTrigger


def replay(records: Iterable[StepRecord], thresholds: Thresholds) -> list[TriggerDecision]:
    """Run the trigger again over a run's steps, from its first one on.

    What the world did is taken as recorded: change, progress, failure levels, requests, actions.
    What follows from the thresholds is computed anew: z, r within the new window, and k, where each
    escalation counts as a strategic call. Scenes cut between two steps ended steps early in the
    recorded run; other thresholds cannot bring those frames back.

    Returns:
        One decision a record. With the run's own thresholds they are the recorded ones, as far as
        each recorded escalation led to a call.
    """
    trigger = EventTrigger(thresholds)
    decisions: list[TriggerDecision] = []
    for record in records:
        decision = trigger.step(
            change=record.signals.change,
            progress=record.signals.progress,
            failure=record.signals.failure,
            requested=Reason.REQUESTED in record.reasons,
        )
        decisions.append(decision)
        if decision.escalate:
            trigger.planned()
        trigger.acted(str(record.action))
    return decisions
