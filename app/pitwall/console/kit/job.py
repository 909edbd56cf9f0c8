"""Jobs on the screen: `pitwall … --json` commands with progress, pause, cancel, log and outcome.

jobs = JobList("Downloads", data=bridge.data)
jobs.start(JobOrder(title="Evaluating v2", arguments=["gsm", "evaluate", …], unit="runs"))
jobs.ended.connect(lambda order, answer: read_again())  # None: it failed
line = ProgressLine(job, "Hashing", unit=BYTES)  # bar, figures and Cancel in a dialog
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QScrollArea, QWidget

from pitwall.console.kit.dialogs import DetailsDialog
from pitwall.console.kit.elements import Button, Card, Chip, Label, SectionTitle, column, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.theme import GAP, STEP, WIDE, Tone
from pitwall.console.services.job import Job, JobProgress
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_rate, byte_share, byte_size, left

BYTES = "bytes"
"""The unit of progress that is shown in KiB, MiB and GiB."""
_PER_MILLE = 1000
_MOST_HEIGHT = 188


def progress_text(progress: JobProgress, unit: str = "") -> str:
    """Return the progress in words: "3 of 10 runs · 26 s left", "1.2 of 2.4 GiB · 45 MiB/s · 26 s left"."""
    done, total = progress.done, progress.total
    counted = ""
    if done or total:
        counted = f"{done:,} of {total:,} {unit}".rstrip() if total else f"{done:,} {unit}".rstrip()
    if counted and unit == BYTES:
        counted = byte_share(done, total) if total else byte_size(done)
    rate = byte_rate(progress.per_s) if unit == BYTES else ""
    left_text = left(progress.left_s) if progress.left_s and done < total else ""
    return " · ".join(filter(None, (progress.doing, counted, rate, left_text)))


def show_progress(bar: QProgressBar, progress: JobProgress) -> None:
    """Move a bar; it runs to and fro while the total is not known."""
    bar.setRange(0, _PER_MILLE if progress.total else 0)
    if progress.total:
        bar.setValue(int(_PER_MILLE * progress.share))


class BusyLine(QWidget):
    """Text, bar and Cancel of running work; hidden while there is none.

    Args:
        cancel: called by the button. name: accessible name of the button.
    """

    def __init__(self, cancel: Callable[[], object], *, name: str = "Cancel") -> None:
        super().__init__()
        self._text = Label("", "dim")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self.cancel = Button("Cancel", cancel, kind="quiet", name=name)
        self.setLayout(column(row(self._text, self.cancel, stretch=0), self._bar, gap=STEP))
        self.hide()

    def show_share(self, text: str, share: float | None) -> None:
        """Show the work and its finished share, 0 to 1; None where the share is not known."""
        self._text.set_text(f"{text} …")
        self._bar.setAccessibleName(self._text.full_text())
        self._bar.setRange(0, 0 if share is None else _PER_MILLE)
        self._bar.setValue(round(_PER_MILLE * (share or 0.0)))
        self.show()


class ProgressLine(BusyLine):
    """Text, bar and Cancel of a job inside a form or a dialog; hidden while the job does not run.

    Args:
        doing: the activity, before the figures ("Hashing"). unit: what the progress counts.
    """

    def __init__(self, job: Job, doing: str = "", *, unit: str = "") -> None:
        super().__init__(job.cancel)
        self._job, self._doing, self._unit = job, doing, unit
        job.progressed.connect(lambda *_: self._show_progress())
        for ended in (job.answered, job.failed, job.cancelled):
            ended.connect(lambda *_: self.hide())

    def begin(self, doing: str = "", *, unit: str | None = None, cancellable: bool = True) -> None:
        """Show that the job begins.

        Args:
            doing, unit: what it does and what its progress counts; unchanged where left out.
            cancellable: whether Cancel is offered.
        """
        if doing == self._doing and not self.isHidden():
            return
        self._doing = doing or self._doing
        self._unit = self._unit if unit is None else unit
        self.cancel.setAccessibleName(f"Cancel: {self._doing}")
        self.cancel.setVisible(cancellable)
        self.show_share(self._doing, None)

    def _show_progress(self) -> None:
        self._text.set_text(f"{self._doing}: {progress_text(self._job.progress, self._unit)}")
        show_progress(self._bar, self._job.progress)


class JobState(StrEnum):
    """State of a job in a list."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


