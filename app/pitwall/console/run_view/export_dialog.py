"""Exporting a run: formats, a folder, progress, and what was written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.format import counted, error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import open_path
from pitwall.console.kit.theme import WIDE, Tone
from pitwall.console.services.job import Job
from pitwall.core.paths import DataFolder

_FORMATS = (
    ("jsonl", "JSON lines: one versioned event a line"),
    ("csv", "CSV: a table a file, for spreadsheets"),
    ("sqlite", "SQLite: a database of its own"),
)


class ExportDialog(QDialog):
    """Runs `pitwall export` in the background; the console stays usable.

    Args:
        data: the data folder the run is in.
        run_id: which run.
    """

    def __init__(self, data: DataFolder, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Export run {run_id}")
        self.setAccessibleName(f"Export run {run_id}")
        self.setMinimumWidth(520)
        self._run_id = run_id
        self.job = Job(self, data=data)
        self.job.answered.connect(self._done)
        self.job.failed.connect(lambda error: self._rest(error_sentence(error), "stop"))
        self.job.cancelled.connect(lambda: self._rest("Cancelled. What was not finished was not kept."))
        folder = str(data.run(run_id) / "export")
        self.form = Form(
            [
                Field(key="formats", label="Formats", kind="flags", options=_FORMATS, default=["jsonl"]),
                Field(key="frames", label="Copy the step images too", kind="flag"),
                Field(key="folder", label="Folder", name="Folder to write", kind="folder", default=folder),
                Field(key="force", label="Replace files that are there", kind="flag"),
            ]
        )
        self.form.edited.connect(lambda _: self._allow())
        self._progress = ProgressLine(self.job, "Exporting", unit="records")
        self._outcome_text = Label("", wrap=True)
        self._outcome_text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._outcome = Card(self._outcome_text)
        self._export = PrimaryButton("Export", self.export)
        self._open = Button("Open the folder", self._open_folder)
        self.setLayout(
            column(
                Label(self.windowTitle(), "title"),
                Label("A manifest with the SHA-256 of each file is written beside them.", "dim"),
                self.form,
                self._progress,
                self._outcome,
                None,
                row(self._export, self._open, None, Button("Close", self.reject, kind="quiet")),
                margins=WIDE,
            )
        )
        self._rest("")

    @property
    def outcome(self) -> str:
        """Return the outcome, as shown; empty before."""
        return self._outcome_text.full_text()

    def export(self) -> None:
        """Begin with what is chosen."""
        chosen = self.form.values
        if not chosen["formats"] or self.job.running:
            return
        arguments = ["export", str(self._run_id), "--out", chosen["folder"]]
        for name in chosen["formats"]:
            arguments += ["--format", name]
        arguments += [f"--{name}" for name in ("frames", "force") if chosen[name]]
        self._outcome.hide()
        self._open.hide()
        self._progress.begin()
        self._set_busy(True)
        self.job.start(arguments)

    def reject(self) -> None:
        """Close; while it writes that cancels the export."""
        self.job.cancel()
        super().reject()

    def _set_busy(self, busy: bool) -> None:
        self.form.setEnabled(not busy)
        self._export.setVisible(not busy)
        self._allow()

    def _rest(self, text: str, tone: Tone = "neutral") -> None:
        self._set_busy(False)
        self._outcome_text.set_text(text)
        self._outcome.set_tone(tone)
        self._outcome.setVisible(bool(text))
        self._open.setVisible(tone == "ok")

    def _allow(self) -> None:
        self._export.setEnabled(bool(self.form.value("formats")))

    def _done(self, answer: object) -> None:
        files = answer.get("files", {}) if isinstance(answer, dict) else {}
        self._rest(f"{counted(len(files), 'file')} written: {', '.join(files)}.", "ok")

    def _open_folder(self) -> None:
        open_path(Path(self.form.value("folder")).resolve())
