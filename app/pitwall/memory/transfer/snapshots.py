"""Snapshots: the memory as it stood, by content hash; equal parts of several are kept once.

Forgotten entries are no part of one. Without a name (those that runs begin with) only the newest
UNNAMED of each game stay; named ones stay until their folder goes.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import Connection, RowMapping

from pitwall.core.bounded_reading import valid_text
from pitwall.core.memory_kinds import BETWEEN_STATES
from pitwall.memory.database.faults import UnknownSnapshot
from pitwall.memory.database.ledger import Ledger, now
from pitwall.memory.database.schema import Standing
from pitwall.memory.transfer.importer import EntryImporter, SnapshotOverlay, imported_provenance
from pitwall.memory.transfer.portable import PortableEntry, hash_in, line_of, portable_of, rows_in
from pitwall.store.database_errors import object_in, reads_row

UNNAMED = 50
"""Snapshots of a game without a name that are kept."""
_PART = 1000
_DEFLATE = 6
_NAME_LENGTH = 200
_NEAR = 4
"""Fewest characters of a hash that name a snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRow:
    """A snapshot in a list. game_id: empty for every game. counts: entries by kind."""

    content_hash: str
    name: str
    at: str
    game_id: str
    counts: dict[str, int]


def take(connection: Connection, game_id: str, name: str) -> tuple[str, str]:
    """Save a snapshot of a game's entries (empty: of all games). Return its content hash, and the name that
    it loses.

    An equal snapshot is not saved again: it gets the new name, time and game (see `_known_name`).
    """
    name = valid_text(name)[:_NAME_LENGTH]
    canonical = hash_in(connection, game_id)
    content_hash = canonical.hexdigest()
    former = _known_name(connection, content_hash, name, game_id)
    if former is None:
        lines = ((row["entry_id"], row["kind"], line_of(row)) for row in rows_in(connection, game_id))
        keep(connection, content_hash, lines, name=name, game_id=game_id, counts=canonical.counts)
        _prune(connection)
    return content_hash, former if former and name not in ("", former) else ""


