"""The history of the memory: read with before and after, undone and redone by batches, across restarts.

A batch can be undone while nothing later, that still holds, changed the same of one of its entries: contents,
pin, or whether it is forgotten. Else the entry is a conflict and nothing is undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import EditConflict, MemoryChange, MemoryEntry, Provenance
from pitwall.memory.database import records
from pitwall.memory.database.faults import EditRefused
from pitwall.memory.database.ledger import CHANGED_BY, CHUNK, chunks, now, set_contents
from pitwall.memory.database.schema import Standing
from pitwall.store.database_errors import reads_row

_MOST_CONFLICTS = 500

_CONFLICTS = f"""
SELECT DISTINCT e.*, coalesce(c.before_content, e.content) AS wanted
FROM changes c
JOIN changes l ON l.entry_id = c.entry_id AND l.change_id > c.change_id AND l.batch != c.batch
JOIN batches b ON b.batch = l.batch AND b.undone = 0
JOIN entries e ON e.entry_id = c.entry_id
WHERE c.batch = ? AND (
    c.before_flags >> 1 = {int(Standing.UNDONE)}
    OR (c.before_content IS NOT NULL AND l.before_content IS NOT NULL)
    OR ((c.before_flags & 1) != (c.after_flags & 1) AND (l.before_flags & 1) != (l.after_flags & 1))
    OR ((c.before_flags >> 1) != (c.after_flags >> 1) AND (l.before_flags >> 1) != (l.after_flags >> 1)))
LIMIT {_MOST_CONFLICTS}
"""
_ENDS = (
    "SELECT entry_id, min(change_id) AS a, max(change_id) AS z FROM changes WHERE batch = :batch GROUP BY 1"
)
_SET_FLAGS = f"""
UPDATE entries SET
    standing = CASE WHEN f.before_flags >> 1 != l.after_flags >> 1 THEN {{to}} >> 1 ELSE standing END,
    pinned = CASE WHEN f.before_flags & 1 != l.after_flags & 1 THEN {{to}} & 1 ELSE pinned END,
    version = version + 1, changed_at = :at, {CHANGED_BY}
FROM ({_ENDS}) u JOIN changes f ON f.change_id = u.a JOIN changes l ON l.change_id = u.z
WHERE entries.entry_id = u.entry_id
"""
_CONTENTS = """
SELECT e.entry_id, e.game_id, e.kind, c.{column} AS content, {wrote} AS wrote FROM changes c
JOIN entries e ON e.entry_id = c.entry_id JOIN batches b ON b.batch = c.batch
WHERE c.change_id IN (SELECT {pick}(change_id) FROM changes
    WHERE batch = ? AND before_content IS NOT NULL GROUP BY entry_id)
"""
_WROTE_BEFORE = "iif(c.before_version = 1, json_object('author', e.author), c.before_by)"
_SET_TEXT_OF = """
UPDATE entries SET changed_by = json_set(changed_by, '$.text_of',
    coalesce(json_extract(:wrote, '$.text_of'), json_extract(:wrote, '$.author'))) WHERE entry_id = :entry_id
"""
_LAST_OF_OPERATOR = """
SELECT batch FROM batches WHERE author != 'agent' AND undone = 0 AND folded = 0
    AND EXISTS (SELECT 1 FROM changes WHERE changes.batch = batches.batch)
ORDER BY batch DESC LIMIT 1
"""
_LAST_UNDONE = """
SELECT batch FROM batches WHERE undone > 0
    AND EXISTS (SELECT 1 FROM changes WHERE changes.batch = batches.batch)
ORDER BY undone DESC LIMIT 1
"""
_CHANGES = """
SELECT c.*, b.at AS batch_at, b.by AS batch_by, b.undone, e.game_id, e.kind, e.content, e.provenance,
    e.created_at,
    (SELECT l.before_content FROM changes l WHERE l.entry_id = c.entry_id AND l.change_id > c.change_id
        AND l.before_content IS NOT NULL ORDER BY l.change_id LIMIT 1) AS later
