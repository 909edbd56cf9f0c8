"""Entries from outside (a file, another memory's snapshot) are taken in, or the faulty row is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import RowMapping

from pitwall.core.memories import Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import BETWEEN_STATES, CONTENT_TYPES, Likeness, MemoryContent, fields_of
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
    """Takes entries in, in any order but edges and likenesses last.

    An entry that equals one that is there is that one, and nothing is added for it.

    Args:
        name: of the file, for refusals.
        told: what an entry's provenance becomes here.
        restoring: forgotten ones that are equal come back, pins are laid as they were, and of equal
            entries each finds a place of its own.
    """

    def __init__(
        self,
        ledger: Ledger,
        name: str,
        told: Callable[[Provenance], Provenance],
        *,
        restoring: bool = False,
    ) -> None:
        self._ledger = ledger
        self._name = name
        self._told = told
        self._restoring = restoring
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
            for one in chunk:
                self._register(one)
            states = [one for one in chunk if one.content.kind not in BETWEEN_STATES]
            self._place([one for one in states if not self._waits(one)])
            self._waiting += [one for one in states if one.number not in self._numbers]
            self._place([one for one in chunk if one.content.kind in BETWEEN_STATES])

    def finish(self) -> None:
        """Take what waited for others.

        Raises:
            ImportRefused: it waits for what never came, or for itself.
        """
        while self._waiting:
            ready = [one for one in self._waiting if not self._waits(one)]
            if not ready:
                first = self._waiting[0]
                there = getattr(first.content, "similar_to", None) in self._spoken
                problem = "leads back to itself by way of others" if there else "is no skill of the file"
                raise self._refused(first, "similar_to", problem)
            self._waiting = [one for one in self._waiting if self._waits(one)]
            self._place(ready)

    def _register(self, one: PortableEntry) -> None:
        if one.number in self._seen:
            raise self._refused(one, "id", f"is {_said(one, 'id', one.number)} once more", "an id of its own")
        self._seen.add(one.number)
        if one.content.kind in _REFERRED_TO:
            self._spoken[one.number] = (one.content.kind, one.game_id, one.forgotten)
        for name in records.REFERENCES.get(one.content.kind, ()):
            if one.content.kind in BETWEEN_STATES:
                self._require_state(one, name)
        if isinstance(one.content, Likeness):
            pair = frozenset((one.content.first, one.content.second))
            if pair in self._pairs:
                raise self._refused(
                    one, "second", "joins the same two states as an earlier row", "each pair once"
                )
            self._pairs.add(pair)

    def _require_state(self, one: PortableEntry, name: str) -> None:
        number = getattr(one.content, name)
        if number is None:
            return
        kind, game_id, forgotten = self._spoken.get(number, ("", "", False))
        said = f"is {_said(one, name, number)}"
        if kind != MemoryKind.NODE:
            raise self._refused(one, name, f"{said}, which is no state of the file", "the id of a state")
        if game_id != one.game_id:
            raise self._refused(one, name, f"{said}, a state of another game", f"a state of {one.game_id}")
        if forgotten and not one.forgotten:
            raise self._refused(one, name, f"{said}, a forgotten state", "a state in use")

    def _waits(self, one: PortableEntry) -> bool:
        similar = getattr(one.content, "similar_to", None)
        return similar is not None and similar not in self._numbers

    def _place(self, ready: list[PortableEntry]) -> None:
        laid = [(one, with_references(one.content, self._numbers)) for one in ready]
        keys = [_key(one.game_id, content) for one, content in laid]
        equal = self._equal(keys)
        new: list[tuple[PortableEntry, MemoryContent]] = []
        first_of: dict[tuple[Any, ...], PortableEntry] = {}
        repeated: list[tuple[PortableEntry, PortableEntry]] = []
        found: list[tuple[PortableEntry, MemoryContent, int]] = []
        for (one, content), key in zip(laid, keys, strict=True):
            row = next((row for row in equal.get(key, ()) if self._fits(one, row)), None)
            row = row or self._known_likeness(one, content)
            if row is not None:
                found.append((one, content, row["entry_id"]))
                self._meet(one, row["entry_id"])
            elif key in first_of and not self._restoring and not one.forgotten:
                repeated.append((one, first_of[key]))
            else:
                first_of.setdefault(key, one)
                new.append((one, content))
        self._add(new)
        for one, first in repeated:
            self._meet(one, self._numbers[first.number])
        if self._restoring:
            self._bring_back(found)

    def _equal(self, keys: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[RowMapping]]:
        prints = json_ids(key[0] for key in keys)
        equal: dict[tuple[Any, ...], list[RowMapping]] = {}
        for row in self._ledger.connection.exec_driver_sql(_EQUAL, (prints,)).mappings():
            key = (row["fingerprint"], row["game_id"], row["kind"], row["content"])
            equal.setdefault(key, []).append(row)
        return equal

    def _fits(self, one: PortableEntry, row: RowMapping) -> bool:
        if self._restoring:
            return row["entry_id"] not in self.met
        return row["standing"] == Standing.USED and not one.forgotten

    def _known_likeness(self, one: PortableEntry, content: MemoryContent) -> RowMapping | None:
        """The likeness of the same two states, whichever way round it stands."""
        if not isinstance(content, Likeness):
            return None
        known = references.likeness_of(self._ledger.connection, content.first, content.second)
        row = None if known is None else rows_of(self._ledger.connection, [known])[known]
        return row if row is not None and self._fits(one, row) else None

    def _add(self, new: list[tuple[PortableEntry, MemoryContent]]) -> None:
        made = [
            NewEntry(
                game_id=one.game_id,
                content=content,
                pinned=one.pinned,
                forgotten=one.forgotten,
                provenance=self._told(one.provenance),
                created_at=one.created_at,
            )
            for one, content in new
        ]
        for (one, _content), entry_id in zip(new, self._ledger.add(made), strict=True):
            self._meet(one, entry_id)

    def _bring_back(self, found: list[tuple[PortableEntry, MemoryContent, int]]) -> None:
        ids = [entry_id for _one, _content, entry_id in found]
        self._ledger.flag(ids, standing=Standing.USED)
        rows = rows_of(self._ledger.connection, ids)
        self._ledger.change(
            NewContent(row=rows[entry_id], content=content, pinned=one.pinned)
            for one, content, entry_id in found
        )

    def _meet(self, one: PortableEntry, entry_id: int) -> None:
        self._numbers[one.number] = entry_id
        self.met.add(entry_id)

    def _refused(self, one: PortableEntry, field: str, problem: str, expected: str = "") -> ImportRefused:
        return ImportRefused(self._name, one.row, field, problem, expected)


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
            ids = [one.number for one in chunk]
            self.met.update(ids)
            there = rows_of(connection, ids, undone=True)
            self._ledger.flag(there, standing=Standing.USED, undone=True)
            there = rows_of(connection, there)
            self._ledger.change(
                NewContent(row=there[one.number], content=one.content, pinned=one.pinned)
                for one in chunk
                if one.number in there
            )
            self._ledger.add(
                NewEntry(
                    entry_id=one.number,
                    game_id=one.game_id,
                    content=one.content,
                    pinned=one.pinned,
                    provenance=one.provenance,
                    created_at=one.created_at,
                )
                for one in chunk
                if one.number not in there
            )

    def finish(self) -> None:
        """Do nothing: no row waits here."""


def imported_provenance(provenance: Provenance, source: str) -> Provenance:
    """Return somebody else's provenance for this memory: its runs are not ours, so they are told in words."""
    said: list[str] = [provenance.author]
    if provenance.run_id is not None:
        said.append(f"run {provenance.run_id}")
    if provenance.step is not None:
        said.append(f"step {provenance.step}")
    told = ", ".join(said) + (f": {provenance.reason}" if provenance.reason else "")
    return replace(
        provenance, author="import", run_id=None, step=None, frame_id=None, reason=told, source=source
    )


def _key(game_id: str, content: MemoryContent) -> tuple[Any, ...]:
    text = records.content_text(content)
    return (records.fingerprint(game_id, content.kind, text), game_id, content.kind, text)


def _said(one: PortableEntry, field: str, number: int) -> str:
    return one.said.get(field, str(number))
