"""The memory's one writer: the engine, a memory command, or the keeper that the console starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pitwall.core.memories import EditResult, MemoryContent, MemoryEdit, MemoryEntry, MemoryKind, Provenance
from pitwall.core.paths import DataFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWrite:
    """What the agent wants to remember: a new entry (entry_id None), or an entry's new contents."""

    game_id: str
    content: MemoryContent
    provenance: Provenance
    entry_id: int | None = None


class MemoryStore:
    """Writes the memory. Usable from several threads; calls wait for one another.

    Attributes:
        notices: what the operator should know about opening, one sentence each.
    """

    notices: list[str]

    @classmethod
    def open(cls, data: DataFolder, *, role: str) -> MemoryStore:
        """Take the lock, migrate after a backup, set damage aside, take in what the run log remembered.

        Raises:
            DataFolderError: read-only, full, written by another process (named) or by a newer Pitwall.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Fold the write-ahead log into the file and let others write."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def entries(
        self, game_id: str, kinds: Iterable[MemoryKind] | None = None, *, forgotten: bool = False
    ) -> list[MemoryEntry]:
        """Entries of a game by id; the forgotten ones instead where `forgotten`."""
        raise NotImplementedError

    def some(self, entry_ids: Iterable[int]) -> list[MemoryEntry]:
        """These entries, forgotten ones too, by id; those that are not there are left out."""
        raise NotImplementedError

    def apply(self, edits: Sequence[MemoryEdit], by: Provenance) -> EditResult:
        """Do every edit in one transaction, or none; what was refused, and why, stands in the result.

        Raises:
            DataFolderError: it could not be committed; nothing of it is kept.
        """
        raise NotImplementedError

    def write(self, changes: Sequence[AgentWrite]) -> list[MemoryEntry | None]:
        """Commit what the agent learnt, in one transaction, and return each entry as it stands now.

        Pinned and forgotten entries are left as they are and returned so. An entry that is gone is made
        anew. None stands for an edge or a likeness one of whose states is gone or forgotten: it is left out.

        Raises:
            DataFolderError: it could not be committed; nothing of it is kept.
        """
        raise NotImplementedError

    def vectors(self, embedder: str, game_id: str = "") -> dict[int, NDArray[np.float32]]:
        """Vectors of states, by entry id: of one game, or of all."""
        raise NotImplementedError

    def put_vectors(self, embedder: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Keep vectors of states; those of entries that are gone are passed over."""
        raise NotImplementedError

    def snapshot_hash(self, game_id: str) -> str:
        """SHA-256 over the canonical rows of a game's entries in use (empty: of all games)."""
        raise NotImplementedError

    def keep_snapshot(self, game_id: str, name: str = "") -> str:
        """Keep a snapshot of a game (empty: of all) and return its content hash; one that is there already
        is not kept twice. Of those without a name only the newest few dozens stay."""
        raise NotImplementedError