FROM changes c JOIN batches b ON b.batch = c.batch JOIN entries e ON e.entry_id = c.entry_id
WHERE {where} ORDER BY c.change_id DESC LIMIT :limit OFFSET :offset
"""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """A batch that was undone or redone, or why it was not."""

    batch: int
    entry_ids: tuple[int, ...] = ()
    conflicts: tuple[EditConflict, ...] = ()


def possible(connection: Connection) -> tuple[bool, bool]:
    """Return whether a batch can be undone, and whether one can be redone."""
    undo, redo = (connection.exec_driver_sql(last).scalar() for last in (_LAST_OF_OPERATOR, _LAST_UNDONE))
    return undo is not None, redo is not None


def undo(connection: Connection, batch: int | None, by: Provenance) -> UndoResult:
    """Undo a batch; None: the operator's newest batch that is not undone.

    Raises:
        EditRefused: there is nothing to undo.
    """
    if batch is None:
        batch = connection.exec_driver_sql(_LAST_OF_OPERATOR).scalar()
        if batch is None:
            raise EditRefused("there is nothing to undo.")
    _require_undoable(connection, batch)
    if conflicts := _conflicts(connection, batch):
        return UndoResult(batch, conflicts=conflicts)
    entry_ids = _turn(connection, batch, by, back=True)
    connection.exec_driver_sql(
        "UPDATE batches SET undone = (SELECT max(0, max(undone)) + 1 FROM batches) WHERE batch = ?", (batch,)
    )
    return UndoResult(batch, entry_ids)


def redo(connection: Connection, by: Provenance) -> UndoResult:
    """Redo the edit that was undone last.

    Raises:
        EditRefused: there is nothing to redo.
    """
    batch = connection.exec_driver_sql(_LAST_UNDONE).scalar()
    if batch is None:
        raise EditRefused("there is nothing to redo.", "A new edit ends what could be redone before it.")
    if conflicts := _conflicts(connection, batch):
        return UndoResult(batch, conflicts=conflicts)
    entry_ids = _turn(connection, batch, by, back=False)
    connection.exec_driver_sql("UPDATE batches SET undone = 0 WHERE batch = ?", (batch,))
    return UndoResult(batch, entry_ids)


def forgotten_with(connection: Connection, states: Sequence[int]) -> list[int]:
    """Return the edges and likenesses forgotten with these states, if their other state is in use."""
    numbers: dict[int, None] = {}
    wanted = set(states)
    for state in states:
        rows = connection.exec_driver_sql(
            "SELECT e.entry_id, e.first, e.second FROM changes c"
            " JOIN changes g ON g.batch = c.batch"
            " JOIN entries e ON e.entry_id = g.entry_id AND (e.first = c.entry_id OR e.second = c.entry_id)"
            " WHERE c.change_id = (SELECT max(change_id) FROM changes WHERE entry_id = ?"
            "     AND after_flags >> 1 = 1 AND before_flags >> 1 = 0)"
            " AND e.standing = 1 AND e.kind IN ('edge', 'likeness') AND g.after_flags >> 1 = 1",
            (state,),
        )
        for entry_id, *joined in rows.all():
            others = [other for other in joined if other is not None and other not in wanted]
            if all(_in_use(connection, other) for other in others):
                numbers[entry_id] = None
    return list(numbers)


def read(
    connection: Connection, entry_id: int | None, *, game_id: str = "", limit: int, offset: int
) -> list[MemoryChange]:
    """Return changes, newest first: of one entry, of one game, or all."""
    where = "1"
    if entry_id is not None:
        where = "c.entry_id = :entry_id"
    elif game_id:
        where = "e.game_id = :game_id"
    given = {"entry_id": entry_id, "game_id": game_id, "limit": limit, "offset": offset}
    return [
        _change_of(row) for row in connection.exec_driver_sql(_CHANGES.format(where=where), given).mappings()
    ]


def _require_undoable(connection: Connection, batch: int) -> None:
    row = connection.exec_driver_sql(
        "SELECT undone, folded, EXISTS (SELECT 1 FROM changes WHERE batch = :batch) AS kept"
        " FROM batches WHERE batch = :batch",
        {"batch": batch},
    ).first()
    if row is None:
        raise EditRefused(f"there is no batch {batch} in the history.")
    if row.undone:
        raise EditRefused(f"batch {batch} is undone already.")
    if row.folded:
        raise EditRefused(
            f"batch {batch} is of an old run, whose changes were joined to later ones.",
            "Edit the entries themselves, or restore a snapshot.",
        )
    if not row.kept:
        raise EditRefused(f"batch {batch} changed nothing that is still there.")


def _conflicts(connection: Connection, batch: int) -> tuple[EditConflict, ...]:
    rows = connection.exec_driver_sql(_CONFLICTS, (batch,)).mappings()
    newest = {
        row["entry_id"]: EditConflict(
            entry_id=row["entry_id"],
            theirs=records.entry_of(row),
            yours=records.content_of(row["kind"], row["wanted"]),
        )
        for row in rows
    }
    return tuple(newest.values())


def _turn(connection: Connection, batch: int, by: Provenance, *, back: bool) -> tuple[int, ...]:
    pick, column, wrote = ("max", "after_content", "coalesce(c.by, b.by)")
    if back:
        pick, column, wrote = ("min", "before_content", _WROTE_BEFORE)
    query = _CONTENTS.format(pick=pick, column=column, wrote=wrote)
    contents = connection.exec_driver_sql(query, (batch,)).mappings().all()
    for chunk in chunks(contents, CHUNK):
        set_contents(
            connection,
            [(row, records.content_of(row["kind"], row["content"]), row["content"]) for row in chunk],
        )
    given = {"batch": batch, "at": now(), "by": records.provenance_text(by)}
    connection.exec_driver_sql(_SET_FLAGS.format(to="f.before_flags" if back else "l.after_flags"), given)
    if contents:
        connection.exec_driver_sql(_SET_TEXT_OF, [dict(row) for row in contents])
    rows = connection.exec_driver_sql("SELECT DISTINCT entry_id FROM changes WHERE batch = ?", (batch,))
    return tuple(int(entry_id) for entry_id in rows.scalars())


def _in_use(connection: Connection, entry_id: int) -> bool:
    rows = connection.exec_driver_sql(
        "SELECT 1 FROM entries WHERE entry_id = ? AND standing = 0", (entry_id,)
    )
    return rows.first() is not None


@reads_row("changes")
def _change_of(row: RowMapping) -> MemoryChange:
    at, by = row["at"] or row["batch_at"], row["by"] or row["batch_by"]
    then = row["later"] if row["later"] is not None else row["content"]
    before = _entry_then(
        row,
        row["before_flags"],
        row["before_version"],
        row["before_at"],
        row["before_by"],
        row["before_content"] or then,
    )
    after = _entry_then(row, row["after_flags"], row["after_version"], at, by, row["after_content"] or then)
    return MemoryChange(
        change_id=row["change_id"],
        batch=row["batch"],
        entry_id=row["entry_id"],
        at=at,
        by=records.provenance_of(by),
        before=before,
        after=after,
        undone=row["undone"] != 0,
    )


def _entry_then(
    row: RowMapping, flags: int, version: int, at: str, by: str, content: str
) -> MemoryEntry | None:
    standing = flags >> 1
    if standing == Standing.UNDONE:
        return None
    return MemoryEntry(
        entry_id=row["entry_id"],
        game_id=row["game_id"],
        content=records.content_of(row["kind"], content),
        provenance=records.provenance_of(row["provenance"]),
        changed_by=records.provenance_of(by),
        pinned=bool(flags & 1),
        forgotten=standing == Standing.FORGOTTEN,
        version=version,
        created_at=row["created_at"],
        changed_at=at,
    )
