"""Exporting a run: formats, a folder, progress, and what was written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QLineEdit, QWidget

from pitwall.console.kit.elements import Button, Card, Label, PrimaryButton, column, row
from pitwall.console.kit.format import counted
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.theme import GAP, WIDE
from pitwall.console.services.job import Job
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.paths import DataFolder

FORMATS = (
    ("jsonl", "JSON lines", "one versioned event a line"),
    ("csv", "CSV", "a table a file, for spreadsheets"),
    ("sqlite", "SQLite", "a database of its own"),
)


class ExportDialog(QDialog):
    """Runs `pitwall export` aside; the console stays usable.

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
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(lambda: self._rest("Cancelled. What was not finished was not kept."))
        self.boxes = {name: QCheckBox(f"{title}: {note}") for name, title, note in FORMATS}
        self.boxes["jsonl"].setChecked(True)
        self.frames = QCheckBox("Copy the step images too")
        self.force = QCheckBox("Replace files that are there")
        self.folder = QLineEdit(str(data.run(run_id) / "export"))
        self.folder.setAccessibleName("Folder to write")
        self._choose = Button("Choose…", self._choose_folder, name="Choose the folder to write")
        self._progress = ProgressLine(self.job, "Exporting", unit="records")
        self._outcome = Card()
        self._outcome_text = Label("", wrap=True)
        self._outcome_text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._outcome.body.addWidget(self._outcome_text)
        self._export = PrimaryButton("Export", self.export)
        self._open = Button("Open the folder", self._open_folder)
        self._close = Button("Close", self.reject, kind="quiet")
        for box in self.boxes.values():
            box.toggled.connect(self._allow)
        self._lay_out()
        self._rest("")

    @property
    def outcome(self) -> str:
        """What came of it, as shown; empty before."""
        return self._outcome_text.full_text()

    def export(self) -> None:
        """Begin with what is chosen."""
        chosen = [name for name, box in self.boxes.items() if box.isChecked()]
        if not chosen or self.job.running:
            return
        arguments = ["export", str(self._run_id), "--out", self.folder.text()]
        for name in chosen:
            arguments += ["--format", name]
        if self.frames.isChecked():
            arguments.append("--frames")
        if self.force.isChecked():
            arguments.append("--force")
        self._outcome.hide()
        self._open.hide()
        self._progress.begin()
        self._set_busy(True)
        self.job.start(arguments)

    def reject(self) -> None:
        """Closing it while it writes cancels the export."""
        self.job.cancel()
        super().reject()

    def _lay_out(self) -> None:
        layout = column(gap=GAP)
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        layout.addWidget(Label(f"Export run {self._run_id}", "title"))
        layout.addWidget(Label("A manifest with the SHA-256 of each file is written beside them.", "dim"))
        for box in (*self.boxes.values(), self.frames):
            layout.addWidget(box)
        layout.addLayout(row(self.folder, self._choose))
        layout.addWidget(self.force)
        layout.addWidget(self._progress)
        layout.addWidget(self._outcome)
        layout.addStretch(1)
        layout.addLayout(row(self._export, self._open, None, self._close))
        self.setLayout(layout)

    def _set_busy(self, busy: bool) -> None:
        for widget in (*self.boxes.values(), self.frames, self.force, self.folder, self._choose):
            widget.setEnabled(not busy)
        self._export.setVisible(not busy)
        self._allow()

    def _rest(self, text: str, *, failed: bool = False, written: bool = False) -> None:
        self._set_busy(False)
        self._outcome_text.set_text(text)
        self._outcome.set_tone("stop" if failed else "ok" if written else "neutral")
        self._outcome.setVisible(bool(text))
        self._open.setVisible(written)

    def _allow(self) -> None:
        self._export.setEnabled(any(box.isChecked() for box in self.boxes.values()))

    def _done(self, answer: object) -> None:
        files = answer.get("files", {}) if isinstance(answer, dict) else {}
        names = ", ".join(files)
        self._rest(f"{counted(len(files), 'file')} written: {names}.", written=True)

    def _failed(self, error: PitwallError) -> None:
        said = error.traceback.rpartition("\n")[2] if isinstance(error, ChildDied) else ""
        self._rest("\n".join(filter(None, (str(error), said))), failed=True)

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder to write", self.folder.text())
        if folder:
            self.folder.setText(folder)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self.folder.text()).resolve())))
