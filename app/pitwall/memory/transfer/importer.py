"""Entries from outside (a file, another memory's snapshot) are taken in, or the faulty row is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import RowMapping

from pitwall.core.memories import Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    BETWEEN_STATES,
    CONTENT_TYPES,
    Likeness,
    MemoryContent,
    SkillMemory,
    fields_of,
)
from pitwall.memory.database import records, references
from pitwall.memory.database.faults import ImportRefused
from pitwall.memory.database.ledger import CHUNK, Ledger, NewContent, NewEntry, chunks, json_ids, rows_of
from pitwall.memory.database.schema import Standing
from pitwall.memory.transfer.portable import PortableEntry, with_references

_REFERRED_TO = {field.about.refers_to for kind in CONTENT_TYPES for field in fields_of(kind).values()} - {""}
"""Kinds whose entries others name by their ids."""
_EQUAL = """
SELECT * FROM entries WHERE fingerprint IN (SELECT value FROM json_each(?)) AND standing != 2
ORDER BY standing, entry_id
"""


class EntryImporter:
    """Imports entries, in any order but edges and likenesses last.

    An entry that equals an existing one is not added again.

    Args:
        name: name of the file, for error messages.
        provenance_of: converts an entry's provenance for this memory.
        restoring: equal entries that were forgotten are restored, pins are set as in the file, and each of
            several equal entries is matched with an entry of its own.
        whole: the rows are what a memory wrote; a skill that is similar to none of them (that one was
            forgotten) is similar to none, else its row is refused.
    """

    def __init__(
        self,
        ledger: Ledger,
        name: str,
        provenance_of: Callable[[Provenance], Provenance],
        *,
        restoring: bool = False,
        whole: bool = False,
    ) -> None:
        self._ledger = ledger
        self._name = name
        self._provenance_of = provenance_of
        self._restoring = restoring
        self._whole = whole
        self._numbers: dict[int, int] = {}
        self._seen: set[int] = set()
        self._spoken: dict[int, tuple[str, str, bool]] = {}
        self._pairs: set[frozenset[int]] = set()
        self._waiting: list[PortableEntry] = []
        self.met: set[int] = set()
        """Ids of the entries that were taken in or found."""

    def take(self, rows: Iterable[PortableEntry]) -> None:
        """Take entries.

        Raises:
            ImportRefused: a row that repeats an id, or speaks of an entry that is not there.
        """
        for chunk in chunks(rows, CHUNK):
            for entry in chunk:
                self._register(entry)
            states = [entry for entry in chunk if entry.content.kind not in BETWEEN_STATES]
            self._place([entry for entry in states if not self._waits(entry)])
            self._waiting += [entry for entry in states if entry.number not in self._numbers]
            self._place([entry for entry in chunk if entry.content.kind in BETWEEN_STATES])

    def finish(self) -> None:
        """Take what waited for others.

        Raises:
            ImportRefused: it waits for what never came, or for itself.
        """
        while self._waiting:
            ready = [entry for entry in self._waiting if not self._waits(entry)]
            if not ready and self._whole:
                ready = [
                    replace(entry, content=replace(entry.content, similar_to=None))
                    for entry in self._waiting
                    if isinstance(entry.content, SkillMemory) and entry.content.similar_to not in self._seen
                ]
            if not ready:
                first = self._waiting[0]
                there = getattr(first.content, "similar_to", None) in self._spoken
                problem = "leads back to itself by way of others" if there else "is no skill of the file"
                raise self._refused(first, "similar_to", problem)
            self._place(ready)
            self._waiting = [entry for entry in self._waiting if entry.number not in self._numbers]

    def _register(self, entry: PortableEntry) -> None:
        if entry.number in self._seen:
            raise self._refused(
                entry, "id", f"is {_name_of(entry, 'id', entry.number)} once more", "an id of its own"
            )
        self._seen.add(entry.number)
        if entry.content.kind in _REFERRED_TO:
            self._spoken[entry.number] = (entry.content.kind, entry.game_id, entry.forgotten)
        for name in records.REFERENCES.get(entry.content.kind, ()):
            if entry.content.kind in BETWEEN_STATES:
                self._require_state(entry, name)
        if isinstance(entry.content, Likeness):
            pair = frozenset((entry.content.first, entry.content.second))
            if pair in self._pairs:
                raise self._refused(
                    entry, "second", "joins the same two states as an earlier row", "each pair once"
                )
            self._pairs.add(pair)

    def _require_state(self, entry: PortableEntry, name: str) -> None:
        number = getattr(entry.content, name)
        if number is None:
            return
        kind, game_id, forgotten = self._spoken.get(number, ("", "", False))
        problem = f"is {_name_of(entry, name, number)}"
        if kind != MemoryKind.NODE:
            raise self._refused(entry, name, f"{problem}, which is no state of the file", "the id of a state")
        if game_id != entry.game_id:
            raise self._refused(
                entry, name, f"{problem}, a state of another game", f"a state of {entry.game_id}"
            )
        if forgotten and not entry.forgotten:
            raise self._refused(entry, name, f"{problem}, a forgotten state", "a state in use")

    def _waits(self, entry: PortableEntry) -> bool:
        similar = getattr(entry.content, "similar_to", None)
        return similar is not None and similar not in self._numbers

    def _place(self, ready: list[PortableEntry]) -> None:
        laid = [(entry, with_references(entry.content, self._numbers)) for entry in ready]
        keys = [_key(entry.game_id, content) for entry, content in laid]
        equal = self._equal(keys)
        new: list[tuple[PortableEntry, MemoryContent]] = []
        first_of: dict[tuple[Any, ...], PortableEntry] = {}
        repeated: list[tuple[PortableEntry, PortableEntry]] = []
        matches: list[tuple[PortableEntry, MemoryContent, int]] = []
        for (entry, content), key in zip(laid, keys, strict=True):
            row = next((row for row in equal.get(key, ()) if self._fits(entry, row)), None)
            row = row or self._known_likeness(entry, content)
            if row is not None:
                matches.append((entry, content, row["entry_id"]))
                self._meet(entry, row["entry_id"])
            elif key in first_of and not self._restoring and not entry.forgotten:
                repeated.append((entry, first_of[key]))
            else:
                first_of.setdefault(key, entry)
                new.append((entry, content))
        self._add(new)
        for entry, first in repeated:
            self._meet(entry, self._numbers[first.number])
        if self._restoring:
            self._bring_back(matches)

    def _equal(self, keys: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[RowMapping]]:
        prints = json_ids(key[0] for key in keys)
        equal: dict[tuple[Any, ...], list[RowMapping]] = {}
        for row in self._ledger.connection.exec_driver_sql(_EQUAL, (prints,)).mappings():
            key = (row["fingerprint"], row["game_id"], row["kind"], row["content"])
            equal.setdefault(key, []).append(row)
        return equal

    def _fits(self, entry: PortableEntry, row: RowMapping) -> bool:
        if self._restoring:
            return row["entry_id"] not in self.met
        return (row["standing"] == Standing.FORGOTTEN) is entry.forgotten

    def _known_likeness(self, entry: PortableEntry, content: MemoryContent) -> RowMapping | None:
        """Return the likeness of the same two states, in either direction."""
        if not isinstance(content, Likeness):
            return None
        known = references.likeness_of(self._ledger.connection, content.first, content.second)
        row = None if known is None else rows_of(self._ledger.connection, [known])[known]
        return row if row is not None and self._fits(entry, row) else None

    def _add(self, new: list[tuple[PortableEntry, MemoryContent]]) -> None:
        made = [
            NewEntry(
                game_id=entry.game_id,
                content=content,
                pinned=entry.pinned,
                forgotten=entry.forgotten,
                provenance=self._provenance_of(entry.provenance),
                created_at=entry.created_at,
            )
            for entry, content in new
        ]
        for (entry, _content), entry_id in zip(new, self._ledger.add(made), strict=True):
            self._meet(entry, entry_id)

    def _bring_back(self, matches: list[tuple[PortableEntry, MemoryContent, int]]) -> None:
        ids = [entry_id for _entry, _content, entry_id in matches]
        self._ledger.flag(ids, standing=Standing.USED)
        rows = rows_of(self._ledger.connection, ids)
        self._ledger.change(_laid(rows[entry_id], entry, content) for entry, content, entry_id in matches)

    def _meet(self, entry: PortableEntry, entry_id: int) -> None:
        self._numbers[entry.number] = entry_id
        self.met.add(entry_id)

    def _refused(self, entry: PortableEntry, field: str, problem: str, expected: str = "") -> ImportRefused:
        return ImportRefused(self._name, entry.row, field, problem, expected)


class SnapshotOverlay:
    """Lays a snapshot of this very memory over it: every entry is known by its own id."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.met: set[int] = set()
        """Ids of the entries that were laid."""

    def take(self, rows: Iterable[PortableEntry]) -> None:
        """Lay entries; those that were purged are made again under their ids."""
        connection = self._ledger.connection
        for chunk in chunks(rows, CHUNK):
            ids = [entry.number for entry in chunk]
            self.met.update(ids)
            there = rows_of(connection, ids, undone=True)
            self._ledger.flag(there, standing=Standing.USED, undone=True)
            there = rows_of(connection, there)
            self._ledger.change(
                _laid(there[entry.number], entry, entry.content) for entry in chunk if entry.number in there
            )
            self._ledger.add(
                NewEntry(
                    entry_id=entry.number,
                    game_id=entry.game_id,
                    content=entry.content,
                    pinned=entry.pinned,
                    provenance=entry.provenance,
                    created_at=entry.created_at,
                )
                for entry in chunk
                if entry.number not in there
            )

    def finish(self) -> None:
        """Do nothing: no row waits here."""


def imported_provenance(provenance: Provenance, source: str) -> Provenance:
    """Convert another memory's provenance: its run numbers become part of the reason."""
    parts: list[str] = [provenance.author]
    if provenance.run_id is not None:
        parts.append(f"run {provenance.run_id}")
    if provenance.step is not None:
        parts.append(f"step {provenance.step}")
    reason = ", ".join(parts) + (f": {provenance.reason}" if provenance.reason else "")
    return replace(
        provenance, author="import", run_id=None, step=None, frame_id=None, reason=reason, source=source
    )


def _key(game_id: str, content: MemoryContent) -> tuple[Any, ...]:
    text = records.content_text(content)
    return (records.fingerprint(game_id, content.kind, text), game_id, content.kind, text)


def _name_of(entry: PortableEntry, field: str, number: int) -> str:
    return entry.names.get(field, str(number))


def _laid(row: RowMapping, entry: PortableEntry, content: MemoryContent) -> NewContent:
    """Return what an entry of a file puts in the place of a row; its text stays the first author's."""
    return NewContent(row=row, content=content, pinned=entry.pinned, text_of=row["author"])
