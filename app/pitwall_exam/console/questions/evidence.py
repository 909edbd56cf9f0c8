"""The evidence of a question: the steps from which it follows, each with its frame, action and reason."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Button,
    EmptyState,
    KeyValue,
    Label,
    SectionTitle,
    column,
    holder,
    row,
)
from pitwall.console.kit.format import step_time
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import SMALL_PX, STEP, Look
from pitwall.console.services.background import RunLogWorker
from pitwall.core.errors import UnknownRun
from pitwall.core.quantities import NONE, counted
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunReader
from pitwall_exam.episode.record import reason_of

_ROW_HEIGHT = 26
_SHOWN_MOST = 60
"""Most steps listed for one question; a range is represented by its two ends."""
_LISTED_MOST = 7


@dataclass(frozen=True, slots=True)
class Evidence:
    """A step of the evidence.

    Attributes:
        truth: the truth follows from it. by: names of the answerers that cite it.
        record: the step in the run log; None if it is not read yet, or missing.
    """

    step: int
    truth: bool
    by: tuple[str, ...] = ()
    record: StepRecord | None = None

    @property
    def named_by(self) -> str:
        """Return the names of those who cite the step."""
        return ", ".join((*(("truth",) if self.truth else ()), *self.by))


def evidence_of(truth: Sequence[int], answers: Mapping[str, Sequence[int]]) -> list[Evidence]:
    """List every step that the truth or an answer cites, rising.

    Args:
        answers: name of an answerer → its steps.
    """
    steps = sorted({*truth, *(step for named in answers.values() for step in named)})
    return [
        Evidence(step, step in truth, tuple(name for name, named in answers.items() if step in named))
        for step in steps[:_SHOWN_MOST]
    ]


class EvidenceView(QWidget):
    """A list of steps, and the chosen one with its frame.

    Signals: step_wanted(run, step): show it in the replay.
    Attributes: listed: the listed steps.
    """

    step_wanted = Signal(int, int)

    def __init__(self, look: Look, reading: RunLogWorker) -> None:
        super().__init__()
        self._reading = reading
        self._run, self._asked, self._read = 0, 0, False
        self.listed: list[Evidence] = []
        self._title = SectionTitle("Evidence")
        self.steps = RowList(look, "Evidence steps", _ROW_HEIGHT, most=_LISTED_MOST)
        self.frame = StillImage(look)
        self._head = Label("", "strong")
        self._why = Label("", "dim", wrap=True)
        self._lines = {name: KeyValue(name) for name in ("Action", "Decided", "Named by")}
        self.replay = Button("Show in the replay", self.show_step, name="Show this step in the replay")
        self.replay.setToolTip("Opens the Runs page at this step (Ctrl+R)")
        self._none = EmptyState("", "", width=300)
        facts = column(self._head, self._why, *self._lines.values(), row(self.replay, None), gap=STEP)
        self._narrow = holder(column(self.frame, facts))
        self.setLayout(column(self._title, self.steps, self._narrow, self._none, None))
        self.steps.chosen.connect(lambda _: self._show(self._evidence))
        self.steps.opened.connect(lambda _: self.show_step())
        self.show_evidence(0, [], why="Choose a question to see the steps its truth follows from.")

    def shows(self, run_id: int, evidence: Sequence[Evidence]) -> bool:
        """Return whether exactly these steps are listed."""
        named = [(entry.step, entry.named_by) for entry in self.listed]
        return (
            bool(named)
            and run_id == self._run
            and named == [(entry.step, entry.named_by) for entry in evidence]
        )

    @property
    def step(self) -> int:
        """Return the step in view; 0: none."""
        return self.steps.current or 0

    def show_evidence(self, run_id: int, evidence: Sequence[Evidence], why: str = "") -> None:
        """Show other steps.

        Args:
            why: the note if there are none.
        """
        before = self.step if run_id == self._run else 0
        self._run, self.listed = run_id, list(evidence)
        self._asked += 1
        self._read = False
        self._title.set_note(counted(len(evidence), "step") if evidence else "")
        for widget in (self.steps, self._narrow):
            widget.setVisible(bool(evidence))
        self._none.setVisible(not evidence)
        self._none.say("No steps to show", why)
        self._none.setMinimumHeight(130)
        if evidence:
            self._fill(before)
            self._reading.ask(
                partial(_records, run_id=run_id, steps=[entry.step for entry in evidence]),
                partial(self._take, self._asked),
            )

    # ---- inside

    @property
    def _evidence(self) -> Evidence | None:
        return next((entry for entry in self.listed if entry.step == self.step), None)

    def _fill(self, step: int) -> None:
        """List the steps and show this one, or else the first from which the truth follows."""
        steps = [entry.step for entry in self.listed]
        begins = next((entry.step for entry in self.listed if entry.truth), steps[0])
        self.steps.show_rows([_row(entry) for entry in self.listed], step if step in steps else begins)
        self._show(self._evidence)

    def _take(self, asked: int, records: Mapping[int, StepRecord]) -> None:
        if asked != self._asked:
            return
        self._read = True
        self.listed = [
            Evidence(entry.step, entry.truth, entry.by, records.get(entry.step)) for entry in self.listed
        ]
        self._fill(self.step)

    def _show(self, evidence: Evidence | None) -> None:
        if evidence is None:
            return
        record = evidence.record
        time = f" · {step_time(record)}" if record is not None else ""
        self._head.set_text(f"Step {evidence.step:,}{time}")
        self._lines["Named by"].set_value(evidence.named_by)
        self._lines["Action"].set_value(str(record.action) if record is not None else NONE)
        self._lines["Decided"].set_value(record.route.value if record is not None else NONE)
        self._why.set_text(reason_of(record) if record is not None else "")
        self.replay.setEnabled(record is not None)
        if record is None:
            note = "The run log does not have this step." if self._read else "Reading the run log …"
            self.frame.show_image(QImage(), "", note)
            return
        asked = self._asked

        def show(image: QImage) -> None:
            if asked == self._asked and self.step == record.step:
                note = "The frame's file is gone." if record.frame_ref else "No frame of this step was kept."
                self.frame.show_image(image, f"Frame of step {record.step}", note)

        self._reading.ask_image(self._run, record.frame_ref, show)

    def show_step(self) -> None:
        if self._run and self.step:
            self.step_wanted.emit(self._run, self.step)


def _records(reader: RunReader, run_id: int, steps: Sequence[int]) -> Mapping[int, StepRecord]:
    """Read steps by number; those missing in the log are left out."""
    records = {}
    with contextlib.suppress(UnknownRun):  # the run is gone: none of its steps is there
        for step in steps:
            for record in reader.steps(run_id, step, 1):
                if record.step == step:
                    records[step] = record
    return records


def _row(entry: Evidence) -> ListRow:
    action = str(entry.record.action) if entry.record is not None else "…"
    number = Words(f"{entry.step:,}", px=SMALL_PX, bold=True, width=52)
    by = Words("truth" if entry.truth else "answer", "faint", SMALL_PX)
    description = f"Step {entry.step}, {action}, named by {entry.named_by}"
    return ListRow(entry.step, (Line((number, Words(action, "dim", SMALL_PX)), by),), description)
