"""Real memories in data folders of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pitwall.core.memories import EditResult, MemoryEdit, Provenance, PutEntry
from pitwall.core.memory_kinds import ActionMemory, MemoryContent
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import AgentWrite, MemoryStore

Apply = Callable[..., EditResult]
Put = Callable[..., int]
Write = Callable[..., int]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """A data folder that does not exist yet."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def store(data: DataFolder) -> Iterator[MemoryStore]:
    """An open memory."""
    with MemoryStore.open(data, role="test") as opened:
        yield opened


@pytest.fixture
def reader(data: DataFolder, store: MemoryStore) -> Iterator[MemoryReader]:  # noqa: ARG001
    """A reader beside the open memory."""
    opened = MemoryReader(data)
    yield opened
    opened.close()


@pytest.fixture
def apply(store: MemoryStore) -> Apply:
    """Edits by the operator."""

    def edit(*edits: MemoryEdit) -> EditResult:
        return store.apply(edits, Provenance(author="operator"))

    return edit


@pytest.fixture
def put(apply: Apply) -> Put:
    """Adds an entry; its id."""

    def add(content: MemoryContent, game_id: str = "flappy", pinned: bool = False) -> int:
        result = apply(PutEntry(game_id=game_id, content=content, pinned=pinned))
        assert result.done, result.what
        return result.entry_ids[0]

    return add


@pytest.fixture
def write(store: MemoryStore) -> Write:
    """Writes what the agent learnt; the entry's id."""

    def learn(
        content: MemoryContent | None = None,
        entry_id: int | None = None,
        run_id: int = 1,
        step: int = 1,
        reward: float = 0.0,
    ) -> int:
        content = content or ActionMemory(state="bird low", action="flap", reward=reward, attempts=1)
        by = Provenance(author="agent", run_id=run_id, step=step, reason="seen")
        change = AgentWrite(entry_id=entry_id, game_id="flappy", content=content, provenance=by)
        [entry] = store.write([change])
        assert entry is not None
        return entry.entry_id

    return learn
