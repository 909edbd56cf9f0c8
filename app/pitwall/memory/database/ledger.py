"""Every change of entries goes through here, inside one transaction, and leaves its mark in the history.

Statements are written out because they carry whole sets: an edit of 100,000 entries is a handful of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection, RowMapping

from pitwall.core.memories import Author, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import MemoryContent
from pitwall.memory.database import agent_history, records
from pitwall.memory.database.schema import Standing
from pitwall.store.strict_json import to_json

CHUNK = 500
"""Number of rows that Python processes at a time."""

Item = TypeVar("Item")

_INSERT_ENTRY = """
INSERT INTO entries (entry_id, game_id, kind, standing, pinned, version, label, action, facet, reward,
    successes, attempts, amount, at_s, first, second, author, run_id, fingerprint, created_at, changed_at,
    provenance, changed_by, content)
VALUES (:entry_id, :game_id, :kind, :standing, :pinned, 1, :label, :action, :facet, :reward,
    :successes, :attempts, :amount, :at_s, :first, :second, :author, :run_id, :fingerprint, :at, :changed_at,
    :provenance, :changed_by, :content)
"""
_UPDATE_CONTENT = """
UPDATE entries SET label = :label, action = :action, facet = :facet, reward = :reward,
    successes = :successes, attempts = :attempts, amount = :amount, at_s = :at_s, first = :first,
    second = :second, fingerprint = :fingerprint, content = :content
WHERE entry_id = :entry_id
"""
TOUCH = """
UPDATE entries SET version = version + 1, changed_at = :at, changed_by = :by, pinned = :pinned
WHERE entry_id = :entry_id
"""
CHANGE = """
INSERT INTO changes (batch, entry_id, at, by, before_flags, after_flags, before_version, after_version,
    before_at, before_by, before_content, after_content)
VALUES (:batch, :entry_id, :at, :by, :before_flags, :after_flags, :before_version, :after_version,
    :before_at, :before_by, :before_content, :after_content)
"""
_NEW_FLAGS = "coalesce(:standing, standing) * 2 + coalesce(:pinned, pinned)"
CHANGED_BY = """
changed_by = json_patch(:by, json_object('text_of', nullif(CASE version WHEN 1 THEN author ELSE
    coalesce(json_extract(changed_by, '$.text_of'), json_extract(changed_by, '$.author')) END,
    json_extract(:by, '$.author'))))
"""
"""Assigns the author of a change that leaves the text as it is."""
_FLAGGED = f"""
FROM entries WHERE entry_id IN (SELECT value FROM json_each(:ids))
    AND (:undone OR standing != {int(Standing.UNDONE)}) AND {_NEW_FLAGS} != standing * 2 + pinned
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """An entry to be made. provenance: None for that of the batch. created_at: empty for now."""

    game_id: str
    content: MemoryContent
    pinned: bool = False
    forgotten: bool = False
    provenance: Provenance | None = None
    created_at: str = ""
    entry_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewContent:
    """New contents of an existing entry. row: its current row. text_of: empty: the changer's."""

    row: RowMapping
    content: MemoryContent
    pinned: bool
    text_of: Author | Literal[""] = ""


