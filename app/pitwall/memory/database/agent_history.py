"""Keeps the agent's many small changes without bloat.

All that the agent writes in one run is one batch, and what it did to one entry in a row (with no change of
the operator's between) is one change: the entry as the run found it, and as it left it. Of the newest
AGENT_RUNS runs each is kept so. Then a run's changes are folded into the ones before: per entry one change
remains between two of the operator's, from how he left it to how he found it. A run that was folded can no
longer be undone by itself; no state that the operator saw is ever lost.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import Provenance
from pitwall.memory.database import records
from pitwall.memory.database.schema import Standing

AGENT_RUNS = 20
"""Runs whose changes can each be seen and undone by itself."""

_NEWEST = """
SELECT batch FROM batches WHERE author = 'agent' AND run_id IS ? AND undone = 0 AND folded = 0
ORDER BY batch DESC LIMIT 1
"""
_NEWEST_OF_ALL = "SELECT max(batch) FROM batches"
_TO_FOLD = """
SELECT batch, undone FROM batches WHERE author = 'agent' AND folded = 0 AND undone <= 0
ORDER BY batch DESC LIMIT -1 OFFSET ?
"""
_PAIRS = """
SELECT r.change_id, p.change_id AS earlier, p.before_flags, p.before_version, p.before_at, p.before_by,
    p.before_content AS first_before, p.after_content AS first_after,
    r.before_content AS last_before, r.after_content AS last_after
FROM changes r
JOIN changes p ON p.change_id = (
    SELECT max(change_id) FROM changes WHERE entry_id = r.entry_id AND change_id < r.change_id)
JOIN batches b ON b.batch = p.batch AND b.author = 'agent' AND b.folded = 1 AND b.undone = 0
WHERE r.batch = ?
"""
_JOIN = """
UPDATE changes SET before_flags = :before_flags, before_version = :before_version, before_at = :before_at,
    before_by = :before_by, before_content = :before_content, after_content = :after_content
WHERE change_id = :change_id
"""


def new_batch(connection: Connection, by: Provenance, at: str) -> int:
    """Begin a batch; returns its number."""
    made = connection.exec_driver_sql(
        "INSERT INTO batches (at, author, run_id, by, undone, folded)"
        " VALUES (?, ?, ?, ?, 0, 0) RETURNING batch",
        (at, by.author, by.run_id, records.provenance_text(by)),
    )
    return int(made.scalar_one())


def batch_of(connection: Connection, by: Provenance, at: str) -> int:
    """The agent's batch for a run: the one that is there, or a new one, for which an old one is folded.

    Without a run it goes on only as long as nothing else comes between.
    """
    found = connection.exec_driver_sql(_NEWEST, (by.run_id,)).scalar()
    if by.run_id is None and found != connection.exec_driver_sql(_NEWEST_OF_ALL).scalar():
        found = None
    if found is not None:
        return int(found)
    batch = new_batch(connection, Provenance(author="agent", run_id=by.run_id), at)
    for old, undone in reversed(connection.exec_driver_sql(_TO_FOLD, (AGENT_RUNS,)).all()):
        if undone == 0:
            _fold(connection, old)
        connection.exec_driver_sql("UPDATE batches SET folded = 1 WHERE batch = ?", (old,))
    return batch


def _fold(connection: Connection, batch: int) -> None:
    """Join a batch's changes to folded ones that they follow at once."""
    pairs = connection.exec_driver_sql(_PAIRS, (batch,)).mappings().all()
    if pairs:
        connection.exec_driver_sql(_JOIN, [_joined(pair) for pair in pairs])
        connection.exec_driver_sql(
            "DELETE FROM changes WHERE change_id = ?", [(pair["earlier"],) for pair in pairs]
        )


def _joined(pair: RowMapping) -> dict[str, Any]:
    made = pair["before_flags"] >> 1 == Standing.UNDONE
    before = pair["first_before"] if pair["first_before"] is not None else pair["last_before"]
    after = pair["last_after"] if pair["last_after"] is not None else pair["first_after"]
    return {
        **{name: pair[name] for name in ("change_id", "before_flags", "before_version")},
        "before_at": pair["before_at"],
        "before_by": pair["before_by"],
        "before_content": None if made else before,
        "after_content": None if made else after,
    }
