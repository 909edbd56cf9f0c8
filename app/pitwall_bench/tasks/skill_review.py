"""Finds the skills of a memory that do harm or are never used: the gate of a suite retires them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.settings import MemorySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A skill that shall go, and why."""

    entry_id: int
    name: str
    why: str


def review(
    entries: Sequence[MemoryEntry], settings: MemorySettings, *, run_id: int | None = None
) -> list[Removal]:
    """Return the active skills that are harmful or unused, with the reason; never a pinned one.

    Args:
        run_id: number of the newest run. Skills that `skill_retire_uses` runs (of any game) have not used
            count as unused. None: only success counts matter.
    """
    removals = []
    for entry in entries:
        skill = entry.content
        if not isinstance(skill, SkillMemory) or skill.status != "active" or entry.pinned or entry.forgotten:
            continue
        why = _harmful(skill, settings) or _unused(entry, skill, settings, run_id)
        if why:
            removals.append(Removal(entry_id=entry.entry_id, name=skill.name, why=why))
    return removals


def _harmful(skill: SkillMemory, settings: MemorySettings) -> str:
    if skill.uses < max(1, settings.skill_retire_uses):
        return ""
    rate = skill.successes / skill.uses
    if rate >= settings.skill_retire:
        return ""
    return (
        f"{skill.successes} of {skill.uses} uses made progress: {rate:.2f}, below {settings.skill_retire:g}."
    )


def _unused(entry: MemoryEntry, skill: SkillMemory, settings: MemorySettings, run_id: int | None) -> str:
    made = entry.provenance.run_id
    if skill.uses or run_id is None or made is None or entry.provenance.author != "agent":
        return ""
    runs = run_id - made
    return (
        f"It was never used in the {runs} runs since it was proposed."
        if runs >= settings.skill_retire_uses
        else ""
    )
