"""A run's input events on their way to the broker, and the steps that wait for the broker's receipts."""

from __future__ import annotations

import time
from collections.abc import Callable

from pitwall.core.actions import InputEvent, ResolvedAction
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import Receipt
from pitwall.core.input_settings import BrokerSettings
from pitwall.engine.action.executor import Executor
from pitwall.engine.action.pacing import Pacing
from pitwall.engine.decision.open_step import EventBatch, OpenStep
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.recording.run_figures import RunFigures

_TAP_S = 0.06


class InputDispatcher(Executor):
    """Times events, sends those that are due, and takes the broker's receipts.

    Args:
        inject: sends events that answer the frame of a given time; returns the batch number.
        limits: the broker's longest hold and its presses a second.
        rest_ms: least time between a release and the next step's press: a slow game misses shorter ones.
    """

    def __init__(
        self,
        inject: Callable[[tuple[InputEvent, ...], int], int],
        figures: RunFigures,
        *,
        limits: BrokerSettings,
        rest_ms: int = 0,
    ) -> None:
        self._rest_ns, self._released_ns = rest_ms * NS_PER_MS, 0
        self._inject = inject
        self._figures = figures
        self._presses = Pacing(limits.actions_per_second)
        super().__init__(longest_hold_ms=limits.hold_ms, pacing=self._presses)
        self._batches: dict[int, EventBatch] = {}

    def room_ns(self, now_ns: int, presses: int) -> int:
        """Return the time at which the broker has room for these presses and the game can tell them apart."""
        rested_ns = self._released_ns + self._rest_ns if self._rest_ns else 0
        return max(super().room_ns(now_ns, presses), rested_ns)

    def keep_within(self, limits: BrokerSettings) -> None:
        """Keep within these limits from now on: the broker does."""
        self.longest_hold_ns, self._presses.most = limits.hold_ms * NS_PER_MS, limits.actions_per_second

    def over(self, step: OpenStep) -> int:
        """Return when a step's action is over; events that still wait to be sent put it off."""
        return max(step.over_ns, self.next_due_ns or 0)

    def send(self, step: OpenStep | None, now: int, observed_ns: int, *, reacts: bool) -> None:
        """Send the events that are due.

        Args:
            step: the step they belong to. observed_ns: time of the screen they answer; 0 for none.
        """
        events = self.due(now)
        if events:
            self._send(step, events, observed_ns, reacts, due_ns=now)

    def release_all(self, step: OpenStep | None) -> None:
        """Cancel every action under way and release its keys."""
        releases = self.cancel()
        if releases:
            self._send(step, releases, 0, False)

    def tap(self, keys: ResolvedAction) -> None:
        """Press and release keys now, blocking for the length of a tap; for the end of a run."""
        for kind in ("key_down", "key_up"):
            self._send(
                None, tuple(event.event for event in keys.events if event.event.kind == kind), 0, False
            )
            time.sleep(_TAP_S if kind == "key_down" else 0.0)

    def receive(self, receipt: Receipt) -> OpenStep | None:
        """Take a receipt and return the step of its batch; None for a batch of another run."""
        batch = self._batches.pop(receipt.batch, None)
        if batch is None:
            return None
        for sent in receipt.events:
            if sent.refused is not None:
                self._figures.refusals[sent.refused.value] += 1
                self.refused(sent.event, batch.due_ns)
            elif sent.event.kind != "wait":
                self._figures.events_sent += 1
        if batch.step is not None:
            batch.step.receive(receipt, batch)
        return batch.step

    def _send(
        self,
        step: OpenStep | None,
        events: tuple[InputEvent, ...],
        observed_ns: int,
        reacts: bool,
        *,
        due_ns: int = 0,
    ) -> None:
        if any(event.kind in ("key_up", "mouse_up") for event in events):
            self._released_ns = now_ns()
        if step is not None:
            step.outstanding += 1
        self._batches[self._inject(events, observed_ns)] = EventBatch(step, observed_ns, reacts, due_ns)


class ClosedSteps:
    """Records finished steps in order, once their receipts have come or are overdue."""

    def __init__(self, figures: RunFigures, out: RunOutlets) -> None:
        self._figures, self._out = figures, out
        self._steps: list[OpenStep] = []

    @property
    def next_due_ns(self) -> int | None:
        """Return when the first step stops waiting for its receipts; None if none waits."""
        return self._steps[0].receipts_until_ns if self._steps else None

    def add(self, step: OpenStep) -> None:
        self._steps.append(step)

    def record(self, now: int, *, all_of_them: bool = False) -> None:
        """Record the steps that need not wait any longer."""
        while self._steps:
            step = self._steps[0]
            if not all_of_them and step.outstanding and now < step.receipts_until_ns:
                return
            self._steps.pop(0)
            record = step.record()
            self._figures.count(record, step.routed.decided_by)
            if record.reasons:
                self._out.on_event("escalation", record.why, record.step)
            if step.refusals:
                causes = ", ".join(sorted({refusal.value for refusal in step.refusals}))
                self._out.on_event("refusal", f"{record.action}: {causes}", record.step)
            self._out.on_step(record, step.pixels)
