"""Long work that ends with the window: evaluations, measurements, improve loops; each can be cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from pitwall.console.kit.elements import Button, Card, Label, column, row
from pitwall.console.kit.format import error_sentence, left
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE
from pitwall.console.lab.changes.drafts import DraftKey
from pitwall.console.lab.view_model import ModuleKey
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError

_PER_MILLE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LongJob:
    """One piece of long work.

    Attributes:
        title: "Evaluating v2 on the screen". unit: what its progress counts ("runs").
        version: which one it is about; empty for the module. draft: what the operator wrote for it, which a
            version is made of.
        words: takes the answer; what is said once it is done.
    """

    key: ModuleKey
    title: str
    arguments: Sequence[str]
    version: str = ""
    draft: DraftKey | None = None
    unit: str = ""
    words: Callable[[Any], str] = lambda _: "Done."


class JobRow(Card):
    """One line: what it is, how far, how long still; the answer stays until it is dismissed.

    Signals: ended(answer): None where it failed or was cancelled. dismissed().
    """

    ended = Signal(object)
    dismissed = Signal()

    def __init__(self, work: LongJob) -> None:
        super().__init__(gap=STEP)
        self.work = work
        self.failed = False
        self._began = time.monotonic()
        self._doing = ""
        self._said = Label("", "dim")
        self._answer = Label("", wrap=True)
        self._answer.hide()
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Progress: {work.title}")
        self._cancel = Button("Cancel", self.cancel, kind="quiet", name=f"Cancel: {work.title}")
        self._dismiss = Button("Dismiss", self.dismissed.emit, kind="quiet", name=f"Dismiss: {work.title}")
        self._dismiss.hide()
        title = Label(f"{work.title} · {work.key}", "strong")
        line = row(title, self._said, self._answer, self._cancel, self._dismiss)
        line.setStretch(1, 1)
        line.setStretch(2, 1)
        self.body.addLayout(line)
        self.body.addWidget(self._bar)
        self.body.setContentsMargins(PAD, STEP, STEP, STEP)
        self.job = Job(self)
        self.job.progressed.connect(self._progressed)
        self.job.line.connect(self._told)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(lambda: self._end("Cancelled; what was done so far is kept.", None))
        self.job.start(work.arguments)

    @property
    def text(self) -> str:
        """What the line says, as shown."""
        return " ".join(filter(None, (self.work.title, self._said.full_text(), self._answer.full_text())))

    def cancel(self) -> None:
        self._said.set_text("being cancelled …")
        self.job.cancel()

    def _progressed(self, done: int, total: int) -> None:
        if total <= 0:
            return
        self._bar.setRange(0, _PER_MILLE)
        self._bar.setValue(round(_PER_MILLE * min(1.0, done / total)))
        spent = time.monotonic() - self._began
        still = left(spent * (total - done) / done) if 0 < done < total else ""
        counted = f"{done:,} of {total:,} {self.work.unit}".rstrip()
        self._said.set_text(" · ".join(filter(None, (self._doing, counted, still))))

    def _told(self, line: Any) -> None:
        """A command of several steps says what it does now, beside how far it is."""
        if isinstance(line, dict) and isinstance(line.get("doing"), str):
            if line["doing"] != self._doing:
                self._began = time.monotonic()
            self._doing = line["doing"]
            self._said.set_text(self._doing)

    def _answered(self, answer: Any) -> None:
        self._end(self.work.words(answer), answer, sign="✓ ")

    def _failed(self, error: PitwallError) -> None:
        self.set_tone("stop")
        self._end(error_sentence(error), None, sign="! ")

    def _end(self, text: str, answer: Any, sign: str = "") -> None:
        self._answer.set_text(f"{sign}{text}")
        self._answer.show()
        self._bar.hide()
        self._cancel.hide()
        self._dismiss.show()
        self._said.set_text("")
        self._said.hide()
        self.failed = sign == "! "
        self.ended.emit(answer)


class JobStrip(QWidget):
    """The lines of long work; takes no room while there is none.

    Signals: ended(work, answer): one ended; the answer is None where it failed or was cancelled.
    """

    ended = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._lines = column(gap=GAP)
        self._lines.setContentsMargins(WIDE, GAP, WIDE, GAP)
        self.setLayout(self._lines)
        self.rows: list[JobRow] = []
        self.hide()

    @property
    def running(self) -> list[LongJob]:
        return [one.work for one in self.rows if one.job.running]

    def begin(self, work: LongJob) -> JobRow | None:
        """Begin it; None where the same is on its way already."""
        if any(one.arguments == work.arguments for one in self.running):
            return None
        for old in [one for one in self.rows if not one.job.running and not one.failed]:
            self._drop(old)  # its answer was there to read until the next was asked for
        line = JobRow(work)
        line.dismissed.connect(lambda: self._drop(line))
        line.ended.connect(lambda answer: self.ended.emit(work, answer))
        self.rows.append(line)
        self._lines.addWidget(line)
        self.show()
        return line

    def close_jobs(self) -> None:
        """End what runs; what it wrote stays."""
        for line in self.rows:
            line.job.cancel()

    def _drop(self, line: JobRow) -> None:
        self.rows.remove(line)
        self._lines.removeWidget(line)
        line.hide()
        line.deleteLater()
        self.setVisible(bool(self.rows))
