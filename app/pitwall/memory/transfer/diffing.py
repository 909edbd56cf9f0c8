"""Compares two snapshots, or a snapshot with the current memory."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import BETWEEN_STATES, MemoryContent
from pitwall.memory.database import records
from pitwall.memory.transfer import snapshots
from pitwall.memory.transfer.portable import PortableEntry, line_of, portable_of, rows_in


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """Holds one entry's difference between two snapshots. entry_id: of the newer side, else of the older."""

    change: Literal["added", "removed", "changed"]
    entry_id: int
    before: MemoryEntry | None
    after: MemoryEntry | None


@dataclass(slots=True)
class _Side:
    """One side of the comparison. content_hash: None for the current memory."""

    connection: Connection
    content_hash: str | None
    game_id: str
    origin: str

    def lines(self) -> Iterator[str]:
        if self.content_hash is not None:
            return snapshots.lines_in(self.connection, self.content_hash)
        return (line_of(row) for row in rows_in(self.connection, self.game_id))


def diff(connection: Connection, a: str, b: str | None) -> list[DiffRow]:
    """Return the differences of b (None: the current memory) from a.

    Entries of one memory are the same if their ids are. Entries of different memories are the same if they
    concern the same thing (a state and its action, a name, a heading …).

    Raises:
        UnknownSnapshot: a snapshot does not exist.
    """
    older = _side(connection, a)
    if b is None:
        newer = _Side(connection, None, older.game_id, snapshots.origin_of(connection))
    else:
        newer = _side(connection, b)
    same_memory = older.origin == newer.origin
    before, after = _read(older, newer if same_memory else None), _read(newer, older if same_memory else None)
    names = ({}, {}) if same_memory else (_names(before), _names(after))
    gone = _beyond(before, names[0], after, names[1], same_memory)
    come = _beyond(after, names[1], before, names[0], same_memory)
    known: dict[Any, list[PortableEntry]] = {}
    for entry in gone:
        known.setdefault(_identity(entry, same_memory, names[0]), []).append(entry)
    rows = []
    for entry in come:
        twins = known.get(_identity(entry, same_memory, names[1]))
        twin = twins.pop(0) if twins else None
        rows.append(_row("added" if twin is None else "changed", twin, entry))
    rows += [_row("removed", entry, None) for twins in known.values() for entry in twins]
    return sorted(rows, key=lambda row: row.entry_id)


def _side(connection: Connection, text: str) -> _Side:
    row = snapshots.find(connection, text)
    return _Side(connection, row["content_hash"], row["game_id"], row["origin"])


def _read(side: _Side, other: _Side | None) -> list[PortableEntry]:
    """Return a side's entries, without those that the other side of the same memory has unchanged."""
    known = frozenset() if other is None else frozenset(map(hash, other.lines()))
    lines = enumerate(side.lines(), start=1)
    return [portable_of(line, row) for row, line in lines if hash(line) not in known]


def _beyond(
    entries: list[PortableEntry],
    names: dict[int, str],
    other: list[PortableEntry],
    other_names: dict[int, str],
    same_memory: bool,
) -> list[PortableEntry]:
    """Return entries of one side that have no equal on the other."""
    there = Counter(_print(entry, same_memory, other_names) for entry in other)
    beyond = []
    for entry in entries:
        key = _print(entry, same_memory, names)
        if there[key] > 0:
            there[key] -= 1
        else:
            beyond.append(entry)
    return beyond


def _print(entry: PortableEntry, same_memory: bool, names: dict[int, str]) -> Any:
    text = records.content_text(entry.content)
    if same_memory:
        return (entry.number, entry.pinned, records.fingerprint(entry.game_id, entry.content.kind, text))
    spoken = _called(entry.content, names)
    if spoken:
        text = records.content_text(_without_ids(entry.content))
    return (entry.pinned, spoken, records.fingerprint(entry.game_id, entry.content.kind, text))


def _identity(entry: PortableEntry, same_memory: bool, names: dict[int, str]) -> Any:
    if same_memory:
        return entry.number
    return (entry.game_id, entry.content.kind, *_about(entry.content, names))


def _about(content: MemoryContent, names: dict[int, str]) -> tuple[Any, ...]:
    """Return the values by which entries of different memories count as the same."""
    same = tuple(getattr(content, name) for name in content.facts.same_by)
    if content.kind in BETWEEN_STATES:
        return (*_called(content, names), *same)
    return same or (records.label_of(content),)


def _called(content: MemoryContent, names: dict[int, str]) -> tuple[str, ...]:
    """Return the labels of the entries that contents refer to; a likeness has no direction."""
    numbers = (getattr(content, name) for name in records.REFERENCES.get(content.kind, ()))
    called = [names.get(number, "") for number in numbers if number is not None]
    return tuple(sorted(called) if content.kind == "likeness" else called)


def _without_ids(content: MemoryContent) -> MemoryContent:
    cleared: dict[str, Any] = dict.fromkeys(records.REFERENCES[content.kind], 0)
    return dataclasses.replace(content, **cleared)


def _names(entries: list[PortableEntry]) -> dict[int, str]:
    """Return the labels of the entries that edges, likenesses and skills refer to."""
    return {
        entry.number: records.label_of(entry.content)
        for entry in entries
        if entry.content.kind in ("node", "skill")
    }


def _row(
    change: Literal["added", "removed", "changed"], before: PortableEntry | None, after: PortableEntry | None
) -> DiffRow:
    number = after.number if after is not None else before.number if before is not None else 0
    return DiffRow(change=change, entry_id=number, before=_entry(before), after=_entry(after))


def _entry(entry: PortableEntry | None) -> MemoryEntry | None:
    if entry is None:
        return None
    return MemoryEntry(
        entry_id=entry.number,
        game_id=entry.game_id,
        content=entry.content,
        provenance=entry.provenance,
        changed_by=entry.provenance,
        pinned=entry.pinned,
        forgotten=entry.forgotten,
        created_at=entry.created_at,
    )