_CHIPS: Mapping[JobState, tuple[str, Tone]] = {
    JobState.PAUSED: ("▮▮ paused", "neutral"),
    JobState.DONE: ("✓ done", "ok"),
    JobState.FAILED: ("! failed", "stop"),
    JobState.CANCELLED: ("■ cancelled", "neutral"),
}
_RUNNING: Mapping[str, str] = {"": "▶ running"}
_CANCELLED = "Cancelled. Finished work is kept."


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOrder:
    """A command that takes a while.

    Attributes:
        title: "Evaluating v2 on the screen". subject: what it is about, in full; the tooltip of the title.
        arguments: of `pitwall`, without `--json`.
        unit: what its progress counts ("runs"; BYTES).
        outcome: returns the sentence for the command's answer.
        discard: arguments of the command that deletes the leftovers of an unfinished job; a job that has such
            a command can be paused, resumed and tried again.
        goes_on: the job can be paused and resumed, and leaves nothing to delete.
        stages: text of the chip by the stage that the command reports; "" for any other stage.
        begin: text of the button of a job that waits to be begun; until then its subject is shown.
        leads: text and action of a button that is offered once it is done.
    """

    title: str
    arguments: Sequence[str]
    subject: str = ""
    unit: str = ""
    outcome: Callable[[Any], str] = lambda _: "Done."
    discard: Sequence[str] = ()
    goes_on: bool = False
    stages: Mapping[str, str] = field(default_factory=lambda: _RUNNING)
    begin: str = ""
    leads: tuple[str, Callable[[], object]] | None = None

    @property
    def resumable(self) -> bool:
        return self.goes_on or bool(self.discard)


class JobCard(Card):
    """Shows one job: title, state, figures, bar, and the outcome, which stays until it is dismissed.

    Args:
        data: the data folder that its commands are given. progress: what an earlier console left of it.

    Signals:
        ended(answer): None where it failed or was cancelled. dismissed(): take the card away.
    """

    ended = Signal(object)
    dismissed = Signal()

    def __init__(
        self, order: JobOrder, data: DataFolder | None = None, progress: JobProgress | None = None
    ) -> None:
        super().__init__(gap=STEP)
        self.order = order
        self.state = JobState.PAUSED
        self._discarding = False
        self.job = Job(self, data=data)
        self.job.progress = progress or JobProgress()
        self.job.line.connect(lambda _: self._show())
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._cancelled)
        self._discard = Job(self, data=data)
        self._discard.answered.connect(lambda _: self.dismissed.emit())
        self._discard.failed.connect(self._failed)
        self._build()
        self._show()

    @property
    def progress(self) -> JobProgress:
        return self.job.progress

    @property
    def text(self) -> str:
        """Return all text of the card, as shown."""
        shown = (self._title, self._chip, self._figures, self._outcome)
        return " ".join(filter(None, (label.full_text() for label in shown)))

    def start(self) -> None:
        """Start or resume the job; does nothing while it runs."""
        if self.job.running:
            return
        progress = self.job.progress
        self.state = JobState.RUNNING
        self.job.start(self.order.arguments)
        self.job.progress.done, self.job.progress.total = progress.done, progress.total
        self._say("")

    def pause(self) -> None:
        """Stop the command and keep what it has done, so that the job can be resumed."""
        self.job.cancel()
        self._show()

    def cancel(self) -> None:
        """Stop the command, and delete its leftovers where the order has a command for that."""
        self._discarding = bool(self.order.discard)
        if self.job.running:
            self.pause()
        elif self._discarding:
            self._delete_rest()

    # ---- inside

    def _build(self) -> None:
        title = self.order.title
        self._title = Label(title, "strong")
        self._title.setToolTip(self.order.subject)
        self._chip = Chip("")
        self._figures = Label("", "dim")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Progress: {title}")
        self._outcome = Label(self.order.subject if self.order.begin else "", "note", wrap=True)
        self._pause = Button("Pause", self.pause, name=f"Pause: {title}")
        self._resume = Button("Resume", self.start, name=f"Resume: {title}")
        self._log = Button("Log", self._show_log, kind="quiet", name=f"Log: {title}")
        self._cancel = Button("Cancel", self.cancel, kind="quiet", name=f"Cancel: {title}")
        self._cancel.setToolTip("Deletes the unfinished work" if self.order.discard else "")
        self._dismiss = Button("Dismiss", self.dismissed.emit, kind="quiet", name=f"Dismiss: {title}")
        self._lead = Button(*(self.order.leads or ("", None)), kind="link")
        buttons = (self._pause, self._resume, self._lead, self._log, self._cancel, self._dismiss)
        self.body.addLayout(row(self._title, self._chip, self._figures, *buttons, stretch=2))
        self.body.addWidget(self._bar)
        self.body.addWidget(self._outcome)

    def _answered(self, answer: Any) -> None:
        self.state = JobState.DONE
        self._say(self.order.outcome(answer))
        self.ended.emit(answer)

    def _failed(self, error: PitwallError) -> None:
        self._discarding = False
        self.state = JobState.FAILED
        self._say(error_sentence(error))
        self.ended.emit(None)

    def _cancelled(self) -> None:
        if self._discarding:
            self._delete_rest()
            return
        resumable = self.order.resumable
        self.state = JobState.PAUSED if resumable else JobState.CANCELLED
        self._say("" if resumable else _CANCELLED)
        self.ended.emit(None)

    def _delete_rest(self) -> None:
        self._discard.start(self.order.discard)
        self._show()

    def _say(self, outcome: str) -> None:
        self._outcome.set_text(outcome)
        self._show()

    def _show(self) -> None:
        state, progress, running = self.state, self.progress, self.job.running
        stages = self.order.stages
        text, tone = _CHIPS.get(state, (stages.get(progress.stage, stages[""]), "neutral"))
        waits = bool(self.order.begin) and state is JobState.PAUSED and not progress.total
        self._chip.set_text("… being cancelled" if self.job.cancelling else text)
        self._chip.setVisible(not waits)
        self._chip.set_tone(tone)
        self.set_tone("stop" if state is JobState.FAILED else "neutral")
        self._figures.set_text("" if state is JobState.DONE else progress_text(progress, self.order.unit))
        self._outcome.setVisible(bool(self._outcome.full_text()))
        show_progress(self._bar, progress)
        resumable, over = self.order.resumable, state in (JobState.DONE, JobState.CANCELLED)
        self._bar.setVisible(running or (resumable and not over and progress.done > 0))
        self._pause.setVisible(running and resumable)
        self._resume.setVisible(resumable and not running and not over)
        begin = "Try again" if state is JobState.FAILED else self.order.begin if waits else "Resume"
        self._resume.setText(begin)
        self._resume.setAccessibleName(f"{begin}: {self.order.title}")
        self._lead.setVisible(state is JobState.DONE and self.order.leads is not None)
        self._log.setVisible(bool(self.job.log) and state is JobState.FAILED)
        self._cancel.setVisible(running or (bool(self.order.discard) and not over))
        self._dismiss.setVisible(not running and (over or not resumable))
        for button in (self._resume, self._cancel):
            button.setEnabled(not self._discard.running)
        self.setAccessibleName(self.text)

    def _show_log(self) -> None:
        DetailsDialog(self.order.title, self._outcome.full_text(), self.job.log, self).open()


