"""Downloads from a hub: each is a `pitwall models download` job that can be paused, resumed and discarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal

from pitwall.console.kit.job import BYTES, JobList, JobOrder, JobState
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.job import JobProgress
from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder

_STAGES = {"": "↓ downloading", "checking": "… checking the hash"}
_SHORT_HASH = 16


class DownloadsPanel(JobList):
    """Lists the downloads that run, can be resumed, or have just finished.

    Args:
        worker: the page's reading thread.

    Signals:
        added(name): a downloaded model is in the registry.
    """

    added = Signal(str)

    def __init__(self, data: DataFolder, worker: BackgroundWorker) -> None:
        super().__init__("Downloads", data=data, keep_done=True)
        self._folder, self._worker = data.models, worker
        self.ended.connect(self._announce)

    def begin(self, spec: str, sha256: str = "") -> None:
        """Start a download, or resume one that is listed.

        Args:
            spec: as `pitwall models download` takes it. sha256: the expected hash; empty for the hub's.
        """
        unfinished = (card for card in self.cards if card.state is not JobState.DONE)
        known = next((card for card in unfinished if card.order.subject == spec), None)
        (known or self.add(_order(spec, sha256))).start()

    def read(self) -> None:
        """List the unfinished downloads of earlier consoles."""
        self._worker.ask(lambda: unfinished_downloads(self._folder), self._offer)

    def _offer(self, jobs: Sequence[tuple[JobOrder, JobProgress]]) -> None:
        listed = {card.order.subject for card in self.cards}
        for order, progress in jobs:
            if order.subject not in listed:
                self.add(order, progress)

    def _announce(self, _order: JobOrder, answer: Any) -> None:
        if isinstance(answer, dict):
            self.added.emit(answer.get("entry", {}).get("name", ""))


def _order(spec: str, sha256: str) -> JobOrder:
    arguments = ["models", "download", spec]
    return JobOrder(
        title=spec.partition("@")[0].rpartition("/")[2],
        subject=spec,
        arguments=[*arguments, "--sha256", sha256] if sha256 else arguments,
        unit=BYTES,
        outcome=partial(download_outcome, expected=sha256, on_hub=spec.startswith("hf:")),
        discard=[*arguments, "--forget"],
        stages=_STAGES,
    )


def unfinished_downloads(folder: Path) -> list[tuple[JobOrder, JobProgress]]:
    """List the downloads in a folder that can be resumed, by name, with their progress."""
    from pitwall.models.downloads.partial_file import (
        PartNote,  # brings the hub's library along: loaded where it is needed
    )

    jobs = []
    for note_file in sorted(folder.glob("*.part.json")):
        part = note_file.with_suffix("")
        try:
            note = read_model(PartNote, note_file)
            done = part.stat().st_size if part.exists() else 0
        except (OSError, DamagedFile):
            continue
        jobs.append((_order(note.spec, note.sha256), JobProgress(done=done, total=note.size_bytes)))
    return jobs


def download_outcome(answer: Mapping[str, Any], *, expected: str, on_hub: bool) -> str:
    """Return the added model and how its hash was checked: "Added as NAME. Its SHA-256 9f2c… …"."""
    entry = answer.get("entry")
    first = f"Added as {entry['name']}." if entry else answer.get("note", "")
    promised = (
        "was checked against the hub"
        if on_hub
        else "is what was received; the address states none to compare it with"
    )
    checked = "is the one that was asked for" if expected else promised
    return f"{first} Its SHA-256 {answer.get('sha256', '')[:_SHORT_HASH]}… {checked}."
