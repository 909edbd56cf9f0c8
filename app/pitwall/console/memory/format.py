"""Puts entries into words: where they came from, how old they are, what changed. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from pitwall.core.memories import Author, MemoryChange, MemoryEntry, Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    Likeness,
    MemoryContent,
    ProcedureMemory,
    SkillMemory,
    StateNode,
)
from pitwall.core.quantities import NONE, counted, date_time

AUTHORS: dict[Author, str] = {
    "agent": "agent",
    "operator": "you",
    "import": "import",
    "profile": "the game's folder",
}
WHO: dict[Author, str] = {
    "agent": "The agent",
    "operator": "You",
    "import": "An import",
    "profile": "The game's folder",
}
"""As the beginning of a sentence."""
SHORT: dict[MemoryKind, str] = {
    MemoryKind.ACTION: "action",
    MemoryKind.NODE: "state",
    MemoryKind.EDGE: "edge",
    MemoryKind.LIKENESS: "likeness",
    MemoryKind.SKILL: "skill",
    MemoryKind.EPISODE: "episode",
    MemoryKind.KNOWLEDGE: "knowledge",
    MemoryKind.NOTE: "note",
    MemoryKind.PROCEDURE: "procedure",
}
"""What one entry of a kind is called."""

FIELD_TITLES: dict[str, str] = {
    "at_s": "Last tried",
    "evidence": "Evidence",
    "similar_to": "Similar to",
    "run_id": "Run",
    "cooldown_steps": "Cooldown",
    "steps": "Most steps",
    "when": "Trigger",
    "stop": "Stop condition",
    "text": "Text",
    "tag": "Source tag",
    "reward": "Reward average",
    "source": "From state",
    "target": "To state",
    "first": "State",
    "second": "Resembles",
    "count": "Times taken",
}
_LONG = 60


def kind_of(content: MemoryContent) -> MemoryKind:
    """The kind of a content."""
    return MemoryKind(content.kind)


def field_title(name: str) -> str:
    """A content's field as a person reads it."""
    return FIELD_TITLES.get(name, name.replace("_", " ").capitalize())


def named(entry: MemoryEntry) -> str:
    """ "action 902"."""
    return f"{SHORT[kind_of(entry.content)]} {entry.entry_id}"


def title_of(content: MemoryContent) -> str:
    """The words that a person knows an entry by."""
    match content:
        case ActionMemory(state=state, action=action):
            return f"{state} → {action}"
        case StateNode(text=text) | GlobalNote(text=text):
            return text
        case ActionEdge(action=action):
            return action
        case Likeness(cosine=cosine):
            return f"cosine {cosine:.3f}"
        case SkillMemory(name=name):
            return name
        case EpisodeMemory(key=key, text=text):
            return f"{key}: {text}" if key else text
        case KnowledgeMemory(heading=heading):
            return heading
        case ProcedureMemory(action=action):
            return action


def article(word: str) -> str:
    """ "a" or "an", as goes before a word."""
    return "an" if word[:1] in "aeiou" else "a"


