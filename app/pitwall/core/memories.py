"""Defines the entries of the agent's memory, their provenance and their changes (SPEC §3, §4, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core.memory_kinds import MemoryContent

Author = Literal["agent", "operator", "import", "profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The origin of an entry or of a change.

    Attributes:
        run_id, step, frame_id: where it was learnt; None if it was not learnt in a run.
        reason: why it passed the gate, or why it was changed, as half a sentence.
        source: more about the author: the name of a model or a file.
        text_of: author of the entry's text after a change by another, such as a pin; empty: `author`.
    """

    author: Author
    run_id: int | None = None
    step: int | None = None
    frame_id: int | None = None
    reason: str = ""
    source: str = ""
    text_of: Author | Literal[""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """Holds one entry.

    Attributes:
        version: counts its changes; an edit names the version that it was made on.
        pinned: the agent never overwrites or forgets it. forgotten: not used, restorable until purged.
        provenance: of its making. changed_by: of its last change.
        created_at, changed_at: UTC, ISO 8601.
    """

    entry_id: int
    game_id: str
    content: MemoryContent
    provenance: Provenance
    changed_by: Provenance
    pinned: bool = False
    forgotten: bool = False
    version: int = 1
    created_at: str = ""
    changed_at: str = ""

    @property
    def text_author(self) -> Author:
        """Return who wrote the text; whoever takes it in, pins it or judges it does not."""
        return (
            self.provenance.author if self.version == 1 else self.changed_by.text_of or self.changed_by.author
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """Records one entry's change in the history.

    Attributes:
        batch: changes of one batch are done, undone and redone together.
        before, after: None where the entry was not there.
    """

    change_id: int
    batch: int
    entry_id: int
    at: str
    by: Provenance
    before: MemoryEntry | None
    after: MemoryEntry | None
    undone: bool = False


# ---- edits: what a person (or a command) may ask of whoever holds the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PutEntry:
    """Add an entry (entry_id None), or replace the contents of one.

    Attributes:
        version: that the edit was made on; another one now is a conflict. None: whatever it is.
    """

    kind: Literal["put"] = "put"
    game_id: str
    content: MemoryContent
    entry_id: int | None = None
    version: int | None = None
    pinned: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagEntries:
    """Pin or unpin, forget or restore; None leaves a flag as it is."""

    kind: Literal["flag"] = "flag"
    entry_ids: tuple[int, ...]
    pinned: bool | None = None
    forgotten: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeEntries:
    """Remove forgotten entries for good, with their history."""

    kind: Literal["purge"] = "purge"
    entry_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoEdit:
    """Undo the operator's last batch that is not undone; `batch` names another one."""

    kind: Literal["undo"] = "undo"
    batch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedoEdit:
    """Redo the edit that was undone last."""

    kind: Literal["redo"] = "redo"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSkill:
    """Decide about a skill of the write gate's inbox: accept, reject, or merge it into the similar one."""

    kind: Literal["judge"] = "judge"
    entry_id: int
    verdict: Literal["accept", "merge", "reject"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSnapshot:
    """Save the current memory under its content hash and a name: of one game, or (empty) of all."""

    kind: Literal["snapshot"] = "snapshot"
    name: str = ""
    game_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreSnapshot:
    """Restore a snapshot, as one batch that can be undone.

    Attributes:
        game_id: the game whose memory is restored; empty: what the snapshot was taken of.
    """

    kind: Literal["restore"] = "restore"
    content_hash: str
    game_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMemory:
    """Import a file of entries: all of it, or nothing.

    Attributes:
        format: jsonl (every kind) or graphml (SA-KG), as exports write them; csv, json or sqlite: a table of
            another program, each row an entry of `entry_kind`.
        game_id: game that the entries are imported for; empty: as the file says.
        as_snapshot: keep them as a snapshot (jsonl only); the memory itself stays unchanged.
        columns: of a table: column → field of the kind; an empty field leaves the column out, "*" stands for
            all others. Columns with the name of a field need no mapping.
        table: table of a SQLite file; empty: its only one.
    """

    kind: Literal["import"] = "import"
    path: str
    format: Literal["jsonl", "graphml", "csv", "json", "sqlite"]
    game_id: str = ""
    as_snapshot: bool = False
    entry_kind: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    table: str = ""


MemoryEdit = Annotated[
    PutEntry
    | FlagEntries
    | PurgeEntries
    | UndoEdit
    | RedoEdit
    | JudgeSkill
    | TakeSnapshot
    | RestoreSnapshot
    | ImportMemory,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditConflict:
    """An entry that was changed by somebody else since the edit was begun."""

    entry_id: int
    theirs: MemoryEntry | None
    yours: MemoryContent


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """The result of a batch of edits: all of them were applied, or none.

    Attributes:
        batch: number in the history; 0 if nothing was changed.
        entry_ids: changed and new entries.
        content_hash: of the snapshot that was taken or restored. renamed: the name that it had before.
        what, fix: why the edits were refused, and the remedy; empty on success.
    """

    batch: int = 0
    entry_ids: tuple[int, ...] = ()
    content_hash: str = ""
    renamed: str = ""
    conflicts: tuple[EditConflict, ...] = ()
    what: str = ""
    fix: str = ""

    @property
    def done(self) -> bool:
        return not self.what and not self.conflicts
