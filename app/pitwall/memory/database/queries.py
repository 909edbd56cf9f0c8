"""Questions to the memory's database, for its writer and its readers alike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from pitwall.core.bounded_reading import valid_text
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import fields_of
from pitwall.memory.database import records
from pitwall.memory.database.ledger import json_ids
from pitwall.memory.database.records import COLUMNS, entry_of
from pitwall.memory.database.schema import Standing

_COMMON = (
    "entry_id",
    "game_id",
    "changed_at",
    "created_at",
    "version",
    "pinned",
    "author",
    "run_id",
    "kind",
    "label",
)
_SUCCESS_RATE = "CAST(coalesce(successes, 0) AS REAL) / max(1, coalesce(attempts, 0))"
_TRIGRAM = 3
_GRAPH_KINDS = (MemoryKind.NODE, MemoryKind.EDGE, MemoryKind.LIKENESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """Describes the wanted rows of a table (see MemoryReader.page)."""

    game_id: str
    kind: MemoryKind | None
    search: str = ""
    filters: Mapping[str, object] | None = None
    order: str = "changed_at"
    descending: bool = True
    offset: int = 0
    limit: int = 200
    forgotten: bool = False


def entries(
    connection: Connection, game_id: str, kinds: Iterable[MemoryKind] | None, *, forgotten: bool
) -> list[MemoryEntry]:
    """Return a game's entries by id; with `forgotten`, the forgotten ones instead."""
    wanted = [kind.value for kind in (MemoryKind if kinds is None else kinds)]
    marks = ", ".join("?" * len(wanted))
    rows = connection.exec_driver_sql(
        f"SELECT * FROM entries WHERE game_id = ? AND standing = ? AND kind IN ({marks}) ORDER BY entry_id",
        (game_id, int(_standing(forgotten)), *wanted),
    )
    return [entry_of(row) for row in rows.mappings()]


def graph(
    connection: Connection, game_id: str, most_states: int
) -> tuple[list[MemoryEntry], list[MemoryEntry], list[MemoryEntry]]:
    """Return a game's nodes, edges and likenesses by id; of a larger graph those around its newest states."""
    states = counts(connection, game_id)[MemoryKind.NODE.value]
    if states <= most_states:
        nodes, edges, likenesses = (
            entries(connection, game_id, [kind], forgotten=False) for kind in _GRAPH_KINDS
        )
        return nodes, edges, likenesses
    newest = connection.exec_driver_sql(
        "SELECT entry_id FROM entries WHERE game_id = ? AND kind = ? AND standing = 0"
        " ORDER BY changed_at DESC, entry_id DESC LIMIT ?",
        (game_id, MemoryKind.NODE.value, most_states),
    )
    ids = json_ids(newest.scalars())
    nodes, edges, likenesses = some(connection, json.loads(ids)), [], []
    between = connection.exec_driver_sql(
        "SELECT * FROM entries WHERE first IN (SELECT value FROM json_each(:ids)) AND standing = 0"
        " AND kind IN (:edge, :likeness)"
        " AND (second IS NULL OR second IN (SELECT value FROM json_each(:ids)))"
        " ORDER BY entry_id LIMIT :most",
        {
            "ids": ids,
            "edge": MemoryKind.EDGE.value,
            "likeness": MemoryKind.LIKENESS.value,
            "most": 6 * most_states,
        },
    )
    for row in between.mappings():
        (edges if row["kind"] == MemoryKind.EDGE else likenesses).append(entry_of(row))
    return nodes, edges, likenesses


def some(connection: Connection, entry_ids: Iterable[int]) -> list[MemoryEntry]:
    """Return these entries by id, forgotten ones included; missing ids are skipped."""
    rows = connection.exec_driver_sql(
        "SELECT * FROM entries WHERE entry_id IN (SELECT value FROM json_each(?)) AND standing != 2"
        " ORDER BY entry_id",
        (json_ids(entry_ids),),
    )
    return [entry_of(row) for row in rows.mappings()]


def games(connection: Connection) -> list[str]:
    """Return the games with entries, forgotten ones included."""
    rows = connection.exec_driver_sql("SELECT DISTINCT game_id FROM entries WHERE standing != 2 ORDER BY 1")
    return list(rows.scalars())


def kinds(connection: Connection, entry_ids: Iterable[int]) -> list[str]:
    """Return the kinds of these entries; removed ones have none."""
    rows = connection.exec_driver_sql(
        "SELECT DISTINCT kind FROM entries WHERE entry_id IN (SELECT value FROM json_each(?)) ORDER BY kind",
        (json_ids(entry_ids),),
    )
    return list(rows.scalars())