class Ledger:
    """Records one batch of changes.

    Args:
        connection: in a transaction.
        by: who changes.

    Attributes:
        touched: ids of every entry that was changed, in order. made: of those that are new.
    """

    def __init__(self, connection: Connection, by: Provenance, at: str = "") -> None:
        self.connection = connection
        self.by = by
        self.at = at or now()
        self.touched: dict[int, None] = {}
        self.made: set[int] = set()
        self._by_text = records.provenance_text(by)
        self._own = by.author == "agent"
        self._batch = 0

    @property
    def batch(self) -> int:
        """Return the batch's number in the history; 0 while nothing was changed."""
        return self._batch

    def because(self, reason: str) -> None:
        """Set the reason for the changes that follow, if it is more than the batch's own."""
        by = replace(self.by, reason=reason) if reason else self.by
        self._by_text = records.provenance_text(by)
        # A batch that goes on for a whole run tells each change's time and origin apart.
        self._own = self.by.author == "agent" or by != self.by

    def add(self, new: Iterable[NewEntry]) -> list[int]:
        """Make entries; returns their ids, in order."""
        added: list[int] = []
        for chunk in chunks(new, CHUNK):
            next_id = self._next_id()
            rows = []
            for offset, entry in enumerate(chunk):
                entry_id = entry.entry_id if entry.entry_id is not None else next_id + offset
                rows.append(self._entry_row(entry, entry_id))
            self._run(_INSERT_ENTRY, rows)
            self._run("INSERT INTO entry_texts (rowid, text) VALUES (:entry_id, :text)", rows)
            self._note(
                {
                    "entry_id": row["entry_id"],
                    "before_flags": records.flags_of(Standing.UNDONE, pinned=False),
                    "after_flags": records.flags_of(row["standing"], pinned=row["pinned"]),
                    "before_version": 0,
                    "after_version": 1,
                    "before_at": row["at"],
                    "before_by": row["provenance"],
                    "before_content": None,
                    "after_content": None,
                }
                for row in rows
            )
            added += [row["entry_id"] for row in rows]
        self.made.update(added)
        return added

    def change(self, changes: Iterable[NewContent]) -> None:
        """Replace contents (and pins); unchanged entries get no mark in the history."""
        for chunk in chunks(changes, CHUNK):
            different = [(change, records.content_text(change.content)) for change in chunk]
            different = [
                (change, text)
                for change, text in different
                if text != change.row["content"] or change.pinned != bool(change.row["pinned"])
            ]
            notes = [self._content_note(change, text) for change, text in different]
            self._note(notes)
            rows = [
                {
                    **note,
                    "at": self.at,
                    "by": note.get("by", self._by_text),
                    "pinned": note["after_flags"] & 1,
                }
                for note in notes
            ]
            self._run(TOUCH, rows)
            set_contents(
                self.connection,
                [
                    (change.row, change.content, text)
                    for change, text in different
                    if text != change.row["content"]
                ],
            )

    def flag(
        self,
        ids: Iterable[int],
        *,
        pinned: bool | None = None,
        standing: Standing | None = None,
        undone: bool = False,
    ) -> None:
        """Pin or unpin, forget or restore entries; those that stand so already are passed over.

        Args:
            undone: also those whose making was undone.
        """
        given: dict[str, Any] = {
            "ids": json_ids(ids),
            "undone": int(undone),
            "pinned": None if pinned is None else int(pinned),
            "standing": None if standing is None else int(standing),
        }
        ids_found = self.connection.exec_driver_sql(f"SELECT entry_id {_FLAGGED}", given).scalars().all()
        if not ids_found:
            return
        given["batch"] = self.open_batch()
        given["own_at"], given["own_by"] = (self.at, self._by_text) if self._own else (None, None)
        self.connection.exec_driver_sql(
            "INSERT INTO changes (batch, entry_id, at, by, before_flags, after_flags, before_version,"
            " after_version, before_at, before_by)"
            f" SELECT :batch, entry_id, :own_at, :own_by, standing * 2 + pinned, {_NEW_FLAGS}, version,"
            f" version + 1, changed_at, changed_by {_FLAGGED}",
            given,
        )
        self.connection.exec_driver_sql(
            "UPDATE entries SET standing = coalesce(:standing, standing), pinned = coalesce(:pinned, pinned),"
            " version = version + 1,"
            f" changed_at = :at, {CHANGED_BY} WHERE entry_id IN (SELECT value FROM json_each(:found))",
            {**given, "at": self.at, "by": self._by_text, "found": json_ids(ids_found)},
        )
        self.touched.update(dict.fromkeys(ids_found))

    def open_batch(self) -> int:
        """Return the batch's number, after adding the batch to the history if necessary."""
        if not self._batch:
            if self.by.author == "agent":
                self._batch = agent_history.batch_of(self.connection, self.by, self.at)
            else:
                # What was undone before cannot be redone over something newer.
                self.connection.exec_driver_sql("UPDATE batches SET undone = -1 WHERE undone > 0")
                self._batch = agent_history.new_batch(self.connection, self.by, self.at)
        return self._batch

    def _entry_row(self, entry: NewEntry, entry_id: int) -> dict[str, Any]:
        made_by = entry.provenance or self.by
        text = records.content_text(entry.content)
        return {
            **records.content_columns(entry.content),
            "entry_id": entry_id,
            "game_id": entry.game_id,
            "kind": entry.content.kind,
            "standing": int(Standing.FORGOTTEN if entry.forgotten else Standing.USED),
            "pinned": int(entry.pinned),
            "author": made_by.author,
            "run_id": made_by.run_id,
            "fingerprint": records.fingerprint(entry.game_id, entry.content.kind, text),
            "at": entry.created_at or self.at,
            "changed_at": self.at,
            "provenance": records.provenance_text(made_by),
            "changed_by": self._by_text,
            "content": text,
            "text": records.search_text(entry.content),
        }

    def _content_note(self, change: NewContent, text: str) -> dict[str, Any]:
        row = change.row
        same = text == row["content"]
        text_of = records.entry_of(row).text_author if same else change.text_of
        by = to_json({**json.loads(self._by_text), "text_of": text_of})
        return {
            **({"by": by} if text_of and text_of != self.by.author else {}),
            "entry_id": row["entry_id"],
            "before_flags": records.flags_of(row["standing"], pinned=bool(row["pinned"])),
            "after_flags": records.flags_of(row["standing"], pinned=change.pinned),
            "before_version": row["version"],
            "after_version": row["version"] + 1,
            "before_at": row["changed_at"],
            "before_by": row["changed_by"],
            "before_content": None if same else row["content"],
            "after_content": None if same else text,
        }

    def _note(self, notes: Iterable[dict[str, Any]]) -> None:
        rows = list(notes)
        if rows:
            batch = self.open_batch()
            at, by = (self.at, self._by_text) if self._own else (None, None)
            self._run(CHANGE, [{"by": by, **row, "batch": batch, "at": at} for row in rows])
            self.touched.update((row["entry_id"], None) for row in rows)

    def _next_id(self) -> int:
        used = self.connection.exec_driver_sql(
            "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"
        ).scalar()
        return int(used or 0) + 1

    def _run(self, statement: str, rows: list[dict[str, Any]]) -> None:
        if rows:
            self.connection.exec_driver_sql(statement, rows)


