"""Entries outside the database: one line of JSON each, and a hash that equal memories share on any machine.

The hash is SHA-256 over the sorted SHA-256s of canonical rows: game, kind, pin and contents of each entry in
use, without ids, times and provenance. References to other entries are replaced by the hashes of their
canonical rows, so that two states with the same text count as one for their edges.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import BETWEEN_STATES, MemoryContent
from pitwall.memory.database import records
from pitwall.store.database_errors import object_in, reads_row
from pitwall.store.strict_json import to_json

_FIRST_LINE = b"pitwall memory 1\n"
_BATCH = 1000

_ROWS = """
SELECT entry_id, game_id, kind, standing, pinned, first, second, created_at, provenance, content
FROM entries WHERE (:game_id = '' OR game_id = :game_id) AND standing <= :standing
    AND kind {joining} IN ('edge', 'likeness') ORDER BY entry_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableEntry:
    """An entry of a file or a snapshot.

    Attributes:
        row: line of the file. number: its id there, which other entries refer to.
        names: field → how the file names the entry that the field refers to.
    """

    row: int
    number: int
    game_id: str
    content: MemoryContent
    provenance: Provenance
    pinned: bool = False
    forgotten: bool = False
    created_at: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


def rows_in(connection: Connection, game_id: str, *, forgotten: bool = False) -> Iterator[RowMapping]:
    """Yield rows of a game's entries in use (empty: of all games), edges and likenesses last."""
    given = {"game_id": game_id, "standing": int(forgotten)}
    for joining in ("NOT", ""):
        statement = _ROWS.format(joining=joining)
        options = {"yield_per": _BATCH}
        yield from connection.exec_driver_sql(statement, given, execution_options=options).mappings()


def line_of(row: records.Row) -> str:
    """Return an entry's line, without its end; the contents are those of the database."""
    head = {
        "id": row["entry_id"],
        "game_id": row["game_id"],
        "pinned": bool(row["pinned"]),
        **({"forgotten": True} if row["standing"] else {}),
        "created_at": row["created_at"],
    }
    kind = json.dumps(row["kind"])
    content = f'{{"kind":{kind},{row["content"][1:]}'
    return f'{to_json(head)[:-1]},"provenance":{row["provenance"]},"content":{content}}}'


@reads_row("the entries of a snapshot")
def portable_of(line: str, row: int) -> PortableEntry:
    """Read the entry of a line that this memory wrote."""
    values = json.loads(line)
    content = values["content"]
    return PortableEntry(
        row=row,
        number=values["id"],
        game_id=values["game_id"],
        content=records.content_from(content["kind"], content),
        provenance=Provenance(**values["provenance"]),
        pinned=values["pinned"],
        forgotten=values.get("forgotten", False),
        created_at=values["created_at"],
    )


class CanonicalHash:
    """Takes entries, edges and likenesses last, and gives their hash."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._names: dict[int, str] = {}
        self._later: list[tuple[str, int, dict[str, Any]]] = []
        self.counts: dict[str, int] = {}

    def add(self, number: int, game_id: str, kind: str, content: str, *, pinned: bool) -> None:
        """Take an entry; `content` as of `records.content_text`."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == MemoryKind.SKILL:
            values = object_in(content)
            alone = to_json({**values, **dict.fromkeys(_referring(kind, values))})
            self._names[number] = _digest(game_id, kind, pinned, alone).hex()
            self._later.append((game_id, pinned, values))
            return
        if kind in BETWEEN_STATES:
            content = self._named(kind, object_in(content))
        digest = _digest(game_id, kind, pinned, content)
        if kind == MemoryKind.NODE:
            self._names[number] = digest.hex()
        self._digests.append(digest)

    def hexdigest(self) -> str:
        """Return the hash of all added entries."""
        skills = [
            _digest(game_id, MemoryKind.SKILL, bool(pinned), self._named(MemoryKind.SKILL, values))
            for game_id, pinned, values in self._later
        ]
        whole = hashlib.sha256(_FIRST_LINE)
        for digest in sorted([*self._digests, *skills]):
            whole.update(digest)
        return whole.hexdigest()

    def _named(self, kind: str, values: dict[str, Any]) -> str:
        values = dict(values)
        for name in _referring(kind, values):
            if values[name] is not None:
                values[name] = self._names.get(values[name], "none")
        if kind == MemoryKind.LIKENESS:  # it has no direction
            values["first"], values["second"] = sorted((values["first"], values["second"]))
        return to_json(values)


def hash_in(connection: Connection, game_id: str) -> CanonicalHash:
    """Return the canonical hash of a game's entries in use (empty: of all games)."""
    canonical = CanonicalHash()
    for row in rows_in(connection, game_id):
        _add_row(row, canonical)
    return canonical


@reads_row("entries")
def _add_row(row: RowMapping, canonical: CanonicalHash) -> None:
    """Give a row of `entries` to the hash."""
    canonical.add(row["entry_id"], row["game_id"], row["kind"], row["content"], pinned=bool(row["pinned"]))


def with_references(content: MemoryContent, numbers: Mapping[int, int]) -> MemoryContent:
    """Replace the ids by which contents refer to other entries.

    Raises:
        KeyError: an id has no replacement.
    """
    names = records.REFERENCES.get(content.kind, ())
    named = {name: getattr(content, name) for name in names}
    changed: dict[str, Any] = {name: numbers[old] for name, old in named.items() if old is not None}
    return replace(content, **changed) if changed else content


def _referring(kind: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields with which contents of a kind refer to other entries.

    Raises:
        KeyError: the contents lack one of them.
    """
    names = records.REFERENCES[MemoryKind(kind)]
    if missing := next((name for name in names if name not in values), ""):
        raise KeyError(missing)
    return names


def _digest(game_id: str, kind: str, pinned: bool, content: str) -> bytes:
    text = f"{game_id}\n{kind}\n{int(pinned)}\n{content}"
    return hashlib.sha256(text.encode()).digest()
