"""One download as the page knows it: how far, how fast, how long still. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from pitwall.console.kit.format import left
from pitwall.console.models.format import of, rate, size

_SHORT_HASH = 16


class Stage(StrEnum):
    """What becomes of a download."""

    RUNNING = "downloading"
    CHECKING = "checking"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"


@dataclass(slots=True)
class Progress:
    """How a download stands.

    Attributes:
        done, total: bytes; total 0 while nobody has said.
        bytes_per_s: over the last seconds; 0 where nothing moves.
    """

    stage: Stage = Stage.PAUSED
    done: int = 0
    total: int = 0
    bytes_per_s: float = 0.0

    def take(self, line: Mapping[str, object]) -> None:
        """A line of progress as `pitwall models download --json` tells it."""
        self.done, self.total = _whole(line.get("progress")), _whole(line.get("of"))
        pace = line.get("bytes_per_s")
        self.bytes_per_s = float(pace) if isinstance(pace, int | float) else 0.0
        self.stage = Stage.CHECKING if line.get("stage") == Stage.CHECKING.value else Stage.RUNNING

    @property
    def share(self) -> float:
        """Done of all, 0 … 1; 0 where nobody has said."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def figures(self) -> str:
        """ "1.2 GiB of 2.4 GiB · 45 MiB/s · 26 s left"; what is not known is left out."""
        parts = [of(self.done, self.total) if self.total else size(self.done)]
        if self.stage is Stage.RUNNING and self.bytes_per_s > 0:
            parts.append(rate(self.bytes_per_s))
            if self.total > self.done:
                parts.append(left((self.total - self.done) / self.bytes_per_s))
        return " · ".join(filter(None, parts)) if self.done or self.total else ""


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What a download that ended early left on disk; total 0 and no hash where nobody said."""

    spec: str
    sha256: str
    done: int
    total: int


def unfinished(folder: Path) -> tuple[Unfinished, ...]:
    """Downloads in a folder that can be gone on with, by name."""
    from pitwall.models.downloads.partial_file import (
        PartNote,  # brings the hub's library along: loaded where it is needed
    )

    found: list[Unfinished] = []
    for note_file in sorted(folder.glob("*.part.json")):
        part = note_file.with_suffix("")
        try:
            note = PartNote.model_validate_json(note_file.read_bytes())
            done = part.stat().st_size if part.exists() else 0
        except (OSError, ValidationError):
            continue
        found.append(Unfinished(spec=note.spec, sha256=note.sha256, done=done, total=note.size_bytes))
    return tuple(found)


def done_words(answer: Mapping[str, object], *, expected: str, on_hub: bool) -> str:
    """What came: "Added as NAME. SHA-256 9f2c… is the hub's." """
    entry = answer.get("entry")
    first = f"Added as {entry.get('name')}." if isinstance(entry, dict) else str(answer.get("note", ""))
    short = f"Its SHA-256 {str(answer.get('sha256', ''))[:_SHORT_HASH]}…"
    if expected:
        return f"{first} {short} is the one that was asked for."
    return (
        f"{first} {short} {'was checked against the hub.' if on_hub else 'was taken; nobody promised one.'}"
    )
