"""Converts entries of the memory to items of a prompt's layers.

Each entry is converted once, until it changes.

An edit during play delivers a new sequence of entries, of which only changed ones are converted. Conversion
never raises: unusable entries are left out and named in `problems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pitwall.core.errors import IllegalAction, PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    CONTENT_TYPES,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    ProcedureMemory,
    SkillMemory,
    fields_of,
)
from pitwall.core.prompts import Layer
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile, Skill
from pitwall.memory.prompt.gamesense_state import Procedure
from pitwall.memory.prompt.layers import LayerItem
from pitwall.memory.prompt.skills import (
    SkillTerms,
    UsableSkill,
    is_active,
    is_trusted,
    merged_skills,
    problem_of,
    profile_skills,
    usable_entry,
)
from pitwall.memory.value_format import quoted
from pitwall.models.replies.reply_object import clean

PROMPT_KINDS = frozenset(kind for kind in MemoryKind if CONTENT_TYPES[kind].facts.in_prompts)
"""Kinds of entries that the layers of a prompt are made of; retrieval finds those of the other kinds."""
MOST_ITEMS = 256
"""Newest entries of a layer that may compete for a place in a prompt (choice): each of them is counted in
tokens before the first prompt."""
MOST_NOTES = 4
"""Number of newest notes in the state (choice)."""
_LINES = 20
"""Most lines of a fact that the operator wrote."""
EPISODE_LENGTH = fields_of("episode")["text"].about.quoted
_NOTE_LENGTH = fields_of("note")["text"].about.quoted
_HEADING_LENGTH, _TEXT_LENGTH = (fields_of("knowledge")[name].about.quoted for name in ("heading", "text"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeText:
    """An episode summary of the run log or the memory. `at` is the time of writing, ISO 8601."""

    key: str
    at: str
    text: str
    item: LayerItem


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptEntries:
    """The memory's entries, sorted into layers.

    Attributes:
        knowledge: oldest first, so that a prompt's beginning stays unchanged.
        episodes: newest first.
        notes: newest first. procedures: by the action's name.
        problems: a sentence for each skill or procedure that is left out.
    """

    knowledge: tuple[LayerItem, ...] = ()
    episodes: tuple[EpisodeText, ...] = ()
    skills: tuple[UsableSkill, ...] = ()
    notes: tuple[str, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    problems: tuple[str, ...] = ()


_Read = LayerItem | EpisodeText | UsableSkill | Procedure | str | PitwallError
"""What an entry is read as: knowledge, an episode, a skill, a procedure, a note, or why it cannot be used."""


class EntryReader:
    """Reads entries of one role of one game.

    Args:
        terms: what its skills may speak of.
    """

    def __init__(self, game_id: str, terms: SkillTerms) -> None:
        self._game_id = game_id
        self._terms = terms
        self._read: dict[int, tuple[MemoryEntry, _Read]] = {}

    def take(self, entries: Iterable[MemoryEntry]) -> PromptEntries:
        """Convert these entries for the layers; forgotten entries and those of other games are skipped."""
        mine = [
            entry
            for entry in entries
            if entry.game_id == self._game_id and not entry.forgotten and _enters(entry)
        ]
        mine.sort(key=_newness, reverse=True)
        self._read = {entry.entry_id: (entry, self._entry(entry)) for entry in mine}
        return _remembered([(entry, read) for entry, read in self._read.values()])

    def _entry(self, entry: MemoryEntry) -> _Read:
        known = self._read.get(entry.entry_id)
        if known is not None and (known[0] is entry or known[0] == entry):
            return known[1]
        try:
            return _read(entry, self._terms)
        except PitwallError as error:
            return error


def usable_skills(
    profile: Profile, entries: Sequence[MemoryEntry], *, role: str = ""
) -> tuple[tuple[Skill, ...], tuple[str, ...]]:
    """Return the skills that the skill planner fires, best first: the profile's and the memory's active ones;
    and why others of the memory are left out, a sentence each. The same that layer L5 is made of.

    Raises:
        ConditionError: a condition of the profile's own does not parse.
        IllegalAction: there is no such role.
    """
    terms = SkillTerms.of(profile, role)
    learnt = EntryReader(profile.game.id, terms).take([entry for entry in entries if is_active(entry)])
    return tuple(
        skill.skill for skill in merged_skills(profile_skills(profile, terms), learnt.skills)
    ), learnt.problems


def _newness(entry: MemoryEntry) -> tuple[str, int]:
    """Return a sort key: notes by their last change, other entries by their creation."""
    at = entry.changed_at if isinstance(entry.content, GlobalNote) else entry.created_at
    return at, entry.entry_id


def _remembered(pairs: Sequence[tuple[MemoryEntry, _Read]]) -> PromptEntries:
    """Sort converted entries into layers, newest first."""
    knowledge: list[LayerItem] = []
    episodes: list[EpisodeText] = []
    skills: dict[str, UsableSkill] = {}
    procedures: dict[str, Procedure] = {}
    notes: list[str] = []
    problems: list[str] = []
    for entry, read in pairs:
        match read:
            case LayerItem():
                knowledge.append(read)
            case EpisodeText():
                episodes.append(read)
            case UsableSkill() if read.skill.name in skills:
                problems.append(f"entry {entry.entry_id}: a newer skill has the name {read.skill.name!r}.")
            case UsableSkill():
                skills[read.skill.name] = read
            case Procedure():
                procedures.setdefault(read.action, read)
            case str():
                notes.append(read)
            case PitwallError():
                problems.append(problem_of(entry, read))
    return PromptEntries(
        knowledge=tuple(reversed(knowledge[:MOST_ITEMS])),
        episodes=tuple(episodes[:MOST_ITEMS]),
        skills=tuple(reversed(list(skills.values())[:MOST_ITEMS])),
        notes=tuple(notes[:MOST_NOTES]),
        procedures=tuple(procedures.values()),
        problems=tuple(problems),
    )


def _read(entry: MemoryEntry, terms: SkillTerms) -> _Read:
    """Convert an entry to an item of its layer.

    Raises:
        PitwallError: the entry cannot be used; the message says why.
    """
    match entry.content:
        case EpisodeMemory() as content:
            item = episode_item(f"memory:{entry.entry_id}", content.run_id, content.text, entry.entry_id)
            return EpisodeText(key=content.key, at=entry.created_at, text=content.text, item=item)
        case KnowledgeMemory():
            return _knowledge(entry, entry.content)
        case GlobalNote(about=about, text=text):
            return f"{about}: {quoted(text, _NOTE_LENGTH)}"
        case ProcedureMemory():
            return _procedure(entry.content, terms.space)
    return usable_entry(entry, terms)


def _enters(entry: MemoryEntry) -> bool:
    return is_active(entry) if isinstance(entry.content, SkillMemory) else entry.content.kind in PROMPT_KINDS


def episode_item(item: str, run_id: int | None, text: str, entry_id: int = 0) -> LayerItem:
    """Return an episode summary as an item of L4: one line, in quotes."""
    head = f"run {run_id}: " if run_id is not None else ""
    line = f"- {head}{quoted(text, EPISODE_LENGTH)}\n"
    return LayerItem(layer=Layer.EPISODES, item=item, text=line, entry_id=entry_id)


def _knowledge(entry: MemoryEntry, content: KnowledgeMemory) -> LayerItem:
    """Return a fact or rule as an item of L3.

    Only texts by the operator or the profile appear without quotes.
    """
    heading = clean(content.heading, _HEADING_LENGTH)
    if is_trusted(entry):
        lines = [clean(line, _TEXT_LENGTH).lstrip("#") for line in content.text.splitlines()[:_LINES]]
        text = "\n".join(line for line in lines if line)
    else:
        text = quoted(content.text, _TEXT_LENGTH)
    paragraph = f"## {heading}\n{text}\n" if heading else f"{text}\n"
    return LayerItem(layer=Layer.KNOWLEDGE, item=heading, text=paragraph, entry_id=entry.entry_id)


def _procedure(content: ProcedureMemory, space: Vocabulary) -> Procedure:
    """Read an action's procedure, as far as the role may do it still.

    Raises:
        IllegalAction: it may not, or another action was written.
    """
    written = space.parse(content.construction)
    if written.name != space.parse(content.action).name:
        raise IllegalAction(
            f"the procedure of {content.action[:60]!r} constructs {written.name!r}.",
            "An action's procedure constructs that action.",
        )
    counts = f"its effect was seen in {content.successes} of {content.attempts} tries"
    return Procedure(action=written.name, written=str(written), worked=content.successes > 0, lesson=counts)