def set_contents(
    connection: Connection, contents: Sequence[tuple[Mapping[str, Any] | RowMapping, MemoryContent, str]]
) -> None:
    """Lay new contents into entries, their columns, what they are found by; a state's vectors go.

    Args:
        contents: the row (entry_id, game_id, kind), the contents, and these as `content_text` has them.
    """
    rows = [
        {
            **records.content_columns(content),
            "entry_id": row["entry_id"],
            "fingerprint": records.fingerprint(row["game_id"], row["kind"], text),
            "content": text,
            "text": records.search_text(content),
        }
        for row, content, text in contents
    ]
    states = [
        {"entry_id": row["entry_id"]} for row, _content, _text in contents if row["kind"] == MemoryKind.NODE
    ]
    if rows:
        connection.exec_driver_sql(_UPDATE_CONTENT, rows)
        connection.exec_driver_sql("UPDATE entry_texts SET text = :text WHERE rowid = :entry_id", rows)
    if states:
        connection.exec_driver_sql("DELETE FROM vectors WHERE entry_id = :entry_id", states)


def rows_of(connection: Connection, ids: Iterable[int], *, undone: bool = False) -> dict[int, RowMapping]:
    """Return rows of entries by id; missing ids are skipped.

    Args:
        undone: include entries whose creation was undone.
    """
    rows = connection.exec_driver_sql(
        "SELECT * FROM entries WHERE entry_id IN (SELECT value FROM json_each(?)) AND (? OR standing != 2)"
        " ORDER BY entry_id",
        (json_ids(ids), int(undone)),
    )
    return {row["entry_id"]: row for row in rows.mappings()}


def json_ids(ids: Iterable[int]) -> str:
    """Return ids as one parameter for `json_each`."""
    return json.dumps(list(ids))


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the lists of at most `size` items, in order."""
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def now() -> str:
    """Return the current time as stored in entries and changes: UTC, ISO 8601 with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
