"""Keeps what live learning knows of a game as a memory entry, which prompts use and the operator edits."""

from __future__ import annotations

from contextlib import closing

from pitwall.core.memories import Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.paths import DataFolder
from pitwall.gsm.versions import ModuleFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import MemoryStore
from pitwall_lab.analysis.analyser import analyse
from pitwall_lab.live.curve import LearningCurve

_BY = Provenance(author="agent", reason="what live learning knows", source="live learning")
_CHOSEN, _RARE = 0.1, 0.01
_WAITS = "no new action"


def keep_in_memory(data: DataFolder, module: ModuleFolder, version: str, curve: LearningCurve) -> None:
    """Write the entry, or bring the entry of an earlier session up to date, as `memory_edit` has it.

    Raises:
        DataFolderError: the memory belongs to another process, or cannot be written.
    """
    edit = memory_edit(data, module, version, curve)
    if edit is not None:
        with MemoryStore.open(data, role="live learning") as store:
            store.apply([edit], _BY)


def memory_edit(
    data: DataFolder, module: ModuleFolder, version: str, curve: LearningCurve
) -> PutEntry | None:
    """Return the edit that writes the entry, or brings the entry of an earlier session up to date.

    None where no game ended after the minutes by chance, and where the operator pinned, forgot or changed the
    entry.
    """
    text = learned_text(module, version, curve)
    if not text:
        return None
    content = KnowledgeMemory(heading=f"What {module.declared.name} learned by playing", text=text)
    game_id = module.game.game_id
    with closing(MemoryReader(data)) as reader:
        known = [
            entry
            for forgotten in (False, True)
            for entry in reader.entries(game_id, [MemoryKind.KNOWLEDGE], forgotten=forgotten)
            if isinstance(entry.content, KnowledgeMemory)
            and entry.provenance.author == "agent"
            and entry.content.heading == content.heading
        ]
    if not known:
        return PutEntry(game_id=game_id, content=content, reason=_BY.reason)
    (entry, *_) = known
    if entry.pinned or entry.forgotten or entry.changed_by.author != "agent":
        return None
    return PutEntry(
        game_id=game_id,
        content=content,
        entry_id=entry.entry_id,
        version=entry.version,
        reason=_BY.reason,
    )


def learned_text(module: ModuleFolder, version: str, curve: LearningCurve) -> str:
    """Describe what was learned in a few sentences; empty before anything was."""
    best = curve.best
    if best is None or best.score is None:
        return ""
    before, unit = ("had a score of ", "") if curve.counts == "score" else ("lasted ", f" {curve.counts}")
    chance = f"; by chance {curve.chance:,.1f}{unit}" if curve.chance is not None else ""
    sentences = [
        f"The module {module.declared.name} (version {version}) learned this game by playing it, into minute "
        f"{curve.minutes[-1].minute}.",
        f"In its best minute a game {before}{best.score:,.1f}{unit}{chance}.",
    ]
    uses = analyse(module, version).actions
    chosen = [f"{use.action or _WAITS} {use.last:.0%}" for use in uses if use.last >= _CHOSEN]
    rare = [use.action or _WAITS for use in uses if use.last < _RARE]
    sentences += [f"What it does most: {', '.join(chosen)}."] if chosen else []
    sentences += [f"What it hardly ever does: {', '.join(rare)}."] if rare else []
    return " ".join(sentences)
