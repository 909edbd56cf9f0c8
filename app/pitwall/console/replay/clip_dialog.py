"""Saving a span of a run as a video: from, to, a file, progress, and what was written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.theme import WIDE
from pitwall.console.services.job import Job
from pitwall.core.paths import DataFolder


class ClipDialog(QDialog):
    """Runs `pitwall clip` in the background; the console stays usable.

    Args:
        begin_s, end_s: the span to begin with, in seconds since the run began.
    """

    def __init__(
        self, data: DataFolder, run_id: int, begin_s: float, end_s: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Save a clip of run {run_id}")
        self.setAccessibleName(self.windowTitle())
        self.setMinimumWidth(520)
        self._run_id = run_id
        self.job = Job(self, data=data)
        self.outcome = NotificationBar()
        self.job.answered.connect(self._done)
        self.job.failed.connect(lambda error: self._rest(Notification.of_error(error)))
        self.job.cancelled.connect(lambda: self._rest(Notification("Cancelled. Nothing was kept.")))
        file = str(data.run(run_id) / f"clip-{begin_s:.0f}-{end_s:.0f}-s.mp4")
        self.form = Form(
            [
                Field(
                    key="from", label="From", kind="number", unit="s", decimals=1, default=round(begin_s, 1)
                ),
                Field(key="to", label="To", kind="number", unit="s", decimals=1, default=round(end_s, 1)),
                Field(key="out", label="File", name="File to write: .mp4, .mkv or .avi", default=file),
                Field(
                    key="overlay",
                    label="Draw route, keys and signals below the picture",
                    kind="flag",
                    default=True,
                ),
                Field(key="force", label="Replace a file that is there", kind="flag"),
            ]
        )
        self._progress = ProgressLine(self.job, "Writing", unit="pictures")
        self._save = PrimaryButton("Save", self.save)
        self.setLayout(
            column(
                Label(self.windowTitle(), "title"),
                Label("From the run's video where one was recorded, else from its step images.", "dim"),
                self.form,
                self._progress,
                self.outcome,
                None,
                row(self._save, None, Button("Close", self.reject, kind="quiet")),
                margins=WIDE,
            )
        )

    def save(self) -> None:
        """Begin with what is chosen."""
        chosen = self.form.values
        arguments = ["clip", str(self._run_id), "--from", str(chosen["from"]), "--to", str(chosen["to"])]
        self.outcome.hide()
        self._progress.begin()
        self._save.setEnabled(False)
        arguments += ["--out", chosen["out"], "--overlay" if chosen["overlay"] else "--no-overlay"]
        self.job.start([*arguments, *(["--force"] if chosen["force"] else [])])

    def reject(self) -> None:
        """Close; while it writes that cancels the clip."""
        self.job.cancel()
        super().reject()

    def _rest(self, outcome: Notification) -> None:
        self._save.setEnabled(True)
        self.outcome.notify(outcome)

    def _done(self, answer: object) -> None:
        result = answer if isinstance(answer, dict) else {}
        file, source = str(result.get("file", "")), str(result.get("source", ""))
        self._rest(Notification(f"Written from the run's {source}: {file}", files=[Path(file)]))
