"""The memory's store in a thread of its own: the loop hands over jobs and takes their results."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.commands import EditMemory
from pitwall.core.errors import PitwallError, unexpected
from pitwall.core.memories import FlagEntries, MemoryEntry, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.model_telemetry import Tally
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import MemoryChanged
from pitwall.link.wake_queue import WakeQueue
from pitwall.memory.keeper import MemoryEditHandler
from pitwall.memory.store import AgentWrite, MemoryStore

_log = logging.getLogger(__name__)

Vectors = dict[int, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The memory is open: the game's entries in use, its track record, notices for the operator."""

    entries: list[MemoryEntry]
    tallies: list[tuple[str, Tally]]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A job could not be done; `opening`: the memory could not even be opened."""

    error: PitwallError
    opening: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Holds the entries of a committed write as they are now, None for each that was left out.

    Attributes:
        lessons: it was a finished run's, beside the loop's own writes.
    """

    entries: list[MemoryEntry | None]
    lessons: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """An operator's edit was answered.

    Attributes:
        answers: telemetry to send. entries: the touched entries as they are now.
        gone: ids of entries that are no longer in use.
        whole: `entries` is the whole memory (a snapshot was restored, a file imported).
    """

    answers: list[Any]
    entries: list[MemoryEntry] = field(default_factory=list)
    gone: tuple[int, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsRead:
    """An embedder's vectors of the states."""

    embedder: str
    vectors: Vectors


Done = Loaded | Refused | Written | Edited | VectorsRead
_Job = Callable[[MemoryStore], Done | None]


class MemoryWorker:
    """Opens, reads and writes one game's memory in a thread."""

    def __init__(self, data: DataFolder, game_id: str) -> None:
        self._data = data
        self._game_id = game_id
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._done: WakeQueue[Done] = WakeQueue()
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._done.fileno()

    def done(self) -> list[Done]:
        return self._done.take_all()

    def write(self, changes: Sequence[AgentWrite]) -> None:
        self._jobs.put(lambda store: Written(entries=store.write(changes)))

    def forget(self, entry_ids: Sequence[int]) -> None:
        """Forget surplus entries; the operator may restore them."""
        self._jobs.put(lambda store: self._forgotten(store, entry_ids))

    def write_lessons(self, lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        """Work out a finished run's lessons beside the loop, and commit them.

        Args:
            lessons: turns the game's entries in use, and its forgotten skills, into writes.
        """

        def learn(store: MemoryStore) -> Written:
            gone = store.entries(self._game_id, (MemoryKind.SKILL,), forgotten=True)
            known = [*store.entries(self._game_id), *gone]
            return Written(entries=store.write(lessons(known)), lessons=True)

        self._jobs.put(learn)

    def add_tally(self, model: str, tally: Tally) -> None:
        self._jobs.put(lambda store: store.add_tally(self._game_id, model, tally))

    def keep_vectors(self, embedder: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        self._jobs.put(lambda store: store.put_vectors(embedder, vectors))

    def read_vectors(self, embedder: str) -> None:
        self._jobs.put(
            lambda store: VectorsRead(embedder=embedder, vectors=store.vectors(embedder, self._game_id))
        )

    def edit(self, command: EditMemory) -> None:
        self._jobs.put(lambda store: self._edited(store, command))

    def snapshot(self, timeout_s: float) -> str:
        """Keep a snapshot of the memory and return its content hash; empty if it fails or takes too long.

        The one call that waits: a run begins with it.
        """
        answer: queue.SimpleQueue[str] = queue.SimpleQueue()

        def keep(store: MemoryStore) -> None:
            try:
                answer.put(store.keep_snapshot(self._game_id))
            except Exception:
                answer.put("")
                raise

        self._jobs.put(keep)
        try:
            return answer.get(timeout=timeout_s)
        except queue.Empty:
            return ""

    def close(self, timeout_s: float = 10.0) -> None:
        """Finish the waiting jobs, then release the memory."""
        self._jobs.put(None)
        self._thread.join(timeout_s)
        self._done.close()

    def _work(self) -> None:
        with contextlib.ExitStack() as closing:
            try:
                store = closing.enter_context(MemoryStore.open(self._data, role="engine"))
                loaded = Loaded(
                    entries=store.entries(self._game_id),
                    tallies=store.track_record(self._game_id),
                    notices=tuple(store.notices),
                )
            except Exception as error:
                known = self._known(error)
                self._done.put(Refused(error=known, opening=True))
                while self._jobs.get() is not None:  # refuse every job: there is no memory
                    self._done.put(Refused(error=known))
                return
            self._done.put(loaded)
            while (job := self._jobs.get()) is not None:
                self._do(job, store)

    def _known(self, error: Exception) -> PitwallError:
        if not isinstance(error, PitwallError):
            _log.error("the memory failed", exc_info=error)
        return unexpected("the memory", error, "See logs/engine.log.")

    def _do(self, job: _Job, store: MemoryStore) -> None:
        try:
            done = job(store)
        except Exception as error:
            done = Refused(error=self._known(error))
        if done is not None:
            self._done.put(done)

    def _edited(self, store: MemoryStore, command: EditMemory) -> Edited:
        answers = MemoryEditHandler(store).answer(command)
        changed = [note for note in answers if isinstance(note, MemoryChanged)]
        if any(not note.entry_ids for note in changed):
            return Edited(answers=list(answers), entries=store.entries(self._game_id), whole=True)
        touched = {entry_id for note in changed for entry_id in note.entry_ids}
        return self._outcome(store, list(answers), touched)

    def _forgotten(self, store: MemoryStore, entry_ids: Sequence[int]) -> Edited:
        why = "the memory is full"
        edit = FlagEntries(entry_ids=tuple(entry_ids), forgotten=True, reason=why)
        store.apply((edit,), Provenance(author="agent", reason=why))
        return self._outcome(store, [], set(entry_ids))

    def _outcome(self, store: MemoryStore, answers: list[Any], touched: set[int]) -> Edited:
        """Return the entries that an edit touched: those in use, and the ids of the others."""
        entries = store.some(touched)
        used = [entry for entry in entries if not entry.forgotten and entry.game_id == self._game_id]
        return Edited(answers=answers, entries=used, gone=tuple(touched - {entry.entry_id for entry in used}))
