"""The event trigger: a pure state machine over the signals of SPEC §1. No clock, no pixels, no I/O."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from pitwall.core.signals import WEIGHED, Failure, Reason, Signals, Thresholds, TriggerDecision
from pitwall.core.steps import StepRecord

_MOST_ACTIONS = 50
"""The widest repetition window that thresholds allow."""


class EventTrigger:
    """Decides at each step whether to stay reactive or to escalate.

    One step is: `step` at its boundary, `planned` if a strategic call was made in it, then `acted`.
    On the first step z, r and k are 0, and so is d, because there is no earlier frame.

    Args:
        thresholds: in force from the next call on; may be replaced at any time.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self._actions: deque[str] = deque(maxlen=_MOST_ACTIONS)
        self._progress: int | None = None
        self._stall = 0
        self._stall_before = 0
        self._since_strategic = 0
        self._called_now = False
        self._failure = Failure.NONE

    def step(self, *, change: float, progress: int, failure: Failure, requested: bool) -> TriggerDecision:
        """Begin a step and decide.

        Args:
            change: d of the step's frame against the previous step's.
            progress: p, counted since the run began.
            failure: the failure level since the previous step.
            requested: the reactive controller asked for the strategic one.

        Returns:
            The signals now, and every reason that holds, in SPEC's order.
        """
        if self._progress is not None:
            grew = progress > self._progress
            self._stall_before, self._stall = self._stall, 0 if grew else self._stall + 1
        self._progress = progress
        self._failure = failure
        self._called_now = False
        signals = self.signals(change)
        return TriggerDecision(signals=signals, reasons=_reasons(signals, requested, self.thresholds))

    def preview(self, *, change: float, progress: int, failure: Failure, requested: bool) -> TriggerDecision:
        """Return the decision that `step` would make now; changes nothing."""
        stall, before = self._stall, self._failure
        if self._progress is not None:
            self._stall = 0 if progress > self._progress else self._stall + 1
        self._failure = failure
        signals = replace(self.signals(change), progress=progress)
        self._stall, self._failure = stall, before
        return TriggerDecision(signals=signals, reasons=_reasons(signals, requested, self.thresholds))

    def planned(self) -> None:
        """Note that a strategic call was made: k = 0. The action of the same step is not a reactive one."""
        self._since_strategic = 0
        self._called_now = True

    def no_progress(self, progress: int) -> None:
        """Note that the last step's progress was none after all: z goes on from its value before that step.

        Args:
            progress: p without it.
        """
        self._progress, self._stall = progress, self._stall_before + 1

    def acted(self, action: str) -> None:
        """Note the step's action, as text that is equal for equal actions.

        While a module runs, call it once for each step that is counted (one a second).
        """
        self._actions.append(action)
        if not self._called_now:
            self._since_strategic += 1

    def interrupts(self, change: float) -> bool:
        """Return whether a frame between two steps changed so much that the next step begins at once."""
        return change >= self.thresholds.scene_change

    def signals(self, change: float) -> Signals:
        """Return the present signals, with the change of the newest frame."""
        return Signals(
            change=change,
            progress=self._progress or 0,
            stall=self._stall,
            repetition=self._repetition(),
            since_strategic=self._since_strategic,
            failure=self._failure,
        )

    def _repetition(self) -> int:
        """Return the length of the tail of equal actions within the last W."""
        length = 0
        for action in reversed(self._actions):
            if action != self._actions[-1] or length == self.thresholds.repetition_window:
                break
            length += 1
        return length


def _reasons(signals: Signals, requested: bool, thresholds: Thresholds) -> tuple[Reason, ...]:
    reasons = {signal.reason for signal in WEIGHED.values() if signal.holds(signals, thresholds)}
    if requested:
        reasons.add(Reason.REQUESTED)
    return tuple(reason for reason in Reason if reason in reasons)


def replay(records: Iterable[StepRecord], thresholds: Thresholds) -> list[TriggerDecision]:
    """Run the trigger with other thresholds over a recorded run's steps, from its first one on.

    Taken as recorded: change, progress, failure levels, requests, actions. Computed from the thresholds: z, r
    within the new window, and k, where each escalation counts as a strategic call. A scene cut between two
    steps ended a step early in the recorded run; other thresholds cannot bring those frames back.

    Returns:
        A decision for each record. With the run's own thresholds they are the recorded ones, if each
        recorded escalation led to a call.
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
