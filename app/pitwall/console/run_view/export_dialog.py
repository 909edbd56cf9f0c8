"""Exporting a run: a bundle, a report, or files for other programs; progress, and what was written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.theme import WIDE
from pitwall.console.services.job import Job
from pitwall.core import rail
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size, counted
from pitwall.store.export import export_formats

_KINDS = (
    (
        "bundle",
        "Bundle: the whole run in one file",
        "Run log, pictures, prompts, memory and game profile, with hashes; pitwall open shows it elsewhere",
    ),
    (
        "report",
        "Report: one page for any browser",
        "Score, figures, timeline, decisions with pictures, memory changes; it needs no network",
    ),
    ("export", "Data: files for other programs", "Tables, databases and recordings, with a list of hashes"),
)
_FIELDS = {
    "bundle": ("kind", "bundle", "video", "force"),
    "report": ("kind", "report", "force"),
    "export": ("kind", "formats", "frames", "folder", "force"),
}


def _kinds() -> tuple[tuple[str, str, str], ...]:
    """Return the kinds of export whose command is installed."""
    commands = {"export", *rail.contributions(rail.COMMANDS)}
    return tuple(kind for kind in _KINDS if kind[0] in commands)


class ExportDialog(QDialog):
    """Runs `pitwall bundle`, `report` or `export` in the background; the console stays usable.

    Args:
        data: the data folder the run is in.
        run_id: which run.
    """

    def __init__(self, data: DataFolder, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Export run {run_id}")
        self.setAccessibleName(self.windowTitle())
        self.setMinimumWidth(560)
        self._run_id = run_id
        self.job = Job(self, data=data)
        self.job.answered.connect(self._done)
        self.job.failed.connect(lambda error: self._rest(Notification.of_error(error)))
        self.job.cancelled.connect(lambda: self._rest(Notification("Cancelled. Nothing was kept.")))
        beside = data.run(run_id)
        self.form = Form(
            [
                Field(
                    key="kind",
                    label="As",
                    name="What is written",
                    kind="radio",
                    options=_kinds(),
                    default=_kinds()[0][0],
                ),
                Field(
                    key="bundle",
                    label="File",
                    name="Bundle to write",
                    kind="new_file",
                    default=str(beside / f"run-{run_id}.pitwall"),
                    files="Bundles (*.pitwall)",
                ),
                Field(key="video", label="With its video, where one was recorded", kind="flag", default=True),
                Field(
                    key="report",
                    label="File",
                    name="Page to write",
                    kind="new_file",
                    default=str(beside / f"run-{run_id}.html"),
                    files="Pages (*.html)",
                ),
                Field(
                    key="formats",
                    label="Formats",
                    kind="flags",
                    options=tuple((name, known.title) for name, known in export_formats().items()),
                    default=["jsonl"],
                ),
                Field(key="frames", label="Copy the step images too", kind="flag"),
                Field(
                    key="folder",
                    label="Folder",
                    name="Folder to write",
                    kind="folder",
                    default=str(beside / "export"),
                ),
                Field(key="force", label="Replace what is there", kind="flag"),
            ]
        )
        self.form.edited.connect(lambda _: self._fit())
        self._progress = ProgressLine(self.job, "Writing")
        self._outcome = NotificationBar()
        self._write = PrimaryButton("Write", self.export)
        self.setLayout(
            column(
                Label(self.windowTitle(), "title"),
                self.form,
                self._progress,
                self._outcome,
                None,
                row(self._write, None, Button("Close", self.reject, kind="quiet")),
                margins=WIDE,
            )
        )
        self._fit()

    @property
    def outcome(self) -> str:
        """Return the outcome, as shown; empty before."""
        return self._outcome.text

    def export(self) -> None:
        """Begin with what is chosen."""
        chosen = self.form.values
        if self.job.running or not self._write.isEnabled():
            return
        self._outcome.hide()
        self._progress.begin()
        self._set_busy(True)
        self.job.start(_arguments(self._run_id, chosen))

    def reject(self) -> None:
        """Close; while it writes that cancels it."""
        self.job.cancel()
        super().reject()

    def _set_busy(self, busy: bool) -> None:
        self.form.setEnabled(not busy)
        self._write.setVisible(not busy)
        self._fit()

    def _rest(self, outcome: Notification) -> None:
        self._set_busy(False)
        self._outcome.notify(outcome)

    def _fit(self) -> None:
        """Show the fields of what is chosen."""
        kind = self.form.value("kind")
        self.form.show_only(_FIELDS[kind])
        self._write.setEnabled(kind != "export" or bool(self.form.value("formats")))

    def _done(self, answer: object) -> None:
        result = answer if isinstance(answer, dict) else {}
        if "file" in result:
            file = Path(str(result["file"]))
            size = int(result.get("bytes") or 0)
            self._rest(Notification(f"Written: {file.name}, {byte_size(size)}", files=[file]))
            return
        files = result.get("files", {})
        written = [Path(str(result.get("folder", ""))) / name for name in files]
        self._rest(Notification(f"{counted(len(files), 'file')} written: {', '.join(files)}.", files=written))


def _arguments(run_id: int, chosen: Mapping[str, Any]) -> list[str]:
    """The command for what is chosen."""
    kind = str(chosen["kind"])
    force = ["--force"] if chosen["force"] else []
    if kind == "bundle":
        video = "--video" if chosen["video"] else "--no-video"
        return ["bundle", str(run_id), "--out", chosen["bundle"], video, *force]
    if kind == "report":
        return ["report", str(run_id), "--out", chosen["report"], *force]
    arguments = ["export", str(run_id), "--out", chosen["folder"]]
    for name in chosen["formats"]:
        arguments += ["--format", name]
    return [*arguments, *(["--frames"] if chosen["frames"] else []), *force]
