"""Entries that speak of other entries: edges and likenesses need their states, and the house stays whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection

from pitwall.core.memory_kinds import BETWEEN_STATES, MemoryContent
from pitwall.memory.database import records
from pitwall.memory.database.ledger import json_ids
from pitwall.memory.database.schema import Standing

_NODE_STANDS = "SELECT 1 FROM entries WHERE entry_id = ? AND game_id = ? AND kind = 'node' AND standing = 0"
_JOINS = "kind IN ({})".format(", ".join(map(repr, BETWEEN_STATES)))
_TOUCHED = "SELECT value FROM json_each(:ids)"
_LOST = f"""
SELECT e.entry_id, e.kind, n.value AS state
FROM entries e, json_each(json_array(e.first, e.second)) n
WHERE e.entry_id IN ({_TOUCHED}) AND e.standing = 0 AND e.{_JOINS} AND n.value IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM entries s WHERE s.entry_id = n.value AND s.game_id = e.game_id
        AND s.kind = 'node' AND s.standing = 0)
LIMIT 1
"""
_NEEDED = f"""
SELECT n.entry_id, e.entry_id AS by, e.kind FROM entries n
CROSS JOIN entries e ON (e.first = n.entry_id OR e.second = n.entry_id) AND e.standing = 0 AND e.{_JOINS}
WHERE n.entry_id IN ({_TOUCHED}) AND n.kind = 'node' AND n.standing != 0
LIMIT 1
"""
_TWICE = f"""
SELECT a.entry_id, b.entry_id AS other FROM entries a
CROSS JOIN entries b ON b.first IN (a.first, a.second) AND b.second IN (a.first, a.second)
    AND b.entry_id != a.entry_id AND b.kind = 'likeness' AND b.standing = 0 AND b.first != b.second
WHERE a.entry_id IN ({_TOUCHED}) AND a.kind = 'likeness' AND a.standing = 0
LIMIT 1
"""


def stands(connection: Connection, game_id: str, content: MemoryContent) -> bool:
    """Return whether the states that contents refer to are in use and belong to this game."""
    if content.kind not in BETWEEN_STATES:
        return True
    if content.kind == "likeness" and content.first == content.second:
        return False
    named = (getattr(content, name) for name in records.REFERENCES[content.kind])
    states = [state for state in named if state is not None]
    return all(connection.exec_driver_sql(_NODE_STANDS, (state, game_id)).first() for state in states)


def problem(connection: Connection, touched: Iterable[int], made: Collection[int] = ()) -> str:
    """Describe the first broken reference after these entries were changed, in one sentence; empty if there
    is none.

    Args:
        made: those that are new: nobody knows their ids yet.
    """
    given = {"ids": json_ids(touched)}
    if lost := connection.exec_driver_sql(_LOST, given).mappings().first():
        which = _which(lost["entry_id"], lost["kind"], made)
        return f"{which} needs entry {lost['state']}, which is no state of this game that is in use."
    if needed := connection.exec_driver_sql(_NEEDED, given).mappings().first():
        return f"entry {needed['entry_id']} is needed by {_which(needed['by'], needed['kind'], made)}."
    if twice := connection.exec_driver_sql(_TWICE, given).mappings().first():
        which = _which(twice["entry_id"], "likeness", made)
        return (
            f"{which} joins the same two states as entry {twice['other']}: "
            "a likeness stands once, in one direction."
        )
    return circle(connection, given["ids"])


def circle(connection: Connection, ids: str) -> str:
    """Return a sentence about a skill that is similar to itself through others; empty if there is none."""
    row = connection.exec_driver_sql(
        f"""WITH RECURSIVE way(start, at, steps) AS (
            SELECT entry_id, first, 1 FROM entries
            WHERE entry_id IN ({_TOUCHED}) AND kind = 'skill' AND first IS NOT NULL AND standing = 0
            UNION ALL
            SELECT way.start, e.first, way.steps + 1 FROM way JOIN entries e ON e.entry_id = way.at
            WHERE e.kind = 'skill' AND e.first IS NOT NULL AND e.standing = 0
                AND way.at != way.start AND way.steps < 1000
        ) SELECT start FROM way WHERE at = start OR steps >= 1000 LIMIT 1""",
        {"ids": ids},
    ).scalar()
    return "" if row is None else f"skill {row} is similar to itself, by way of other skills: a circle."


def likeness_of(connection: Connection, first: int, second: int) -> int | None:
    """Return the id of the likeness of two states, in either direction, forgotten or not; else None."""
    row = connection.exec_driver_sql(
        "SELECT entry_id FROM entries WHERE kind = 'likeness' AND standing != 2"
        " AND (first = :a AND second = :b OR first = :b AND second = :a) ORDER BY standing LIMIT 1",
        {"a": first, "b": second},
    ).scalar()
    return None if row is None else int(row)


def joining(connection: Connection, states: Iterable[int], standing: Standing) -> list[int]:
    """Return the edges and likenesses with this standing that join one of these entries."""
    row = connection.exec_driver_sql(
        f"SELECT entry_id FROM entries WHERE {_JOINS} AND standing = :standing"
        f" AND (first IN ({_TOUCHED}) OR second IN ({_TOUCHED})) ORDER BY entry_id",
        {"ids": json_ids(states), "standing": int(standing)},
    )
    return [int(entry_id) for entry_id in row.scalars()]


def _which(entry_id: int, kind: str, made: Collection[int]) -> str:
    return f"the new {kind}" if entry_id in made else f"entry {entry_id} ({kind})"
