"""Defines the entries of the agent's memory, their provenance and their changes (SPEC §3, §4, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field


class MemoryKind(StrEnum):
    """Kinds of entries, each with contents of its own."""

    ACTION = "action"
    """SA-MB: what an action did in a state."""
    NODE = "node"
    """SA-KG: a state."""
    EDGE = "edge"
    """SA-KG: an action from a state."""
    LIKENESS = "likeness"
    """SA-KG: two states that resemble each other."""
    SKILL = "skill"
    """L5."""
    EPISODE = "episode"
    """L4."""
    KNOWLEDGE = "knowledge"
    """L3, beside what the game's folder holds."""
    NOTE = "note"
    """Global memory: failure summaries, subgoals and progress that outlive the window of recent steps."""
    PROCEDURE = "procedure"
    """How an action was last constructed so that it worked, by its name."""


Author = Literal["agent", "operator", "import", "profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Names where an entry came from, or who changed it.

    Attributes:
        run_id, step, frame_id: what it was learnt from; None where it was not.
        reason: why it passed the gate, or why it was changed, as half a sentence.
        source: more about the author: a model's name, a file's.
    """

    author: Author
    run_id: int | None = None
    step: int | None = None
    frame_id: int | None = None
    reason: str = ""
    source: str = ""


# ---- contents


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMemory:
    """SA-MB: in states like this, this action (or short trace) did that.

    Attributes:
        state: summary, normalised (lower case, no punctuation, single blanks).
        action: text of a semantic action.
        reward: moving average, r ← 0.7 r + 0.3 of the newest.
        at_s: of its last execution, UTC seconds since 1970.
        tag: source tag.
    """

    kind: Literal["action"] = "action"
    state: str
    action: str
    reward: float = 0.0
    successes: int = 0
    attempts: int = 0
    at_s: float = 0.0
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNode:
    """SA-KG: a state. Its vector is kept beside it, by embedder."""

    kind: Literal["node"] = "node"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionEdge:
    """SA-KG: an action from one state to another (None: where it led is not known)."""

    kind: Literal["edge"] = "edge"
    source: int
    target: int | None = None
    action: str
    count: int = 0
    reward: float = 0.0
    successes: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """SA-KG: two states whose vectors are close."""

    kind: Literal["likeness"] = "likeness"
    first: int
    second: int
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMemory:
    """L5: explicit trigger → short proposal → stop condition.

    Attributes:
        status: proposed ones wait for the operator; retired ones are not used any more.
        uses, successes: firings, and those whose subgoal was reached or made progress.
        evidence: sentences: what it was read from, what the write gate measured.
        similar_to: id of the entry that the gate found it too like, to be merged with.
    """

    kind: Literal["skill"] = "skill"
    name: str
    when: str
    subgoal: str
    situation: str = ""
    actions: tuple[str, ...] = ()
    module: str = ""
    stop: str = ""
    priority: int = 0
    steps: int = 8
    cooldown_steps: int = 0
    status: Literal["active", "proposed", "retired"] = "active"
    uses: int = 0
    successes: int = 0
    evidence: tuple[str, ...] = ()
    similar_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeMemory:
    """L4: what a run was like, kept by what the profile declares."""

    kind: Literal["episode"] = "episode"
    key: str
    text: str
    run_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeMemory:
    """L3: a fact or a rule of the game."""

    kind: Literal["knowledge"] = "knowledge"
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalNote:
    """Global memory: one line that a prompt tells beside the recent steps."""

    kind: Literal["note"] = "note"
    about: Literal["failure", "subgoal", "progress"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureMemory:
    """Records how an action was constructed when its effect was last confirmed."""

    kind: Literal["procedure"] = "procedure"
    action: str
    construction: str
    successes: int = 0
    attempts: int = 0


MemoryContent = Annotated[
    ActionMemory
    | StateNode
    | ActionEdge
    | Likeness
    | SkillMemory
    | EpisodeMemory
    | KnowledgeMemory
    | GlobalNote
    | ProcedureMemory,
    Field(discriminator="kind"),
]


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
    """Redo what was undone last."""

    kind: Literal["redo"] = "redo"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSkill:
    """The write gate's inbox: accept a proposed skill, merge it into the one it resembles, or reject it."""

    kind: Literal["judge"] = "judge"
    entry_id: int
    verdict: Literal["accept", "merge", "reject"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSnapshot:
    """Keep the memory as it stands, under its content hash and a name: of one game, or (empty) of all."""

    kind: Literal["snapshot"] = "snapshot"
    name: str = ""
    game_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreSnapshot:
    """Make the memory what it was: one batch, that can be undone."""

    kind: Literal["restore"] = "restore"
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMemory:
    """Take in a file of entries: all of it, or none.

    Attributes:
        format: jsonl (every kind) or graphml (SA-KG), as export writes them; csv, json or sqlite: a table of
            somebody else's, each row an entry of `entry_kind`.
        game_id: of which game the entries shall be; empty: as the file says.
        as_snapshot: keep them as a snapshot (jsonl alone); the memory itself stays as it is.
        columns: of a table: column → field of the kind; an empty field leaves the column out, "*" stands for
            all others. Columns that are called like a field need no mapping.
        table: of a SQLite file; empty: its only one.
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
    """Reports a batch of edits: all of it was done, or nothing.

    Attributes:
        batch: number in the history, 0 where nothing was done.
        entry_ids: entries that it touched, new ones among them.
        content_hash: of a snapshot taken or restored.
        what, fix: why it was refused; empty where it was done.
    """

    batch: int = 0
    entry_ids: tuple[int, ...] = ()
    content_hash: str = ""
    conflicts: tuple[EditConflict, ...] = ()
    what: str = ""
    fix: str = ""

    @property
    def done(self) -> bool:
        return not self.what and not self.conflicts
