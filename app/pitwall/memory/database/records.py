"""Converts entries of the memory to rows of its database, and back.

Contents are stored as JSON with sorted keys and no blanks. Equal contents are therefore equal texts and can
be compared and hashed without parsing. Texts are stored unchanged, except that half of a UTF-16 pair, which
no file can hold, becomes "?". A second, case-folded copy is searched.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, cast

from pitwall.core.bounded_reading import valid_text
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import CONTENT_TYPES, MemoryContent, fields_of
from pitwall.memory.database.schema import Standing
from pitwall.store.database_errors import reads_row
from pitwall.store.strict_json import to_json


class Row(Protocol):
    """A row by column names."""

    def __getitem__(self, column: str, /) -> Any: ...


REFERENCES: Mapping[str, tuple[str, ...]] = {
    kind: tuple(name for name, field in fields_of(kind).items() if field.about.refers_to)
    for kind in CONTENT_TYPES
}
"""Kind → fields that hold ids of other entries; they are repeated in the columns `first` and `second`."""
COLUMNS: Mapping[str, Mapping[str, str]] = {
    kind: {name: field.about.column for name, field in fields_of(kind).items() if field.about.column}
    for kind in CONTENT_TYPES
}
"""Kind → field of its contents → the column of the table `entries` that repeats it."""
_COLUMN_NAMES = tuple(dict.fromkeys(column for columns in COLUMNS.values() for column in columns.values()))
_LABEL_LENGTH = 120


# ---- contents


def content_text(content: MemoryContent) -> str:
    """Return contents as they are stored. The kind has a column of its own."""
    return to_json({name: getattr(content, name) for name in sorted(fields_of(content.kind))})


@reads_row("entries")
def content_of(kind: str, text: str) -> MemoryContent:
    """Read the contents of a row. Fields that an older version did not store get their defaults."""
    return content_from(kind, json.loads(text))


@reads_row("entries")
def content_from(kind: str, values: dict[str, Any]) -> MemoryContent:
    """Build contents from plain JSON values; unknown keys are ignored."""
    known = {name: values[name] for name in fields_of(kind) if name in values}
    return cast(MemoryContent, CONTENT_TYPES[kind](**known))


def fingerprint(game_id: str, kind: str, text: str) -> int:
    """Return a 64-bit hash that equal entries share; `text` comes from `content_text`."""
    digest = hashlib.sha256(f"{game_id}\n{kind}\n{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def content_columns(content: MemoryContent) -> dict[str, Any]:
    """Return the columns of `entries` that repeat fields of the contents, and `label`."""
    columns = dict.fromkeys(_COLUMN_NAMES)
    for name, column in COLUMNS[content.kind].items():
        value = getattr(content, name)
        columns[column] = valid_text(value) if isinstance(value, str) else value
    columns["label"] = label_of(content)
    return columns


def label_of(content: MemoryContent) -> str:
    """Return an entry's label, one line."""
    return valid_text(" ".join(content.label.replace("\0", " ").split())[:_LABEL_LENGTH])


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
    """Return a text in the form that search compares: one form of each character, no case."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", valid_text(text))
    return text.casefold().replace("\0", " ")


# ---- provenance


def provenance_text(by: Provenance) -> str:
    """Return provenance as it is stored: without default values."""
    values: dict[str, Any] = {"author": by.author}
    for name in ("run_id", "step", "frame_id"):
        if (number := getattr(by, name)) is not None:
            values[name] = number
    for name in ("reason", "source", "text_of"):
        if text := getattr(by, name):
            values[name] = text
    return to_json(values)


@lru_cache(maxsize=4096)
@reads_row("entries")
def provenance_of(text: str) -> Provenance:
    """Read the provenance of a row."""
    values = json.loads(text)
    return Provenance(**{name: values[name] for name in _PROVENANCE if name in values})


_PROVENANCE = tuple(field.name for field in dataclasses.fields(Provenance))


# ---- entries


@reads_row("entries")
def entry_of(row: Row) -> MemoryEntry:
    """Read the entry of a row of `entries`."""
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
    """Return standing and pin as one number, as `changes` stores them."""
    return standing * 2 + int(pinned)
