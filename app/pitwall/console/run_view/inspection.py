"""The decision inspector on the Runs page: any recorded step, read from the run log beside the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from pitwall.console.inspector.format import Decision
from pitwall.console.inspector.panel import DecisionInspector
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import RunLogWorker
from pitwall.console.state.model_calls import Call
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunReader, RunRow


@dataclass(slots=True)
class _Walk:
    """The run that is walked through.

    Attributes:
        with_calls: steps that a model was asked for, ascending.
    """

    run: RunRow
    step: int
    with_calls: tuple[int, ...] = ()


class RunInspection(QObject):
    """Feeds the inspector from a recorded run.

    Signals:
        opened(): the step that was asked for is shown.
        why_wanted(run_id, step): show what the memory was asked for it.
    """

    opened = Signal()
    why_wanted = Signal(int, int)

    def __init__(self, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._reading = reading
        self._walk: _Walk | None = None
        self.inspector = DecisionInspector(look, live=False)
        self.inspector.wanted.connect(self._go_to)
        self.inspector.picture_wanted.connect(self._read_picture)
        self.inspector.why_wanted.connect(self._ask_why)

    @property
    def place(self) -> tuple[int, int] | None:
        """Return the run and the step in view."""
        return (self._walk.run.run_id, self._walk.step) if self._walk is not None else None

    def open(self, run: RunRow, step: int) -> None:
        """Show a step of a run."""
        walk = self._walk = _Walk(run, step)

        def show(counts: dict[int, int]) -> None:
            if walk is self._walk:
                walk.with_calls = tuple(sorted(step for step, count in counts.items() if count))
                self._read(self.opened.emit)

        self._reading.ask(lambda reader: reader.calls_by_step(run.run_id), show)

    # ---- inside

    def _ask_why(self, step: int) -> None:
        if self._walk is not None:
            self.why_wanted.emit(self._walk.run.run_id, step)

    def _go_to(self, step: int) -> None:
        if self._walk is not None:
            self._walk.step = step
            self._read()

    def _read(self, then: Callable[[], object] = lambda: None) -> None:
        walk = self._walk
        if walk is None:
            return
        run_id, step = walk.run.run_id, walk.step

        def show(read: tuple[StepRecord | None, tuple[Call, ...], bool]) -> None:
            if walk is self._walk and step == walk.step:
                self._show(walk, *read)
                then()

        self._reading.ask(lambda reader: _read_step(reader, run_id, step), show)

    def _show(self, walk: _Walk, record: StepRecord | None, calls: tuple[Call, ...], retrieved: bool) -> None:
        self.inspector.show_decision(
            Decision(
                step=walk.step,
                record=record,
                calls=calls,
                last=max(walk.run.summary.steps, walk.step, *walk.with_calls),
                with_calls=walk.with_calls,
                retrieved=retrieved,
            )
        )

    def _read_picture(self, call: Call) -> None:
        if self._walk is None or call.record is None or not call.record.image_ref:
            return

        def show(image: QImage) -> None:
            self.inspector.show_picture(call, image, "The picture's file is gone.")

        self._reading.ask_image(self._walk.run.run_id, call.record.image_ref, show)


def _read_step(reader: RunReader, run_id: int, step: int) -> tuple[StepRecord | None, tuple[Call, ...], bool]:
    """Read a step, its calls, and whether the memory was asked.

    The step is None where the run ended while a model was asked for it.
    """
    calls = tuple(
        Call.recorded(
            record,
            reader.prompt(record.prompt_hash),
            (reader.text(record.grammar_hash) or "") if record.grammar_hash else "",
        )
        for record in reader.calls(run_id, step)
    )
    records = reader.steps(run_id, step, 1)
    record = records[0] if records and records[0].step == step else None
    return record, calls, reader.retrieval(run_id, step) is not None
