"""The operator's edits, one after the other, inside one transaction: all of them, or none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sqlalchemy import Connection, RowMapping

from pitwall.core import memories
from pitwall.core.errors import PitwallError
from pitwall.core.memory_fields import LIST_LENGTH, MemoryKind
from pitwall.core.memory_kinds import MemoryContent, SkillMemory
from pitwall.memory.database import history, purging, records, references
from pitwall.memory.database.checks import first_fault
from pitwall.memory.database.entry_values import is_game_id, normalised
from pitwall.memory.database.faults import EditRefused
from pitwall.memory.database.ledger import CHUNK, Ledger, NewContent, NewEntry, chunks, rows_of
from pitwall.memory.database.schema import Standing
from pitwall.memory.transfer import files as transfer
from pitwall.memory.transfer import snapshots


class EditConflicts(PitwallError):
    """Entries were changed by somebody else since the edit was begun."""

    def __init__(self, conflicts: Sequence[memories.EditConflict]) -> None:
        super().__init__("entries were changed since.")
        self.conflicts = tuple(conflicts)


def apply(
    connection: Connection, edits: Sequence[memories.MemoryEdit], by: memories.Provenance
) -> memories.EditResult:
    """Do every edit; the caller commits, or rolls back where this raises.

    Raises:
        EditRefused: an edit that cannot be done, in words.
        Conflicts: entries that were changed since.
    """
    editing = _Editing(connection, by)
    for (kind, reason), group in groupby(edits, key=lambda edit: (edit.kind, getattr(edit, "reason", ""))):
        editing.do(kind, list(group), reason)
    return editing.result()


class _Editing:
    def __init__(self, connection: Connection, by: memories.Provenance) -> None:
        self._connection = connection
        self._by = by
        self._ledger = Ledger(connection, by)
        self._gone: list[int] = []
        self._batch = 0
        self._content_hash = self._renamed = ""

    def do(self, kind: str, edits: list[memories.MemoryEdit], reason: str) -> None:
        """Apply edits of one kind and with one reason, in order."""
        self._ledger.because(reason)
        if kind == "put":
            self._put([edit for edit in edits if isinstance(edit, memories.PutEntry)])
            return
        for edit in edits:
            self._do_one(edit)

    def result(self) -> memories.EditResult:
        """Return the result of the edit, once all of it is known to be whole."""
        if problem := references.problem(self._connection, self._ledger.touched, self._ledger.made):
            raise EditRefused(problem, "Nothing was changed.")
        return memories.EditResult(
            batch=self._batch or self._ledger.batch,
            entry_ids=tuple(dict.fromkeys((*self._ledger.touched, *self._gone))),
            content_hash=self._content_hash,
            renamed=self._renamed,
        )

    def _do_one(self, edit: memories.MemoryEdit) -> None:
        match edit:
            case memories.FlagEntries():
                self._flag(edit)
            case memories.PurgeEntries():
                self._refuse_agent("purge")
                self._gone += purging.purge(self._connection, edit.entry_ids)
            case memories.UndoEdit():
                self._turn_back(history.undo(self._connection, edit.batch, self._by))
            case memories.RedoEdit():
                self._turn_back(history.redo(self._connection, self._by))
            case memories.JudgeSkill():
                self._judge(edit)
            case memories.TakeSnapshot():
                name = edit.name.strip() or f"taken {self._ledger.at[:19]}"
                self._content_hash, self._renamed = snapshots.take(self._connection, edit.game_id, name)
            case memories.RestoreSnapshot():
                self._refuse_agent("restore")
                self._content_hash = snapshots.restore(self._ledger, edit.content_hash, edit.game_id)
            case memories.ImportMemory():
                self._import(edit)

    # ---- contents

    def _put(self, edits: list[memories.PutEntry]) -> None:
        for group in _once_each(edits):
            ids = [edit.entry_id for edit in group if edit.entry_id is not None]
            there = rows_of(self._connection, ids)
            conflicts, changes, new = [], [], []
            for edit in group:
                row = None if edit.entry_id is None else there.get(edit.entry_id)
                content = _checked(edit)
                if edit.entry_id is None:
                    new.append(NewEntry(game_id=edit.game_id, content=content, pinned=bool(edit.pinned)))
                elif row is None or (edit.version is not None and edit.version != row["version"]):
                    theirs = None if row is None else records.entry_of(row)
                    conflicts.append(
                        memories.EditConflict(entry_id=edit.entry_id, theirs=theirs, yours=content)
                    )
                else:
                    self._require_same(edit, row)
                    pinned = bool(row["pinned"]) if edit.pinned is None else edit.pinned
                    text_of = records.entry_of(row).text_author if _same_text(row, content) else ""
                    changes.append(NewContent(row=row, content=content, pinned=pinned, text_of=text_of))
            if conflicts:
                raise EditConflicts(conflicts)
            self._ledger.change(changes)
            self._ledger.add(new)

    def _require_same(self, edit: memories.PutEntry, row: RowMapping) -> None:
        if edit.content.kind != row["kind"]:
            raise EditRefused(
                f"entry {edit.entry_id} is of kind {row['kind']}, and cannot become {edit.content.kind}.",
                "Forget it, and add a new one.",
            )
        if edit.game_id != row["game_id"]:
            raise EditRefused(
                f"entry {edit.entry_id} is remembered of {row['game_id']}, not of {edit.game_id}.",
                "Add a new one for the other game.",
            )
        if self._by.author == "agent" and row["pinned"]:
            raise EditRefused(f"entry {edit.entry_id} is pinned.", "Unpin it first.")

    # ---- flags

    def _flag(self, edit: memories.FlagEntries) -> None:
        there = rows_of(self._connection, edit.entry_ids)
        for entry_id in edit.entry_ids:
            if entry_id not in there:
                raise EditRefused(f"entry {entry_id} is not in the memory.", "It was purged, or never was.")
        self._refuse_pinned(there.values())
        standing = None
        ids: list[int] = list(there)
        if edit.forgotten is not None:
            standing = Standing.FORGOTTEN if edit.forgotten else Standing.USED
            states = [number for number, row in there.items() if row["kind"] == MemoryKind.NODE]
            joined = self._joined(states, forgotten=edit.forgotten)
            self._refuse_pinned(rows_of(self._connection, joined).values())
            if edit.pinned is not None:
                self._ledger.flag(ids, pinned=edit.pinned)
            self._ledger.flag([*ids, *joined], standing=standing)
        else:
            self._ledger.flag(ids, pinned=edit.pinned)

    def _joined(self, states: list[int], *, forgotten: bool) -> list[int]:
        """Return the edges and likenesses that go, or come back, with states."""
        if not states:
            return []
        if forgotten:
            return references.joining(self._connection, states, Standing.USED)
        return history.forgotten_with(self._connection, states)

    def _refuse_pinned(self, rows: Iterable[RowMapping]) -> None:
        if self._by.author != "agent":
            return
        for row in rows:
            if row["pinned"]:
                raise EditRefused(f"entry {row['entry_id']} is pinned: the agent leaves it as it is.")

    # ---- skills

    def _judge(self, edit: memories.JudgeSkill) -> None:
        row = rows_of(self._connection, [edit.entry_id]).get(edit.entry_id)
        skill = None if row is None else records.content_of(row["kind"], row["content"])
        if row is None or not isinstance(skill, SkillMemory):
            raise EditRefused(f"entry {edit.entry_id} is no skill.")
        if skill.status != "proposed" or row["standing"] != Standing.USED:
            status = "forgotten" if row["standing"] != Standing.USED else skill.status
            raise EditRefused(f"skill {skill.name!r} is {status}: it was judged already.")
        if edit.verdict == "merge":
            self._merge(row, skill, edit.reason)
            return
        status = "active" if edit.verdict == "accept" else "retired"
        self._ledger.change([_judged(row, dataclasses.replace(skill, status=status), edit.reason)])

    def _merge(self, row: RowMapping, skill: SkillMemory, reason: str) -> None:
        """Add the evidence and counts of a proposed skill to the similar one, whose text stays unchanged."""
        into = rows_of(self._connection, [skill.similar_to or 0]).get(skill.similar_to or 0)
        other = None if into is None else records.content_of(into["kind"], into["content"])
        if into is None or not isinstance(other, SkillMemory) or into["standing"] != Standing.USED:
            raise EditRefused(
                f"skill {skill.name!r} resembles no skill that is in use.", "Accept it, or reject it."
            )
        if other.status == "retired":
            raise EditRefused(
                f"skill {other.name!r}, which {skill.name!r} resembles, was rejected or removed.",
                "Accept it, or reject it.",
            )
        if self._by.author == "agent" and into["pinned"]:
            raise EditRefused(f"entry {into['entry_id']} is pinned: the agent leaves it as it is.")
        evidence = (*other.evidence, *(line for line in skill.evidence if line not in other.evidence))
        both = dataclasses.replace(
            other,
            evidence=evidence[-LIST_LENGTH:],
            uses=other.uses + skill.uses,
            successes=other.successes + skill.successes,
        )
        retired = dataclasses.replace(skill, status="retired")
        self._ledger.change([_judged(into, both, reason), _judged(row, retired, reason)])
        self._ledger.flag([row["entry_id"]], standing=Standing.FORGOTTEN)

    # ---- the rest

    def _import(self, edit: memories.ImportMemory) -> None:
        if edit.game_id:
            _require_game(edit.game_id)
        self._content_hash = transfer.import_file(self._ledger, edit)

    def _turn_back(self, turned: history.UndoResult) -> None:
        if turned.conflicts:
            raise EditConflicts(turned.conflicts)
        self._batch = turned.batch
        self._ledger.touched.update(dict.fromkeys(turned.entry_ids))

    def _refuse_agent(self, action: str) -> None:
        if self._by.author == "agent":
            raise EditRefused(f"to {action} is the operator's alone.")


def _checked(edit: memories.PutEntry) -> MemoryContent:
    _require_game(edit.game_id)
    content = normalised(edit.content)
    if (fault := first_fault(content)) is not None:
        where = "the new entry" if edit.entry_id is None else f"entry {edit.entry_id}"
        raise EditRefused(f"{where}: {fault}.")
    return content


def _require_game(game_id: str) -> None:
    if not is_game_id(game_id):
        raise EditRefused(
            f"{game_id!r} is no game's id.", "Ids are small letters, digits and hyphens, a letter first."
        )


def _judged(row: RowMapping, skill: SkillMemory, reason: str) -> NewContent:
    evidence = (*skill.evidence, f"judged: {reason}") if reason else skill.evidence
    content = dataclasses.replace(skill, evidence=evidence[-LIST_LENGTH:])
    author = records.entry_of(row).text_author
    return NewContent(row=row, content=content, pinned=bool(row["pinned"]), text_of=author)


def _same_text(row: RowMapping, content: MemoryContent) -> bool:
    """Return whether a change of a skill only activates or retires it."""
    old = records.content_of(row["kind"], row["content"])
    return (
        isinstance(old, SkillMemory)
        and isinstance(content, SkillMemory)
        and dataclasses.replace(old, status=content.status) == content
    )


def _once_each(edits: Sequence[memories.PutEntry]) -> Iterator[list[memories.PutEntry]]:
    """Split edits into runs in which no entry occurs twice."""
    for chunk in chunks(edits, CHUNK):
        run: list[memories.PutEntry] = []
        seen: set[int] = set()
        for edit in chunk:
            if edit.entry_id in seen:
                yield run
                run, seen = [], set()
            run.append(edit)
            if edit.entry_id is not None:
                seen.add(edit.entry_id)
        if run:
            yield run
