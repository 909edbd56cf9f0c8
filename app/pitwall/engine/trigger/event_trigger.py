"""The event trigger: a pure state machine over the signals of SPEC §1. No clock, no pixels, no I/O."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from pitwall.core.signals import WEIGHED, Failure, Reason, Signals, Thresholds, TriggerDecision

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
        self._since_strategic = 0
        self._called_now = False
        self._failure = Failure.NONE

    def step(self, *, change: float, progress: int, failure: Failure, requested: bool) -> TriggerDecision:
        """Begin a step and decide.

        Args:
            change: d of the step's frame against the previous step's.
            progress: p, counted since the run began.
            failure: level found since the previous step.
            requested: the reactive controller asked for the strategic one.

        Returns:
            The signals as they stood, and every reason that holds, in SPEC's order.
        """
        if self._progress is not None:
            self._stall = 0 if progress > self._progress else self._stall + 1
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
        """A strategic call was made: k = 0. The action of the same step is not a reactive one."""
        self._since_strategic = 0
        self._called_now = True

    def acted(self, action: str) -> None:
        """The step's action, as text that is equal for equal actions.

        While a module runs, call it once for each step that is counted (one a second).
        """
        self._actions.append(action)
        if not self._called_now:
            self._since_strategic += 1

    def interrupts(self, change: float) -> bool:
        """Whether a frame between two steps has changed so much that the next step begins at once."""
        return change >= self.thresholds.scene_change

    def signals(self, change: float) -> Signals:
        """The signals as they stand now, with the change of the newest frame."""
        return Signals(
            change=change,
            progress=self._progress or 0,
            stall=self._stall,
            repetition=self._repetition(),
            since_strategic=self._since_strategic,
            failure=self._failure,
        )

    def _repetition(self) -> int:
        """Length of the tail of equal actions within the last W."""
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
