"""Reads the choices for an exam: runs to ask about, models that can answer, memory snapshots. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted, local_time
from pitwall.memory.reader import MemoryReader
from pitwall.models.registry import ModelRegistry
from pitwall.store.run_log import RunReader, RunRow

_RUNS_MOST = 200


@dataclass(frozen=True, slots=True)
class SnapshotChoice:
    """A snapshot of the memory that retrieval can ask. game_id: empty if it contains every game."""

    content_hash: str
    game_id: str
    words: str


@dataclass(frozen=True, slots=True)
class ExamChoices:
    """The choices that dialogs offer, newest first.

    Attributes:
        runs: numbers of runs that can be asked about, each with a description.
        models: names of models that write text.
    """

    runs: tuple[tuple[int, str], ...] = ()
    models: tuple[str, ...] = ()
    snapshots: tuple[SnapshotChoice, ...] = ()


def read_choices(data: DataFolder) -> ExamChoices:
    """Read the current choices; unreadable ones are left out (their own page says why)."""
    return ExamChoices(_runs(data), _models(data), _snapshots(data))


def _runs(data: DataFolder) -> tuple[tuple[int, str], ...]:
    reader = RunReader(data)
    try:
        return tuple(_run(row) for row in reader.runs(_RUNS_MOST))
    except PitwallError:
        return ()
    finally:
        reader.close()


def _run(row: RunRow) -> tuple[int, str]:
    started = local_time(row.manifest.started_at)
    steps = counted(row.summary.steps, "step")
    return row.run_id, f"run {row.run_id} · {row.manifest.game_name} · {started} · {steps}"


def _models(data: DataFolder) -> tuple[str, ...]:
    try:
        entries = ModelRegistry(data).all()
    except PitwallError:
        return ()
    return tuple(entry.name for entry in entries if entry.writes_text)


def _snapshots(data: DataFolder) -> tuple[SnapshotChoice, ...]:
    reader = MemoryReader(data)
    try:
        rows = reader.snapshots()
    except PitwallError:
        return ()
    finally:
        reader.close()
    return tuple(
        SnapshotChoice(
            row.content_hash,
            row.game_id,
            " · ".join(filter(None, (row.name, row.content_hash[:8], local_time(row.at), row.game_id))),
        )
        for row in rows
    )
