"""Keeps the history of the agent's many small changes compact.

Everything that the agent writes in one run is one batch. Its successive changes of one entry, with no change
by the operator in between, are kept as one change: the entry before the run, and after it. This holds for the
    newest AGENT_RUNS runs. Older runs are folded into the changes before them: between two changes by the
    operator only one change of an entry remains. A folded run can no longer be undone alone, but every state
    that the operator has seen is kept.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import Provenance
from pitwall.memory.database import records
from pitwall.memory.database.schema import Standing

AGENT_RUNS = 20
"""Number of newest runs whose changes can be seen and undone separately."""

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
    """Begin a batch and return its number."""
    made = connection.exec_driver_sql(
        "INSERT INTO batches (at, author, run_id, by, undone, folded)"
        " VALUES (?, ?, ?, ?, 0, 0) RETURNING batch",
        (at, by.author, by.run_id, records.provenance_text(by)),
    )
    return int(made.scalar_one())


def batch_of(connection: Connection, by: Provenance, at: str) -> int:
    """Return the agent's batch for a run, or begin one and fold the oldest.

    Without a run, the newest batch is continued only if nobody else has changed anything since.
    """
    newest = connection.exec_driver_sql(_NEWEST, (by.run_id,)).scalar()
    if by.run_id is None and newest != connection.exec_driver_sql(_NEWEST_OF_ALL).scalar():
        newest = None
    if newest is not None:
        return int(newest)
    batch = new_batch(connection, Provenance(author="agent", run_id=by.run_id), at)
    for old, undone in reversed(connection.exec_driver_sql(_TO_FOLD, (AGENT_RUNS,)).all()):
        if undone == 0:
            _fold(connection, old)
        connection.exec_driver_sql("UPDATE batches SET folded = 1 WHERE batch = ?", (old,))
    return batch


def _fold(connection: Connection, batch: int) -> None:
    """Merge a batch's changes into the folded changes directly before them."""
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