def keep(
    connection: Connection,
    content_hash: str,
    lines: Iterable[tuple[int, str, str]],
    *,
    name: str,
    game_id: str,
    counts: dict[str, int],
    origin: str = "",
) -> None:
    """Keep lines of entries as a snapshot; an equal snapshot of this memory keeps its name.

    Args:
        lines: number, kind and text of each entry; edges and likenesses last.
        origin: the memory whose ids they bear; empty: this one.
    """
    if _known_name(connection, content_hash, "", game_id) is not None:
        return
    connection.exec_driver_sql(
        "INSERT INTO snapshots (content_hash, name, at, game_id, counts, origin) VALUES (?, ?, ?, ?, ?, ?)",
        (content_hash, name, now(), game_id, json.dumps(counts), origin or origin_of(connection)),
    )
    # Parts are cut by ids, so that what did not change since the last snapshot is an equal part.
    grouped = groupby(lines, key=lambda line: (line[1] in BETWEEN_STATES, line[0] // _PART))
    for part, (_, group) in enumerate(grouped):
        data = "\n".join(line for _number, _kind, line in group).encode()
        data_hash = hashlib.sha256(data).hexdigest()
        connection.exec_driver_sql(
            "INSERT INTO parts (data_hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (data_hash, zlib.compress(data, _DEFLATE)),
        )
        connection.exec_driver_sql(
            "INSERT INTO snapshot_parts (content_hash, part, data_hash) VALUES (?, ?, ?)",
            (content_hash, part, data_hash),
        )


def origin_of(connection: Connection) -> str:
    """Return the name of this memory."""
    return str(connection.exec_driver_sql("SELECT value FROM meta WHERE name = 'origin'").scalar_one())


def listed(connection: Connection) -> list[SnapshotRow]:
    """Return snapshots, newest first."""
    rows = connection.exec_driver_sql("SELECT * FROM snapshots ORDER BY at DESC, content_hash").mappings()
    return [row_of(row) for row in rows]


def find(connection: Connection, text: str) -> RowMapping:
    """Find a snapshot by its hash, the hash's beginning, or its name (the newest of several).

    Raises:
        UnknownSnapshot: no snapshot matches, or several do.
    """
    rows = connection.exec_driver_sql("SELECT * FROM snapshots ORDER BY at DESC").mappings().all()
    named = [row for row in rows if text and text in (row["name"], row["content_hash"])]
    if not named and len(text) >= _NEAR:
        named = [row for row in rows if row["content_hash"].startswith(text.lower())]
        if len(named) > 1:
            raise UnknownSnapshot(f"{len(named)} snapshots begin with {text!r}.", "Give more of the hash.")
    if not named:
        raise UnknownSnapshot(f"there is no snapshot {text!r}.", "See them with: pitwall memory snapshots")
    return named[0]


def lines_in(connection: Connection, content_hash: str) -> Iterator[str]:
    """Yield a snapshot's lines, edges and likenesses last."""
    wanted = connection.exec_driver_sql(
        "SELECT p.data FROM snapshot_parts s JOIN parts p ON p.data_hash = s.data_hash"
        " WHERE s.content_hash = ? ORDER BY s.part",
        (content_hash,),
    )
    for data in wanted.scalars():
        yield from zlib.decompress(data).decode().split("\n")


def entries_in(connection: Connection, content_hash: str) -> Iterator[PortableEntry]:
    """Yield a snapshot's entries, edges and likenesses last."""
    for row, line in enumerate(lines_in(connection, content_hash), start=1):
        yield portable_of(line, row)


def restore(ledger: Ledger, text: str, game_id: str = "") -> str:
    """Restore a snapshot and return its content hash; entries that it does not contain are forgotten.

    Args:
        game_id: the only game that is restored; empty: what the snapshot was taken of.

    Raises:
        UnknownSnapshot: as of `find`.
    """
    connection = ledger.connection
    snapshot = find(connection, text)
    content_hash, origin = snapshot["content_hash"], snapshot["origin"]
    game_id = game_id or snapshot["game_id"]
    laying: EntryImporter | SnapshotOverlay
    if origin == origin_of(connection):
        laying = SnapshotOverlay(ledger)
    else:
        named = f"snapshot {snapshot['name'] or content_hash[:12]}"
        laying = EntryImporter(
            ledger, named, lambda by: imported_provenance(by, named), restoring=True, whole=True
        )
    laying.take(entry for entry in entries_in(connection, content_hash) if game_id in ("", entry.game_id))
    laying.finish()
    rows = connection.exec_driver_sql(
        "SELECT entry_id FROM entries WHERE standing = 0 AND (:game_id = '' OR game_id = :game_id)",
        {"game_id": game_id},
    )
    beyond = [entry_id for entry_id in rows.scalars() if entry_id not in laying.met]
    ledger.flag(beyond, standing=Standing.FORGOTTEN)
    return str(content_hash)


def _known_name(connection: Connection, content_hash: str, name: str, game_id: str) -> str | None:
    """Return the name that an equal snapshot had, and rename it; None if none is kept.

    A snapshot belongs to the game that it was taken of last, because the empty memories of all games are
    equal. A new name replaces the former; without a new name, a named snapshot stays as it is.
    """
    known = connection.exec_driver_sql(
        "SELECT name FROM snapshots WHERE content_hash = ?", (content_hash,)
    ).scalar()
    if known is not None and (name or not known):
        connection.exec_driver_sql(
            "UPDATE snapshots SET name = ?, at = ?, game_id = ? WHERE content_hash = ?",
            (name, now(), game_id, content_hash),
        )
    return known


def _prune(connection: Connection) -> None:
    old = connection.exec_driver_sql(
        "SELECT content_hash FROM (SELECT content_hash, row_number() OVER (PARTITION BY game_id ORDER BY at"
        " DESC) AS place FROM snapshots WHERE name = '') WHERE place > ?",
        (UNNAMED,),
    )
    gone = [(content_hash,) for content_hash in old.scalars()]
    if not gone:
        return
    for table in ("snapshot_parts", "snapshots"):
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE content_hash = ?", gone)
    connection.exec_driver_sql(
        "DELETE FROM parts WHERE data_hash NOT IN (SELECT data_hash FROM snapshot_parts)"
    )


@reads_row("snapshots")
def row_of(row: RowMapping) -> SnapshotRow:
    """Read a row of `snapshots`."""
    counts = object_in(row["counts"])
    if not all(isinstance(count, int) for count in counts.values()):
        raise TypeError("counts holds something that is no whole number")
    return SnapshotRow(
        content_hash=row["content_hash"],
        name=row["name"],
        at=row["at"],
        game_id=row["game_id"],
        counts=counts,
    )
