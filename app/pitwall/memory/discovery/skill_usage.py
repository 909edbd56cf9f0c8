"""Counts how often each skill fired, and whether it made progress before it ended (SPEC §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pitwall.core.conditions import Condition, parse_condition
from pitwall.core.errors import ConditionError
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.steps import StepRecord


@dataclass(slots=True)
class UseCount:
    """Firings, and those that made progress or reached their end."""

    uses: int = 0
    successes: int = 0


class SkillUses:
    """Counts one run's firings of stored skills, step by step.

    A firing is a plan of a skill, from its first step to the step after its last one: that one's progress
    counter, and fields, say what became of it.

    Attributes:
        counts: by the skill's name.
    """

    def __init__(self) -> None:
        self.counts: dict[str, UseCount] = {}
        self._plan: int | None = None
        self._name = ""
        self._progress = 0
        self._stop: Condition | None = None

    def add(self, step: StepRecord) -> None:
        """Take in a finished step, in order."""
        proposal = step.proposal
        plan = proposal.proposal_id if proposal is not None else None
        if plan == self._plan:
            return
        self._end(step)
        if proposal is None or not proposal.skill:
            return
        self._plan, self._progress = plan, step.signals.progress
        self._name = proposal.skill
        self._stop = _parsed(proposal.stop)
        self.counts.setdefault(self._name, UseCount()).uses += 1

    def _end(self, step: StepRecord) -> None:
        """Close the running plan and judge it by what it had reached at this step."""
        if self._plan is None:
            return
        reached = self._stop is not None and self._stop.holds({**step.fields, "status": step.status.value})
        if reached or step.signals.progress > self._progress:
            self.counts[self._name].successes += 1
        self._plan = None


def count_uses(steps: Sequence[StepRecord]) -> SkillUses:
    """Return the counted from a recorded run. A firing that was under way at its end counts as a use only."""
    uses = SkillUses()
    for step in steps:
        uses.add(step)
    return uses


def with_use_counts(known: Sequence[MemoryEntry], uses: SkillUses) -> list[tuple[MemoryEntry, SkillMemory]]:
    """Return the active skills that fired, with their updated counts."""
    changes = []
    for entry in known:
        skill = entry.content
        if not isinstance(skill, SkillMemory) or skill.status != "active" or entry.forgotten:
            continue
        count = uses.counts.get(skill.name)
        if count is not None and count.uses:
            now = replace(skill, uses=skill.uses + count.uses, successes=skill.successes + count.successes)
            changes.append((entry, now))
    return changes


def _parsed(stop: str) -> Condition | None:
    try:
        return parse_condition(stop) if stop else None
    except ConditionError:
        return None
