"""Puts entries into words: where they came from, how old they are, what changed. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.memories import Author, MemoryChange, MemoryEntry, Provenance
from pitwall.core.quantities import NONE, counted
from pitwall_evaluation.console.memory_changes.differences import cut, differences

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


def named(entry: MemoryEntry) -> str:
    """Return the name of an entry, such as "action 902"."""
    return f"{entry.content.facts.noun} {entry.entry_id}"


def article(word: str) -> str:
    """Return the article for a word: "a" or "an"."""
    return "an" if word[:1] in "aeiou" else "a"


# ---- figures


def rate(successes: int, attempts: int) -> str:
    """Return P = successes / attempts: "0.75"; a dash without attempts."""
    return f"{successes / attempts:.2f}" if attempts else NONE


def tries(successes: int, attempts: int) -> str:
    """Return the successes in words: "12 of 16"; a dash without tries."""
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


def sentence(problem: str, fix: str = "") -> str:
    """Join a problem and its remedy to a sentence with a capital letter."""
    text = f"{problem} {fix}".strip()
    return text[:1].upper() + text[1:]


# ---- changes


def change_words(change: MemoryChange) -> str:
    """Describe a change: "success 11 → 12", "pinned", "created"."""
    before, after = change.before, change.after
    if before is None:
        return "created"
    if after is None:
        return "removed for good"
    if before.forgotten != after.forgotten:
        return "forgotten" if after.forgotten else "restored"
    if before.pinned != after.pinned and before.content == after.content:
        return "pinned" if after.pinned else "unpinned"
    changed = differences(before.content, after.content)
    if not changed:
        return "confirmed"
    first = changed[0]
    more = f" and {counted(len(changed) - 1, 'more field')}" if len(changed) > 1 else ""
    short = max(len(first.before), len(first.after)) <= 24 and "\n" not in first.before + first.after
    text = f"{first.title.lower()} {first.before or '–'} → {first.after or '–'}" if short else first.title
    return f"{text if short else 'edited ' + text.lower()}{more}"


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
        nouns = {shown.content.facts.noun for change in changes if (shown := change.after or change.before)}
        text = f"{next(iter(nouns))} entries" if len(nouns) == 1 else "entries"
        return f"{total:,} {text} {_verb(first)}"
    if entry is None:
        return "one change"
    return f"{named(entry)} “{cut(entry.content.words, 40)}”: {change_words(first)}"


def _verb(change: MemoryChange) -> str:
    words = change_words(change)
    return words if words in ("created", "forgotten", "restored", "pinned", "unpinned") else "changed"