class JobList(QWidget):
    """Cards of jobs; takes no room while there are none.

    Args:
        title: above the cards; empty: none. data: the data folder that the commands get.
        keep_done: keep the cards of finished jobs until they are dismissed, also when another job begins.

    Signals:
        ended(order, answer): the answer is None where the job failed, was paused or cancelled.
    """

    ended = Signal(object, object)

    def __init__(self, title: str = "", *, data: DataFolder | None = None, keep_done: bool = False) -> None:
        super().__init__()
        self._data, self._keep_done = data, keep_done
        self.cards: list[JobCard] = []
        self._lines = column(gap=GAP)
        inside = QWidget()
        inside.setLayout(self._lines)
        inside.installEventFilter(self)
        self._title = SectionTitle(title)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(title or "Jobs")
        self._scroll.setWidget(inside)
        self.setLayout(
            column(self._title, self._scroll, gap=GAP, margins=(WIDE, 0 if title else GAP, WIDE, GAP))
        )
        self._title.setVisible(bool(title))
        self._fit()

    @property
    def running(self) -> list[JobOrder]:
        """Return the orders of the jobs that run."""
        return [card.order for card in self.cards if card.job.running]

    def start(self, order: JobOrder) -> JobCard | None:
        """Start a job; returns None where the same command already runs."""
        if any(running.arguments == order.arguments for running in self.running):
            return None
        for card in [card for card in self.cards if card.state in (JobState.DONE, JobState.CANCELLED)]:
            if not self._keep_done:
                self._remove(card)  # its outcome was shown until now
        card = self.add(order)
        card.start()
        return card

    def add(self, order: JobOrder, progress: JobProgress | None = None) -> JobCard:
        """List a job that is not started yet; `progress`: what an earlier console left of it."""
        card = JobCard(order, self._data, progress)
        self.cards.append(card)
        self._lines.addWidget(card)
        card.ended.connect(lambda answer: self.ended.emit(card.order, answer))
        card.dismissed.connect(lambda: self._remove(card))
        self._fit()
        return card

    def close_jobs(self) -> None:
        """Stop every job and keep what each has done."""
        for card in self.cards:
            card.pause()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a card's text changed
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _remove(self, card: JobCard) -> None:
        if card in self.cards:
            self.cards.remove(card)
            card.setParent(None)  # hides it; its connections hold the list, which must not end inside its end
            card.deleteLater()
            self._fit()

    def _fit(self) -> None:
        self.setVisible(bool(self.cards))
        self._title.set_note(f"{len(self.cards)}" if len(self.cards) > 1 else "")
        wanted = self._lines.totalHeightForWidth(self._scroll.viewport().width())
        wanted = max(wanted, self._lines.totalMinimumSize().height()) + 2
        self._scroll.setFixedHeight(min(_MOST_HEIGHT, wanted))