def cut(text: str, most: int = _LONG) -> str:
    """Cut a text to one line, at most so long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


# ---- figures


def rate(successes: int, attempts: int) -> str:
    """P = successes / attempts: "0.75", a dash where it was never tried."""
    return f"{successes / attempts:.2f}" if attempts else NONE


def tries(successes: int, attempts: int) -> str:
    """ "12 of 16"; a dash where it was never tried."""
    return f"{successes:,} of {attempts:,}" if attempts else NONE


# ---- who and why


def source(by: Provenance) -> str:
    """Name the source, shortly: "agent · run 127", "you", "import · notes.jsonl"."""
    more = f"run {by.run_id}" if by.run_id is not None else ""
    if not more and by.author == "import":
        more = cut(by.source.replace("\\", "/").rpartition("/")[2], 24)
    return " · ".join(filter(None, (AUTHORS[by.author], more)))


def provenance_text(by: Provenance) -> str:
    """Name the source in full: "agent · run 127 · step 388 · frame 9,120"."""
    return " · ".join(filter(None, (AUTHORS[by.author], where(by))))


def where(by: Provenance) -> str:
    """Name the place of origin: "run 127 · step 388 · frame 9,120"; empty where nothing is known."""
    parts = [f"{name} {number:,}" if name != "run" else f"run {number}" for name, number in _places(by)]
    return " · ".join([*parts, *([cut(by.source, 40)] if by.source else [])])


def _places(by: Provenance) -> list[tuple[str, int]]:
    places = (("run", by.run_id), ("step", by.step), ("frame", by.frame_id))
    return [(name, number) for name, number in places if number is not None]


def sentence(what: str, fix: str = "") -> str:
    """Both, the first letter a capital."""
    text = f"{what} {fix}".strip()
    return text[:1].upper() + text[1:]


# ---- changes


@dataclass(frozen=True, slots=True)
class Difference:
    """Holds a field that differs: its name, and both sides as text."""

    name: str
    before: str
    after: str

    @property
    def title(self) -> str:
        return field_title(self.name)


def value_text(name: str, value: Any) -> str:
    """A field's value as text; sequences one a line."""
    if name == "at_s":
        return date_time(float(value))
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return "\n".join(str(one) for one in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def content_fields(content: MemoryContent) -> dict[str, Any]:
    """Fields of a content, its kind apart."""
    return {one.name: getattr(content, one.name) for one in fields(content) if one.name != "kind"}


def differences(before: MemoryContent | None, after: MemoryContent | None) -> list[Difference]:
    """The fields that differ, in the order of the content; all of them where a side is missing."""
    old = content_fields(before) if before is not None else {}
    new = content_fields(after) if after is not None else {}
    found = []
    for name in dict.fromkeys((*old, *new)):
        if name in old and name in new and old[name] == new[name]:
            continue
        left = value_text(name, old[name]) if name in old else ""
        right = value_text(name, new[name]) if name in new else ""
        if left or right:
            found.append(Difference(name, left, right))
    return found


def change_words(change: MemoryChange) -> str:
    """Tell what a change did: "success 11 → 12", "pinned", "created"."""
    before, after = change.before, change.after
    if before is None:
        return "created"
    if after is None:
        return "removed for good"
    if before.forgotten != after.forgotten:
        return "forgotten" if after.forgotten else "restored"
    if before.pinned != after.pinned and before.content == after.content:
        return "pinned" if after.pinned else "unpinned"
    found = differences(before.content, after.content)
    if not found:
        return "confirmed"
    first = found[0]
    more = f" and {counted(len(found) - 1, 'more field')}" if len(found) > 1 else ""
    short = max(len(first.before), len(first.after)) <= 24 and "\n" not in first.before + first.after
    what = f"{first.title.lower()} {first.before or '–'} → {first.after or '–'}" if short else first.title
    return f"{what if short else 'edited ' + what.lower()}{more}"


def batch_words(changes: Sequence[MemoryChange], total: int) -> str:
    """Tell what a batch of changes did, for the line on an undone edit.

    Args:
        changes: as many of them as were read. total: how many there are.
    """
    if not changes:
        return counted(total, "change") if total else "nothing"
    first = changes[0]
    entry = first.after or first.before
    if total > 1:
        kinds = {kind_of(one.content) for change in changes if (one := change.after or change.before)}
        what = SHORT[next(iter(kinds))] + " entries" if len(kinds) == 1 else "entries"
        return f"{total:,} {what} {_verb(first)}"
    if entry is None:
        return "one change"
    return f"{named(entry)} “{cut(title_of(entry.content), 40)}”: {change_words(first)}"


def _verb(change: MemoryChange) -> str:
    said = change_words(change)
    return said if said in ("created", "forgotten", "restored", "pinned", "unpinned") else "changed"
