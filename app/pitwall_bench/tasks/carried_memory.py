"""A run's memory before and after it: the session begins with the lent one, and hands on what it learned."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.memory_kinds import EpisodeMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.store import MemoryStore
from pitwall_bench.suites.memories import keep_snapshot
from pitwall_bench.suites.results import MemoryLink, TaskRun
from pitwall_bench.tasks.evolution import Evolved
from pitwall_bench.tasks.messages import LentMemory, PlayTask

MEMORY_FILE = "memory.jsonl"
"""The memory that a session hands on, in its folder: a snapshot's file."""
_ROLE = "task-seat"


def begin_memory(lent: LentMemory | None, data: DataFolder, game_id: str) -> None:
    """Fill a session's empty memory with the lent one, and number its run after those that it remembers.

    Raises:
        ImportRefused: the file is not the memory that was ordered. DataFolderError: no room.
    """
    if lent is None or lent.file is None:
        return
    with MemoryStore.open(data, role=_ROLE) as store:
        store.begin_from(lent.file, lent.content_hash)
        entries = store.entries(game_id)
    numbers = [entry.provenance.run_id or 0 for entry in entries]
    numbers += [entry.content.run_id or 0 for entry in entries if isinstance(entry.content, EpisodeMemory)]
    if newest := max(numbers, default=0):
        data.run(newest).mkdir(parents=True, exist_ok=True)


def hand_over(
    order: PlayTask, run: TaskRun, data: DataFolder, game_id: str, evolved: Evolved | None = None
) -> TaskRun:
    """Write the session's memory as a snapshot's file where a later run needs it; return the run with hashes.

    A run that was not played to its end teaches nothing: its memory stays as it was.

    Raises:
        DataFolderError: it cannot be written.
    """
    lent = order.memory
    if lent is None:
        return run
    link = MemoryLink(before=lent.content_hash, after=lent.content_hash)
    if run.played:
        file = memory_file(order.session) if lent.kept else None
        after = keep_snapshot(data, game_id, file, role=_ROLE, name=order.cell.key)
        link = link.model_copy(update={"after": after})
    if evolved is not None:
        figures = {"accepted": evolved.accepted, "retired": evolved.retired, "tried_s": evolved.tried_s}
        link = link.model_copy(update=figures)
    return run.model_copy(update={"memory": link})


def memory_file(session: Path) -> Path:
    """Return the file in which a session hands its memory on."""
    return session / MEMORY_FILE


def clear_memory(session: Path) -> None:
    """Remove a session's own copies of a memory that the suite keeps."""
    data = DataFolder(session)
    for file in (memory_file(session), *session.glob(f"{data.memory.name}*")):
        file.unlink(missing_ok=True)
