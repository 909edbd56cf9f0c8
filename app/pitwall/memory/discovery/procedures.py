"""Procedural memory: for each action's name, the construction that last worked (SPEC §8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pitwall.core.actions import NO_OP, Effect
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ProcedureMemory
from pitwall.core.steps import StepRecord
from pitwall.games.actions.vocabulary import Vocabulary


@dataclass(slots=True)
class _Tally:
    construction: str = ""
    successes: int = 0
    attempts: int = 0


class ProcedureTable:
    """Counts the attempts and successes of each action of a run, step by step.

    An attempt is a legal action that sent input; it succeeded if its effect was seen.
    """

    def __init__(self) -> None:
        self._tallies: dict[str, _Tally] = {}

    def add(self, step: StepRecord) -> None:
        """Take in a finished step."""
        if step.invalid is not None or step.action == NO_OP or step.decided_effect is Effect.NONE:
            return
        tally = self._tallies.setdefault(step.action.name, _Tally())
        tally.attempts += 1
        if step.effect is Effect.CONFIRMED:
            tally.successes += 1
            tally.construction = str(step.action)

    def procedures(
        self, known: Sequence[MemoryEntry], space: Vocabulary | None = None
    ) -> list[tuple[MemoryEntry | None, ProcedureMemory]]:
        """Return each action's current procedure, with its entry (None: it needs a new one).

        An action that never worked, here or before, has no procedure.

        Args:
            space: the role's legal actions; others are left out. None: all are kept.
        """
        by_name = {
            entry.content.action: (entry, entry.content)
            for entry in known
            if isinstance(entry.content, ProcedureMemory) and not entry.forgotten
        }
        updated: list[tuple[MemoryEntry | None, ProcedureMemory]] = []
        for name, tally in self._tallies.items():
            entry, before = by_name.get(name, (None, ProcedureMemory(action=name, construction="")))
            construction = tally.construction or before.construction
            if not construction or (space is not None and not space.knows(construction)):
                continue
            now = replace(
                before,
                construction=construction,
                successes=before.successes + tally.successes,
                attempts=before.attempts + tally.attempts,
            )
            updated.append((entry, now))
        return updated


def procedures_of(steps: Sequence[StepRecord]) -> ProcedureTable:
    """Read from a recorded run."""
    table = ProcedureTable()
    for step in steps:
        table.add(step)
    return table
