"""Entries of the memory as rows of its database, and back.

Contents are kept as JSON with sorted keys and no blanks: equal contents are equal texts, so comparing and
hashing need no parsing. Texts stay as they were written, whatever stands in them; only half of a UTF-16
pair, which no file can hold, becomes "?". What is searched is a second, folded copy.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Protocol, get_type_hints

from pitwall.core.memories import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    MemoryEntry,
    MemoryKind,
    ProcedureMemory,
    Provenance,
    SkillMemory,
    StateNode,
)
from pitwall.memory.database.schema import Standing
from pitwall.store.database_errors import reads_row
from pitwall.store.records import to_json, whole_text


class Row(Protocol):
    """A row by column names."""

    def __getitem__(self, column: str, /) -> Any: ...


CONTENT_TYPES: Mapping[str, type[Any]] = {
    MemoryKind.ACTION: ActionMemory,
    MemoryKind.NODE: StateNode,
    MemoryKind.EDGE: ActionEdge,
    MemoryKind.LIKENESS: Likeness,
    MemoryKind.SKILL: SkillMemory,
    MemoryKind.EPISODE: EpisodeMemory,
    MemoryKind.KNOWLEDGE: KnowledgeMemory,
    MemoryKind.NOTE: GlobalNote,
    MemoryKind.PROCEDURE: ProcedureMemory,
}

REFERENCES: Mapping[str, tuple[str, ...]] = {
    MemoryKind.EDGE: ("source", "target"),
    MemoryKind.LIKENESS: ("first", "second"),
    MemoryKind.SKILL: ("similar_to",),
}
"""Kind → fields that hold ids of other entries; they stand in the columns `first` and `second`."""
BETWEEN_STATES = (MemoryKind.EDGE.value, MemoryKind.LIKENESS.value)
"""Kinds that cannot stand without the states they join."""

_LABEL_LENGTH = 120
_LABELS: Mapping[str, str] = {
    MemoryKind.ACTION: "state",
    MemoryKind.NODE: "text",
    MemoryKind.EDGE: "action",
    MemoryKind.SKILL: "name",
    MemoryKind.EPISODE: "text",
    MemoryKind.KNOWLEDGE: "heading",
    MemoryKind.NOTE: "text",
    MemoryKind.PROCEDURE: "action",
}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    MemoryKind.ACTION: {
        "action": "action",
        "tag": "facet",
        "reward": "reward",
        "successes": "successes",
        "attempts": "attempts",
        "at_s": "at_s",
    },
    MemoryKind.NODE: {},
    MemoryKind.EDGE: {
        "source": "first",
        "target": "second",
        "action": "action",
        "count": "amount",
        "reward": "reward",
        "successes": "successes",
        "attempts": "attempts",
    },
    MemoryKind.LIKENESS: {"first": "first", "second": "second", "cosine": "reward"},
    MemoryKind.SKILL: {
        "similar_to": "first",
        "status": "facet",
        "uses": "attempts",
        "successes": "successes",
        "priority": "amount",
    },
    MemoryKind.EPISODE: {"key": "facet"},
    MemoryKind.KNOWLEDGE: {},
    MemoryKind.NOTE: {"about": "facet"},
    MemoryKind.PROCEDURE: {"action": "action", "successes": "successes", "attempts": "attempts"},
}
"""Kind → field of its contents → the column that repeats it."""
_COLUMN_NAMES = ("action", "facet", "reward", "successes", "attempts", "amount", "at_s", "first", "second")


# ---- contents


@cache
def fields_of(kind: str) -> tuple[str, ...]:
    """Names of the fields of a kind's contents, without `kind` itself."""
    return tuple(field.name for field in dataclasses.fields(CONTENT_TYPES[kind]) if field.name != "kind")


def content_text(content: MemoryContent) -> str:
    """Contents as they are kept. The kind stands in a column of its own, not here."""
    values = {name: getattr(content, name) for name in _sorted_fields(content.kind)}
    for name in _fractions(content.kind):
        values[name] = float(values[name])
    return to_json(values)


