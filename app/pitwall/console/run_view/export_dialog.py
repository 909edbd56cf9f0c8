"""The dialog that exports a run: as a bundle, a report, or files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.notification import Notification
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
_KIND_FIELDS = {
    "bundle": ("kind", "bundle", "video", "force"),
    "report": ("kind", "report", "force"),
    "export": ("kind", "formats", "frames", "folder", "force"),
}


class ExportDialog(JobDialog):
    """Runs `pitwall bundle`, `report` or `export` in the background."""

    def __init__(self, data: DataFolder, run_id: int, parent: QWidget | None = None) -> None:
        self._run_id = run_id
        fields = _fields(data.run(run_id), run_id)
        super().__init__(f"Export run {run_id}", fields, data, parent, go="Write", doing="Writing")
        self.form.edited.connect(lambda _: self._fit())
        self._fit()

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        kind, run_id = str(chosen["kind"]), str(self._run_id)
        force = ["--force"] if chosen["force"] else []
        if kind == "bundle":
            video = "--video" if chosen["video"] else "--no-video"
            return ["bundle", run_id, "--out", chosen["bundle"], video, *force]
        if kind == "report":
            return ["report", run_id, "--out", chosen["report"], *force]
        formats = [part for name in chosen["formats"] for part in ("--format", name)]
        frames = ["--frames"] if chosen["frames"] else []
        return ["export", run_id, "--out", chosen["folder"], *formats, *frames, *force]

    def notice(self, answer: Any) -> Notification:
        if "file" in answer:
            file = Path(str(answer["file"]))
            size = byte_size(int(answer.get("bytes") or 0))
            return Notification(f"Written: {file.name}, {size}", files=[file])
        names = answer.get("files", {})
        files = [Path(str(answer.get("folder", ""))) / name for name in names]
        return Notification(f"{counted(len(names), 'file')} written: {', '.join(names)}.", files=files)

    def _fit(self) -> None:
        """Show the fields of the chosen kind; without a format nothing can be exported."""
        kind = self.form.value("kind")
        self.form.show_only(_KIND_FIELDS[kind])
        self.go.setEnabled(kind != "export" or bool(self.form.value("formats")))


def _fields(folder: Path, run_id: int) -> list[Field]:
    plugged_in = rail.contributions(rail.COMMANDS)
    kinds = tuple(kind for kind in _KINDS if kind[0] == "export" or kind[0] in plugged_in)
    formats = tuple((name, known.title) for name, known in export_formats().items())
    return [
        Field(
            key="kind", label="As", name="What is written", kind="radio", options=kinds, default=kinds[0][0]
        ),
        Field(
            key="bundle",
            label="File",
            name="Bundle to write",
            kind="new_file",
            default=str(folder / f"run-{run_id}.pitwall"),
            files="Bundles (*.pitwall)",
        ),
        Field(key="video", label="With its video, where one was recorded", kind="flag", default=True),
        Field(
            key="report",
            label="File",
            name="Page to write",
            kind="new_file",
            default=str(folder / f"run-{run_id}.html"),
            files="Pages (*.html)",
        ),
        Field(key="formats", label="Formats", kind="flags", options=formats, default=["jsonl"]),
        Field(key="frames", label="Copy the step images too", kind="flag"),
        Field(
            key="folder",
            label="Folder",
            name="Folder to write",
            kind="folder",
            default=str(folder / "export"),
        ),
        Field(key="force", label="Replace existing files", kind="flag"),
    ]
