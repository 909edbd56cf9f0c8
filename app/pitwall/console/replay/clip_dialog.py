"""The dialog that saves a span of a run as a video."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.notification import Notification
from pitwall.core.paths import DataFolder

_OVERLAY = "Draw route, keys and signals below the picture"


class ClipDialog(JobDialog):
    """Runs `pitwall clip` in the background.

    Args:
        begin_s, end_s: the span to begin with, in seconds since the run began.
    """

    def __init__(
        self, data: DataFolder, run_id: int, begin_s: float, end_s: float, parent: QWidget | None = None
    ) -> None:
        self._run_id = run_id
        file = str(data.run(run_id) / f"clip-{begin_s:.0f}-{end_s:.0f}-s.webm")
        begin, end = round(begin_s, 1), round(end_s, 1)
        fields = [
            Field(key="from", label="From", kind="number", unit="s", decimals=1, default=begin),
            Field(key="to", label="To", kind="number", unit="s", decimals=1, default=end),
            Field(
                key="out",
                label="File",
                name="File to write: .webm and .mp4 play in browsers; also .mkv, .avi",
                default=file,
            ),
            Field(key="overlay", label=_OVERLAY, kind="flag", default=True),
            Field(key="force", label="Replace a file that is there", kind="flag"),
        ]
        super().__init__(
            f"Save a clip of run {run_id}",
            fields,
            data,
            parent,
            text="From the run's video where one was recorded, else from its step images.",
            go="Save",
            doing="Writing",
            unit="pictures",
        )

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        overlay = "--overlay" if chosen["overlay"] else "--no-overlay"
        span = ["--from", str(chosen["from"]), "--to", str(chosen["to"])]
        force = ["--force"] if chosen["force"] else []
        return ["clip", str(self._run_id), *span, "--out", chosen["out"], overlay, *force]

    def notice(self, answer: Any) -> Notification:
        file, source = str(answer.get("file", "")), str(answer.get("source", ""))
        return Notification(f"Written from the run's {source}: {file}", files=[Path(file)])
