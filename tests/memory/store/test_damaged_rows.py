"""A cell of the memory that none of its writers wrote: the file and the row are named."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import CorruptDatabase
from pitwall.core.memories import Provenance, PutEntry, TakeSnapshot
from pitwall.core.memory_kinds import ActionEdge, StateNode
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall.store.database import raw_connection

_READS: dict[str, Callable[[MemoryReader, Path], object]] = {
    "changes": lambda reader, _: reader.history(),
    "snapshots": lambda reader, _: reader.snapshots(),
    "entries": lambda reader, out: reader.export(out / "memory.jsonl", "jsonl"),
}


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("changes", "after_flags", 1.5),
        ("changes", "after_flags", "word"),
        ("snapshots", "counts", "3"),
        ("snapshots", "counts", '{"node": {"b": 1}}'),
        ("entries", "content", "{}"),
        ("entries", "content", "[1]"),
    ],
)
def test_a_cell_of_another_type_is_named_with_its_file(
    data: DataFolder, tmp_path: Path, table: str, column: str, value: object
) -> None:
    with MemoryStore.open(data, role="test") as store:
        by = Provenance(author="operator")
        nodes = [PutEntry(game_id="flappy", content=StateNode(text=text)) for text in ("low", "high")]
        source, target = store.apply(nodes, by).entry_ids
        edge = ActionEdge(source=source, target=target, action="up")
        store.apply([PutEntry(game_id="flappy", content=edge), TakeSnapshot(name="mine")], by)
    with contextlib.closing(raw_connection(data.memory, "rw")) as connection:
        connection.execute("PRAGMA ignore_check_constraints = on")
        connection.execute("DROP TRIGGER IF EXISTS entries_au")
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
    with pytest.raises(CorruptDatabase, match=rf"memory\.sqlite is damaged: a row of {table}"):
        _READS[table](MemoryReader(data), tmp_path)
