"""Downloads from a hub: each a `pitwall models download` aside, paused, gone on with, or given up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QScrollArea, QVBoxLayout, QWidget

from pitwall.console.kit.elements import Button, Card, Chip, Label, SectionTitle, column, row
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.theme import GAP, STEP, WIDE, Tone
from pitwall.console.models.download_state import Progress, Stage, Unfinished, done_words, unfinished
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.json_job import JsonJob
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder

_CHIPS: dict[Stage, tuple[str, Tone]] = {
    Stage.RUNNING: ("↓ downloading", "neutral"),
    Stage.CHECKING: ("… checking the hash", "neutral"),
    Stage.PAUSED: ("▮▮ paused", "neutral"),
    Stage.DONE: ("✓ done", "ok"),
    Stage.FAILED: ("! failed", "stop"),
}
_PER_MILLE = 1000
_MOST_HEIGHT = 188


class DownloadRow(Card):
    """One download: where it stands, and what can be done with it.

    Args:
        spec: as `pitwall models download` takes it.
        sha256: what its hash must be; empty where only the hub can say.
        progress: where it stands: what an earlier one left, or nothing.

    Signals:
        finished(name): the model is in the registry.
        dismissed(): take this line away.
    """

    finished = Signal(str)
    dismissed = Signal()

    def __init__(self, data: DataFolder, spec: str, sha256: str, progress: Progress) -> None:
        super().__init__(gap=STEP)
        self._data = data
        self.spec = spec
        self._sha256 = sha256
        self.file_name = spec.partition("@")[0].rpartition("/")[2]
        self.progress = progress
        self._giving_up = False
        self.job = JsonJob(self)
        self.job.told.connect(self._told)
        self.job.answered.connect(self._answered)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._stopped)
        self._forgetting = JsonJob(self)
        self._forgetting.answered.connect(lambda _: self.dismissed.emit())
        self._forgetting.failed.connect(self._not_forgotten)
        self._build()
        self._show("")

    @property
    def stage(self) -> Stage:
        return self.progress.stage

    @property
    def text(self) -> str:
        """What the line says, as shown."""
        shown = (self._chip, self._figures, self._said)
        return " ".join(filter(None, (label.full_text() for label in shown)))

    def resume(self) -> None:
        """Begin, or go on where it was."""
        if self.job.running:
            return
        self.progress.stage = Stage.RUNNING
        arguments = ["models", "download", self.spec, "--data", str(self._data.root)]
        self.job.start([*arguments, "--sha256", self._sha256] if self._sha256 else arguments)
        self._show("")

    def pause(self) -> None:
        """End the job; what came stays on disk."""
        self.job.cancel()

    def give_up(self) -> None:
        """End it, and throw away what came."""
        self._giving_up = True
        if self.job.running:
            self.job.cancel()
        else:
            self._forget()

    # ---- inside

    def _build(self) -> None:
        name = self.file_name
        title = Label(name, "strong")
        title.setToolTip(self.spec)
        self._chip = Chip("")
        self._figures = Label("", "dim")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(f"Download of {name}")
        self._said = Label("", "note", wrap=True)
        self._pause = Button("Pause", self.pause, name=f"Pause the download of {name}")
        self._resume = Button("Resume", self.resume, name=f"Resume the download of {name}")
        self._cancel = Button(
            "Cancel",
            self.give_up,
            kind="quiet",
            name=f"Cancel the download of {name}",
            tip="What came so far is deleted",
        )
        self._dismiss = Button(
            "Dismiss", self.dismissed.emit, kind="quiet", name=f"Take the download of {name} off the list"
        )
        buttons = (self._pause, self._resume, self._cancel, self._dismiss)
        line = row(title, self._chip, self._figures, *buttons)
        line.setStretch(2, 1)
        self.body.addLayout(line)
        self.body.addWidget(self._bar)
        self.body.addWidget(self._said)

    def _told(self, line: Any) -> None:
        if isinstance(line, dict) and "progress" in line:
            self.progress.take(line)
            self._show("")

    def _answered(self, answer: Any) -> None:
        self.progress.stage = Stage.DONE
        told = answer if isinstance(answer, dict) else {}
        self._show(done_words(told, expected=self._sha256, on_hub=self.spec.startswith("hf:")))
        entry = told.get("entry")
        self.finished.emit(str(entry.get("name", "")) if isinstance(entry, dict) else "")

    def _failed(self, error: PitwallError) -> None:
        self.progress.stage = Stage.FAILED
        self._show(error_sentence(error))

    def _stopped(self) -> None:
        if self._giving_up:
            self._forget()
            return
        self.progress.stage = Stage.PAUSED
        self._show("")

    def _forget(self) -> None:
        """Have what came deleted, and go."""
        self._forgetting.start(["models", "download", self.spec, "--forget", "--data", str(self._data.root)])
        self._cancel.setEnabled(False)
        self._resume.setEnabled(False)

    def _not_forgotten(self, error: PitwallError) -> None:
        self._giving_up = False
        self._cancel.setEnabled(True)
        self._resume.setEnabled(True)
        self._failed(error)

    def _show(self, said_of_it: str) -> None:
        progress, running = self.progress, self.job.running
        text, tone = _CHIPS[progress.stage]
        self._chip.set_text(text)
        self._chip.set_tone(tone)
        self.set_tone("stop" if progress.stage is Stage.FAILED else "neutral")
        self._figures.set_text(progress.figures() if progress.stage is not Stage.DONE else "")
        self._said.set_text(said_of_it)
        self._said.setVisible(bool(said_of_it))
        unknown = running and not progress.total
        self._bar.setRange(0, 0 if unknown else _PER_MILLE)
        if not unknown:
            self._bar.setValue(int(_PER_MILLE * progress.share))
        self._bar.setVisible(running or (progress.stage is not Stage.DONE and progress.done > 0))
        self._pause.setVisible(running)
        self._resume.setVisible(not running and progress.stage in (Stage.PAUSED, Stage.FAILED))
        self._resume.setText("Try again" if progress.stage is Stage.FAILED else "Resume")
        self._cancel.setVisible(progress.stage is not Stage.DONE)
        self._dismiss.setVisible(progress.stage is Stage.DONE)
        self.setAccessibleName(f"Download of {self.file_name}: {self.text}")


class DownloadsPanel(QWidget):
    """Every download that runs, waits to go on, or has just come; no room where there is none.

    Args:
        aside: the page's reading thread.

    Signals:
        added(name): a downloaded model is in the registry.
    """

    added = Signal(str)

    def __init__(self, data: DataFolder, aside: BackgroundWorker) -> None:
        super().__init__()
        self._data, self._aside = data, aside
        self.rows: list[DownloadRow] = []
        self._lines = column(gap=GAP)
        inside = QWidget()
        inside.setLayout(self._lines)
        inside.installEventFilter(self)
        self._title = SectionTitle("Downloads")
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName("Downloads")
        self._scroll.setWidget(inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(WIDE, 0, WIDE, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self._scroll)
        self._fit()

    def begin(self, spec: str, sha256: str = "") -> None:
        """Download this, or go on with it where it is listed."""
        known = next((line for line in self.rows if line.spec == spec), None)
        if known is not None and known.stage is not Stage.DONE:
            known.resume()
            return
        self._list(DownloadRow(self._data, spec, sha256, Progress())).resume()

    def read(self) -> None:
        """Offer what an earlier console left half done."""
        self._aside.ask(lambda: unfinished(self._data.models), self._offer)

    def close_jobs(self) -> None:
        """End what runs; what came stays, to be gone on with."""
        for line in self.rows:
            line.pause()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a line says more, or less, than before
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _offer(self, found: Sequence[Unfinished]) -> None:
        listed = {line.spec for line in self.rows}
        for part in found:
            if part.spec not in listed:
                progress = Progress(done=part.done, total=part.total)
                self._list(DownloadRow(self._data, part.spec, part.sha256, progress))

    def _list(self, line: DownloadRow) -> DownloadRow:
        self.rows.append(line)
        self._lines.addWidget(line)
        line.finished.connect(self.added)
        line.dismissed.connect(partial(self._take_away, line))
        self._fit()
        return line

    def _take_away(self, line: DownloadRow) -> None:
        if line in self.rows:
            self.rows.remove(line)
            line.hide()
            line.deleteLater()
            self._fit()

    def _fit(self) -> None:
        self.setVisible(bool(self.rows))
        self._title.set_note(f"{len(self.rows)}" if len(self.rows) > 1 else "")
        wanted = self._lines.totalHeightForWidth(self._scroll.viewport().width())
        wanted = max(wanted, self._lines.totalMinimumSize().height()) + 2
        self._scroll.setFixedHeight(min(_MOST_HEIGHT, wanted))