@reads_row("entries")
def content_of(kind: str, text: str) -> MemoryContent:
    """The contents in a row. What an older version did not keep takes its default."""
    return content_from(kind, json.loads(text))


@reads_row("entries")
def content_from(kind: str, values: dict[str, Any]) -> MemoryContent:
    """Contents of plain values, as JSON gives them; keys that are no fields are passed over."""
    known = {name: values[name] for name in fields_of(kind) if name in values}
    for name in _lists(kind):
        if name in known:
            known[name] = tuple(known[name])
    content: MemoryContent = CONTENT_TYPES[kind](**known)
    return content


def fingerprint(game_id: str, kind: str, text: str) -> int:
    """A 64-bit name of equal entries; `text` as of `content_text`."""
    digest = hashlib.sha256(f"{game_id}\n{kind}\n{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def content_columns(content: MemoryContent) -> dict[str, Any]:
    """The columns of `entries` that repeat something of the contents, and `label`."""
    columns = dict.fromkeys(_COLUMN_NAMES)
    for name, column in COLUMNS[content.kind].items():
        value = getattr(content, name)
        columns[column] = whole_text(value) if isinstance(value, str) else value
    columns["label"] = label_of(content)
    return columns


def label_of(content: MemoryContent) -> str:
    """Return an entry's label, one line."""
    if content.kind == "likeness":
        return f"{content.first} ~ {content.second}"
    text: str = getattr(content, _LABELS[content.kind])
    return whole_text(" ".join(text.replace("\0", " ").split())[:_LABEL_LENGTH])


def search_text(content: MemoryContent) -> str:
    """Return an entry's search text: all its texts, folded, one a line."""
    texts: list[str] = []
    for name in fields_of(content.kind):
        value = getattr(content, name)
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, tuple):
            texts.extend(value)
    return fold("\n".join(text for text in texts if text))


def fold(text: str) -> str:
    """A text as search compares it: one form of each character, no case."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", whole_text(text))
    return text.casefold().replace("\0", " ")


# ---- provenance


def provenance_text(by: Provenance) -> str:
    """Provenance as it is kept: without what is at its default."""
    values: dict[str, Any] = {"author": by.author}
    for name in ("run_id", "step", "frame_id"):
        if (number := getattr(by, name)) is not None:
            values[name] = number
    if by.reason:
        values["reason"] = by.reason
    if by.source:
        values["source"] = by.source
    return to_json(values)


@lru_cache(maxsize=4096)
@reads_row("entries")
def provenance_of(text: str) -> Provenance:
    """The provenance in a row."""
    values = json.loads(text)
    return Provenance(**{name: values[name] for name in _PROVENANCE if name in values})


_PROVENANCE = tuple(field.name for field in dataclasses.fields(Provenance))


# ---- entries


@reads_row("entries")
def entry_of(row: Row) -> MemoryEntry:
    """The entry in a row of `entries`."""
    return MemoryEntry(
        entry_id=row["entry_id"],
        game_id=row["game_id"],
        content=content_of(row["kind"], row["content"]),
        provenance=provenance_of(row["provenance"]),
        changed_by=provenance_of(row["changed_by"]),
        pinned=bool(row["pinned"]),
        forgotten=row["standing"] != Standing.USED,
        version=row["version"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
    )


def flags_of(standing: int, *, pinned: bool) -> int:
    """Standing and pin as `changes` keeps them."""
    return standing * 2 + int(pinned)


@cache
def _sorted_fields(kind: str) -> tuple[str, ...]:
    return tuple(sorted(fields_of(kind)))


@cache
def _fractions(kind: str) -> tuple[str, ...]:
    hints = get_type_hints(CONTENT_TYPES[kind])
    return tuple(name for name in fields_of(kind) if hints[name] is float)


@cache
def _lists(kind: str) -> tuple[str, ...]:
    hints = get_type_hints(CONTENT_TYPES[kind])
    return tuple(name for name in fields_of(kind) if hints[name] == tuple[str, ...])