def counts(connection: Connection, game_id: str) -> dict[str, int]:
    """Return entries in use, by kind; of all games where `game_id` is empty."""
    rows = connection.exec_driver_sql(
        "SELECT kind, count(*) FROM entries WHERE (:game_id = '' OR game_id = :game_id) AND standing = 0"
        " GROUP BY kind",
        {"game_id": game_id},
    )
    return {**{kind.value: 0 for kind in MemoryKind}, **{kind: count for kind, count in rows}}


def forgotten(connection: Connection, game_id: str) -> int:
    """Count a game's forgotten entries; of all games if `game_id` is empty."""
    rows = connection.exec_driver_sql(
        "SELECT count(*) FROM entries WHERE (:game_id = '' OR game_id = :game_id) AND standing = 1",
        {"game_id": game_id},
    )
    return int(rows.scalar_one())


def vectors(connection: Connection, embedder: str, game_id: str) -> dict[int, NDArray[np.float32]]:
    """Return vectors of states in use."""
    rows = connection.exec_driver_sql(
        "SELECT v.entry_id, v.vector FROM vectors v JOIN entries e ON e.entry_id = v.entry_id"
        " WHERE v.embedder = :embedder AND e.standing = 0 AND (:game_id = '' OR e.game_id = :game_id)",
        {"embedder": embedder, "game_id": game_id},
    )
    return {entry_id: np.frombuffer(data, dtype="<f4").astype(np.float32) for entry_id, data in rows}


def embedder(connection: Connection) -> str:
    """Return the name of the embedder that made the newest vectors; empty if there are none."""
    return str(connection.exec_driver_sql("SELECT value FROM meta WHERE name = 'embedder'").scalar() or "")


def page(connection: Connection, asked: PageRequest) -> tuple[list[MemoryEntry], int]:
    """Return one page, and how many rows there are in all.

    Raises:
        PitwallError: a name that this kind has not.
    """
    where, given = _where(asked)
    order = _expression(asked.kind, asked.order)
    way = "DESC" if asked.descending else "ASC"
    total = int(connection.exec_driver_sql(f"SELECT count(*) FROM entries WHERE {where}", given).scalar_one())
    rows = connection.exec_driver_sql(
        # The page is found by what an index or a narrow scan gives; only then are its rows read.
        f"SELECT * FROM entries WHERE entry_id IN (SELECT entry_id FROM entries WHERE {where}"
        f" ORDER BY {order} {way}, entry_id {way} LIMIT :limit OFFSET :offset)"
        f" ORDER BY {order} {way}, entry_id {way}",
        {**given, "limit": asked.limit, "offset": asked.offset},
    )
    return [entry_of(row) for row in rows.mappings()], total


def _where(asked: PageRequest) -> tuple[str, dict[str, Any]]:
    parts = ["standing = :standing"]
    given: dict[str, Any] = {"standing": int(_standing(asked.forgotten))}
    if asked.game_id:
        parts.append("game_id = :game_id")
        given["game_id"] = asked.game_id
    if asked.kind is not None:
        parts.append("kind = :kind")
        given["kind"] = asked.kind.value
    for number, (name, value) in enumerate((asked.filters or {}).items()):
        values = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
        tests = []
        for which, value in enumerate(values):
            given[f"f{number}_{which}"] = _bound(value)
            tests.append(f"{_expression(asked.kind, name)} IS :f{number}_{which}")
        parts.append(f"({' OR '.join(tests) or '0'})")
    for number, word in enumerate(records.fold(asked.search).split()):
        if len(word) >= _TRIGRAM:
            parts.append(f"entry_id IN (SELECT rowid FROM entry_texts WHERE entry_texts MATCH :w{number})")
            given[f"w{number}"] = '"' + word.replace('"', '""') + '"'
        else:
            parts.append(f"entry_id IN (SELECT rowid FROM entry_texts WHERE instr(text, :w{number}) > 0)")
            given[f"w{number}"] = word
    return " AND ".join(parts), given


def _bound(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return valid_text(value) if isinstance(value, str) else value


def _expression(kind: MemoryKind | None, name: str) -> str:
    """Return the SQL expression for a field's name. Names are checked because they become SQL."""
    fields = fields_of(kind.value) if kind is not None else ()
    if kind is not None and name in COLUMNS[kind.value]:
        return COLUMNS[kind.value][name]
    if name in fields:
        return f"json_extract(content, '$.{name}')"
    if name in _COMMON:
        return name
    if name == "success_rate":
        return _SUCCESS_RATE
    options = (*_COMMON, "success_rate", *fields)
    hint = suggestion(name, options, f"There are: {', '.join(options)}.")
    raise PitwallError(f"entries of kind {kind or 'any'} have no {name!r} to sort or filter by.", hint)


def _standing(forgotten: bool) -> Standing:
    return Standing.FORGOTTEN if forgotten else Standing.USED
