"""What is different between two snapshots, or between one and the memory as it stands."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection

from pitwall.core.memories import MemoryContent, MemoryEntry
from pitwall.memory import records, snapshots
from pitwall.memory.portable import Portable, line_of, portable_of, rows_in


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """How one entry differs between two snapshots. entry_id: of the newer side, else of the older."""

    change: Literal["added", "removed", "changed"]
    entry_id: int
    before: MemoryEntry | None
    after: MemoryEntry | None


@dataclass(slots=True)
class _Side:
    """One side: a key for each of its entries, and how to read them again."""

    connection: Connection
    content_hash: str | None
    game_id: str
    origin: str

    def entries(self) -> Iterator[Portable]:
        if self.content_hash is not None:
            return snapshots.entries_in(self.connection, self.content_hash)
        rows = enumerate(rows_in(self.connection, self.game_id), start=1)
        return (portable_of(line_of(row), number) for number, row in rows)


def diff(connection: Connection, a: str, b: str | None) -> list[DiffRow]:
    """What is different in b (None: in the memory as it stands) from a.

    Entries of one memory are the same where their ids are; those of different memories where they are about
    the same (a state and its action, a name, a heading …).

    Raises:
        UnknownSnapshot: one of them is not there.
    """
    older = _side(connection, a)
    if b is None:
        newer = _Side(connection, None, older.game_id, snapshots.origin_of(connection))
    else:
        newer = _side(connection, b)
    same_memory = older.origin == newer.origin
    befores, afters = _beyond(older, newer), _beyond(newer, older)
    names = ({}, {}) if same_memory else (_state_names(older), _state_names(newer))
    known: dict[Any, list[Portable]] = {}
    for one in befores:
        known.setdefault(_identity(one, same_memory, names[0]), []).append(one)
    rows = []
    for one in afters:
        twins = known.get(_identity(one, same_memory, names[1]))
        before = twins.pop(0) if twins else None
        rows.append(_row("added" if before is None else "changed", before, one))
    left = [one for twins in known.values() for one in twins]
    rows += [_row("removed", one, None) for one in left]
    return sorted(rows, key=lambda row: row.entry_id)


def _side(connection: Connection, text: str) -> _Side:
    row = snapshots.find(connection, text)
    return _Side(connection, row["content_hash"], row["game_id"], row["origin"])


def _beyond(one: _Side, other: _Side) -> list[Portable]:
    """Entries of one side that have no equal on the other."""
    same_memory = one.origin == other.origin
    names = ({}, {}) if same_memory else (_state_names(one), _state_names(other))
    there = Counter(_print(entry, same_memory, names[1]) for entry in other.entries())
    beyond = []
    for entry in one.entries():
        key = _print(entry, same_memory, names[0])
        if there[key] > 0:
            there[key] -= 1
        else:
            beyond.append(entry)
    return beyond


def _print(one: Portable, same_memory: bool, names: dict[int, str]) -> Any:
    text = records.content_text(one.content)
    if same_memory:
        return (one.number, one.pinned, records.fingerprint(one.game_id, one.content.kind, text))
    spoken = tuple(names.get(number, "") for number in _spoken(one.content))
    if spoken:
        text = records.content_text(_without_ids(one.content))
    return (one.pinned, spoken, records.fingerprint(one.game_id, one.content.kind, text))


def _identity(one: Portable, same_memory: bool, names: dict[int, str]) -> Any:
    if same_memory:
        return one.number
    return (one.game_id, one.content.kind, *_about(one.content, names))


def _about(content: MemoryContent, names: dict[int, str]) -> tuple[Any, ...]:
    match content.kind:
        case "action":
            return (content.state, content.action, content.tag)
        case "edge" | "likeness":
            spoken = (names.get(number, "") for number in _spoken(content))
            return (*spoken, getattr(content, "action", ""))
        case "episode":
            return (content.key, content.run_id)
        case "note":
            return (content.about, content.text)
        case _:
            return (records.label_of(content),)


def _spoken(content: MemoryContent) -> tuple[int, ...]:
    names = records.REFERENCES.get(content.kind, ())
    return tuple(number for name in names if (number := getattr(content, name)) is not None)


def _without_ids(content: MemoryContent) -> MemoryContent:
    cleared: dict[str, Any] = dict.fromkeys(records.REFERENCES[content.kind], 0)
    return dataclasses.replace(content, **cleared)


def _state_names(side: _Side) -> dict[int, str]:
    return {
        one.number: records.label_of(one.content)
        for one in side.entries()
        if one.content.kind in ("node", "skill")
    }


def _row(
    change: Literal["added", "removed", "changed"], before: Portable | None, after: Portable | None
) -> DiffRow:
    number = after.number if after is not None else before.number if before is not None else 0
    return DiffRow(change=change, entry_id=number, before=_entry(before), after=_entry(after))


def _entry(one: Portable | None) -> MemoryEntry | None:
    if one is None:
        return None
    return MemoryEntry(
        entry_id=one.number,
        game_id=one.game_id,
        content=one.content,
        provenance=one.provenance,
        changed_by=one.provenance,
        pinned=one.pinned,
        forgotten=one.forgotten,
        created_at=one.created_at,
    )
