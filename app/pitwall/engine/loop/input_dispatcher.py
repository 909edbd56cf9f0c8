"""A run's events on their way to the broker, and what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable

from pitwall.core.actions import InputEvent, ResolvedAction, SentEvent
from pitwall.core.injection import Receipt
from pitwall.core.input_settings import BrokerSettings
from pitwall.engine.action.executor import Executor
from pitwall.engine.action.pacing import Pacing
from pitwall.engine.decision.open_step import EventBatch, OpenStep
from pitwall.engine.recording.run_figures import RunFigures

_TAP_S = 0.06


class InputDispatcher(Executor):
    """Times events, sends those that are due, and takes in what the broker did with them.

    Args:
        inject: sends events that answer to a frame of a time to the broker; returns the batch number.
        limits: the broker's: how long a key may stay down, and how many presses a second it lets through.
    """

    def __init__(
        self,
        inject: Callable[[tuple[InputEvent, ...], int], int],
        figures: RunFigures,
        *,
        limits: BrokerSettings,
    ) -> None:
        self._inject = inject
        self._figures = figures
        super().__init__(longest_hold_ms=limits.hold_ms, pacing=Pacing(limits.actions_per_second))
        self._batches: dict[int, EventBatch] = {}

    def over(self, step: OpenStep) -> int:
        """Return the time at which a step's action is over: not while an event has still to go out, however
        late."""
        return max(step.over_ns, self.next_due_ns or 0)

    def send(self, step: OpenStep | None, now: int, observed_ns: int, *, reacts: bool) -> None:
        """Send what is due.

        Args:
            step: whose events they are. observed_ns: time of the screen that they answer to; 0 for none.
        """
        events = self.due(now)
        if events:
            self._send(step, events, observed_ns, reacts, due_ns=now)

    def release_all(self, step: OpenStep | None) -> None:
        """End every action under way; what is down comes up."""
        releases = self.cancel()
        if releases:
            self._send(step, releases, 0, False)

    def tap(self, keys: ResolvedAction) -> None:
        """Press and let go now, waiting as long as a tap takes: for the end of a run."""
        for kind in ("key_down", "key_up"):
            self._send(None, tuple(one.event for one in keys.events if one.event.kind == kind), 0, False)
            time.sleep(_TAP_S if kind == "key_down" else 0.0)

    def receive(self, receipt: Receipt) -> OpenStep | None:
        """Take in the broker's receipt and return the step of its batch; None for a batch of another run."""
        batch = self._batches.pop(receipt.batch, None)
        if batch is None:
            return None
        for sent in receipt.events:
            self._count(sent, batch)
        if batch.step is not None:
            batch.step.receive(receipt, batch)
        return batch.step

    def _count(self, sent: SentEvent, batch: EventBatch) -> None:
        if sent.refused is not None:
            self._figures.refusals[sent.refused.value] += 1
            self.refused(sent.event, batch.due_ns)
        elif sent.event.kind != "wait":
            self._figures.events_sent += 1

    def _send(
        self,
        step: OpenStep | None,
        events: tuple[InputEvent, ...],
        observed_ns: int,
        reacts: bool,
        *,
        due_ns: int = 0,
    ) -> None:
        if step is not None:
            step.outstanding += 1
        self._batches[self._inject(events, observed_ns)] = EventBatch(step, observed_ns, reacts, due_ns)
