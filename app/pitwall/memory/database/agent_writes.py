"""Writes what the agent learns as it plays: few statements, no waiting for the disk."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import MemoryContent, SkillMemory
from pitwall.memory.database import agent_history, records
from pitwall.memory.database.checks import acting_fault, cut
from pitwall.memory.database.ledger import CHANGE, TOUCH, Ledger, NewEntry, set_contents
from pitwall.memory.database.references import likeness_of, stands
from pitwall.memory.database.schema import Standing

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWrite:
    """Holds one write of the agent: a new entry (entry_id None), or an entry's new contents."""

    game_id: str
    content: MemoryContent
    provenance: Provenance
    entry_id: int | None = None


_ENTRY = "SELECT * FROM entries WHERE entry_id = ? AND standing != 2"
_LAST = """
SELECT change_id, batch, before_flags, before_content FROM changes WHERE entry_id = ?
ORDER BY change_id DESC LIMIT 1
"""
_GO_ON = """
UPDATE changes SET at = :at, by = :by, after_version = :after_version,
    before_content = :before_content, after_content = :after_content WHERE change_id = :change_id
"""


def write(connection: Connection, changes: Sequence[AgentWrite], at: str) -> list[MemoryEntry | None]:
    """Write changes inside a transaction and return each entry's new version (see MemoryStore.write)."""
    return [_write_one(connection, change, at) for change in changes]


def _write_one(connection: Connection, change: AgentWrite, at: str) -> MemoryEntry | None:
    row, entry_id = None, change.entry_id
    if entry_id is None and change.content.kind == "likeness":
        entry_id = likeness_of(connection, change.content.first, change.content.second)
    if entry_id is not None:
        row = connection.exec_driver_sql(_ENTRY, (entry_id,)).mappings().first()
    if row is not None and (row["pinned"] or row["standing"] != Standing.USED):
        return records.entry_of(row)
    content = cut(change.content)
    if not stands(connection, change.game_id, content):
        return None
    if isinstance(content, SkillMemory) and (fault := acting_fault(content)):
        _log.warning("The agent's skill %r is not kept: %s.", content.name, fault)
        return None if row is None else records.entry_of(row)
    if row is None or row["kind"] != content.kind or row["game_id"] != change.game_id:
        ledger = Ledger(connection, change.provenance, at)
        [entry_id] = ledger.add([NewEntry(game_id=change.game_id, content=content)])
        return _entry(connection, entry_id)
    text = records.content_text(content)
    if text == row["content"]:
        return records.entry_of(row)
    _replace(connection, row, content, text, change.provenance, at)
    return _entry(connection, row["entry_id"])


def _replace(
    connection: Connection, row: RowMapping, content: MemoryContent, text: str, by: Provenance, at: str
) -> None:
    batch = agent_history.batch_of(connection, by, at)
    by_text = records.provenance_text(by)
    note: dict[str, Any] = {
        "entry_id": row["entry_id"],
        "at": at,
        "by": by_text,
        "after_version": row["version"] + 1,
        "pinned": row["pinned"],
        "before_content": row["content"],
        "after_content": text,
    }
    last = connection.exec_driver_sql(_LAST, (row["entry_id"],)).mappings().first()
    if last is not None and last["batch"] == batch:
        made = last["before_flags"] >> 1 == Standing.UNDONE
        if made:
            note["before_content"] = note["after_content"] = None
        elif last["before_content"] is not None:
            note["before_content"] = last["before_content"]
        connection.exec_driver_sql(_GO_ON, {**note, "change_id": last["change_id"]})
    else:
        note["batch"] = batch
        flags = records.flags_of(row["standing"], pinned=bool(row["pinned"]))
        note["before_flags"] = note["after_flags"] = flags
        note["before_version"] = row["version"]
        note["before_at"] = row["changed_at"]
        note["before_by"] = row["changed_by"]
        connection.exec_driver_sql(CHANGE, note)
    connection.exec_driver_sql(TOUCH, note)
    set_contents(connection, [(row, content, text)])


def _entry(connection: Connection, entry_id: int) -> MemoryEntry:
    return records.entry_of(connection.exec_driver_sql(_ENTRY, (entry_id,)).mappings().one())
