"""The skill planner by itself, for a game that waits: fields in, the next action out. No model, no window."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.actions import SKILL_SOURCE, SemanticAction, skill_of
from pitwall.core.memories import MemoryEntry
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Signals
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.perception.status import status
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.memory.prompt.memory_entries import usable_skills


@dataclass(frozen=True, slots=True)
class Decision:
    """An action and the name of the skill that proposed it; no action: no skill applies."""

    action: SemanticAction | None
    skill: str = ""


class SkillsAlone:
    """Asks the skill planner anew for each action, with the skills of a game and of its memory.

    Args:
        entries: of the memory; active skills among them are fired.
    """

    def __init__(self, profile: Profile, entries: Sequence[MemoryEntry] = ()) -> None:
        skills, self.problems = usable_skills(profile, entries)
        self._space = Vocabulary(profile)
        names = frozenset(field.name for field in profile.fields) | {"status"}
        self._fresh = SkillPlanner(skills, self._space, fields=names)
        self._rules = profile.status
        self.begin()

    def begin(self) -> None:
        """Forget what happened: a run begins."""
        self._planner = copy.deepcopy(self._fresh, {id(self._space): self._space})
        self._trace: tuple[FailureNote, ...] = ()
        self._step = 0

    def decide(self, fields: Mapping[str, Value]) -> Decision:
        """Return the next action on these fields."""
        self._step += 1
        phase = status(self._rules, fields)
        request = PlanRequest(
            request_id=self._step,
            step=self._step,
            now_ns=0,
            values={**fields, "status": phase.value},
            status=phase,
            signals=Signals(),
            reasons=(),
            trace=self._trace,
        )
        self._planner.request(request)
        reply = self._planner.poll()
        if reply is None or reply.proposal is None or not reply.proposal.candidates:
            return Decision(None)
        return Decision(reply.proposal.candidates[0], skill_of(reply.proposal.source))

    def parse(self, text: str) -> SemanticAction:
        """Return the action that a text names."""
        return self._space.parse(text)

    def over(self, fields: Mapping[str, Value]) -> bool:
        """Return whether the game is over on these fields."""
        return status(self._rules, fields) is GameStatus.TERMINAL

    def failed(self, decision: Decision) -> None:
        """Note that an action had no effect: its skill is put back behind others."""
        number = self._trace[-1].number + 1 if self._trace else 1
        note = FailureNote(
            number=number,
            step=self._step,
            action=str(decision.action),
            source=SKILL_SOURCE + decision.skill,
            problem="it had no effect",
        )
        self._trace = (*self._trace[-3:], note)
