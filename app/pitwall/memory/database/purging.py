"""Removes entries for good, with their history. Snapshots still contain them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from pitwall.memory.database import references
from pitwall.memory.database.faults import EditRefused
from pitwall.memory.database.ledger import json_ids, rows_of
from pitwall.memory.database.schema import Standing

_THESE = "IN (SELECT value FROM json_each(?))"


def purge(connection: Connection, entry_ids: Sequence[int]) -> list[int]:
    """Purge forgotten entries, and with states their forgotten edges and likenesses.

    Returns:
        Every removed id.

    Raises:
        EditRefused: an entry does not exist, or is not forgotten.
    """
    there = rows_of(connection, entry_ids)
    for entry_id in entry_ids:
        row = there.get(entry_id)
        if row is None:
            raise EditRefused(f"entry {entry_id} is not in the memory.", "It was purged, or never was.")
        if row["standing"] != Standing.FORGOTTEN:
            raise EditRefused(f"entry {entry_id} is in use.", "Forget it first; only then it can be purged.")
    gone = list(there)
    for standing in (Standing.FORGOTTEN, Standing.UNDONE):
        gone += [
            joined for joined in references.joining(connection, list(there), standing) if joined not in there
        ]
    gone = list(dict.fromkeys(gone))
    ids = (json_ids(gone),)
    for statement in (
        f"DELETE FROM changes WHERE entry_id {_THESE}",
        f"DELETE FROM vectors WHERE entry_id {_THESE}",
        f"DELETE FROM entry_texts WHERE rowid {_THESE}",
        f"DELETE FROM entries WHERE entry_id {_THESE}",
    ):
        connection.exec_driver_sql(statement, ids)
    return gone
