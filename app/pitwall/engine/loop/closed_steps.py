"""Steps that are over and wait for the receipts of their last events before they are recorded."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.frames import Pixels
from pitwall.core.steps import StepRecord
from pitwall.engine.decision.open_step import OpenStep
from pitwall.engine.recording.run_figures import RunFigures


class ClosedSteps:
    """Records steps in order, once their receipts are in (or are not coming).

    Args:
        on_step: takes a finished step and the pixels it was decided on.
        on_event: records an event: kind, text, step.
    """

    def __init__(
        self,
        figures: RunFigures,
        on_step: Callable[[StepRecord, Pixels], None],
        on_event: Callable[[str, str, int], None],
    ) -> None:
        self._figures = figures
        self._on_step = on_step
        self._on_event = on_event
        self._steps: list[OpenStep] = []

    @property
    def next_due_ns(self) -> int | None:
        """Return the time at which the first step stops waiting for its receipts; None if none waits."""
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
            self._figures.count(record)
            if record.reasons:
                self._on_event("escalation", record.why, record.step)
            if step.refusals:
                causes = ", ".join(sorted({refusal.value for refusal in step.refusals}))
                self._on_event("refusal", f"{record.action}: {causes}", record.step)
            self._on_step(record, step.pixels)
