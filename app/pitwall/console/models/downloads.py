"""Downloads from a hub: each a `pitwall models download` job that can be paused, resumed and given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import Signal

from pitwall.console.kit.job import BYTES, JobList, JobOrder, JobState
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.job import JobProgress
from pitwall.core.paths import DataFolder

_STAGES = {"": "↓ downloading", "checking": "… checking the hash"}
_SHORT_HASH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedDownload:
    """A download that ended early, as its files on disk say.

    Attributes:
        spec: as `pitwall models download` takes it. sha256: the promised hash; empty where none was.
        done, total: bytes; total is 0 where the server did not say.
    """

    spec: str
    sha256: str
    done: int
    total: int


class DownloadsPanel(JobList):
    """Lists the downloads that run, wait to be resumed, or have just finished.

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
        """Download a file, or resume where it is listed.

        Args:
            spec: as `pitwall models download` takes it. sha256: its promised hash; empty for the hub's.
        """
        unfinished = (card for card in self.cards if card.state is not JobState.DONE)
        known = next((card for card in unfinished if card.order.subject == spec), None)
        (known or self.add(_order(spec, sha256))).start()

    def read(self) -> None:
        """List the unfinished downloads of earlier consoles."""
        self._worker.ask(lambda: unfinished_downloads(self._folder), self._offer)

    def _offer(self, found: Sequence[UnfinishedDownload]) -> None:
        listed = {card.order.subject for card in self.cards}
        for part in found:
            if part.spec not in listed:
                progress = JobProgress(done=part.done, total=part.total)
                self.add(_order(part.spec, part.sha256), progress)

    def _announce(self, _order: JobOrder, answer: Any) -> None:
        if isinstance(answer, dict):
            entry = answer.get("entry")
            self.added.emit(str(entry.get("name", "")) if isinstance(entry, dict) else "")


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


def unfinished_downloads(folder: Path) -> tuple[UnfinishedDownload, ...]:
    """Read the downloads in a folder that can be resumed, by name."""
    from pitwall.models.downloads.partial_file import (
        PartNote,  # brings the hub's library along: loaded where it is needed
    )

    found: list[UnfinishedDownload] = []
    for note_file in sorted(folder.glob("*.part.json")):
        part = note_file.with_suffix("")
        try:
            note = PartNote.model_validate_json(note_file.read_bytes())
            done = part.stat().st_size if part.exists() else 0
        except (OSError, ValidationError):
            continue
        found.append(UnfinishedDownload(spec=note.spec, sha256=note.sha256, done=done, total=note.size_bytes))
    return tuple(found)


def download_outcome(answer: Mapping[str, object], *, expected: str, on_hub: bool) -> str:
    """Say which model was added and who promised its hash: "Added as NAME. Its SHA-256 9f2c… …"."""
    entry = answer.get("entry")
    first = f"Added as {entry.get('name')}." if isinstance(entry, dict) else str(answer.get("note", ""))
    short = f"Its SHA-256 {str(answer.get('sha256', ''))[:_SHORT_HASH]}…"
    if expected:
        return f"{first} {short} is the one that was asked for."
    return (
        f"{first} {short} {'was checked against the hub.' if on_hub else 'was taken; nobody promised one.'}"
    )
