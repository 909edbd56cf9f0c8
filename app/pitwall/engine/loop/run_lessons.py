"""What a run teaches once it is over: its steps and facts, kept while it goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from pitwall.core.memories import MemoryEntry
from pitwall.core.runs import RunSummary
from pitwall.core.steps import StepRecord
from pitwall.engine.decision.controllers import Controllers
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.loop.run_review import FinishedRun, RunReview
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.recall.run_facts import RunFactsCollector
from pitwall.engine.recall.sentence_vectors import SentenceVectors
from pitwall.engine.session.game_session import GameSession
from pitwall.memory.discovery.run_update import run_update
from pitwall.memory.episodes import write_summary
from pitwall.memory.store import AgentWrite

_STEPS_KEPT = 5_000
"""Newest steps that a finished run is learnt from."""


class RunLessons:
    """Collects one run's steps, and works out what they teach."""

    def __init__(self, session: GameSession, instruction: str) -> None:
        self._session = session
        self._steps: deque[StepRecord] = deque(maxlen=_STEPS_KEPT)
        self._facts = RunFactsCollector(session.game.profile, instruction)

    def add(self, step: StepRecord) -> None:
        self._facts.add(step)
        self._steps.append(step)

    @property
    def _role(self) -> str:
        return self._session.role if self._session.game.profile.roles else ""

    def of(self, summary: RunSummary, run_id: int) -> Callable[[list[MemoryEntry]], Sequence[AgentWrite]]:
        """Return a function that works out the finished run's lessons (layers L4 and L5, procedures)
        later."""
        session, steps, facts, role = self._session, tuple(self._steps), self._facts.facts(), self._role
        key, settings = session.episode_key, session.settings

        def taught(known: list[MemoryEntry]) -> Sequence[AgentWrite]:
            with SentenceVectors(session.logs) as vectors:
                found = run_update(
                    steps,
                    summary,
                    session.game.profile,
                    known,
                    vectors.of,
                    settings,
                    run_id=run_id,
                    role=role,
                    episode_key=key,
                    facts=facts,
                )
            return found.writes

        return taught

    def review(
        self,
        summary: RunSummary,
        run_id: int,
        controllers: Controllers,
        memory: AgentMemory,
        models: ModelManager,
    ) -> RunReview | None:
        """Return what models are to add to the lessons; None where none is chosen for that."""
        session, chosen = self._session, self._session.settings.models
        run = FinishedRun(
            run_id=run_id,
            steps=tuple(self._steps),
            by_rules=write_summary(summary, self._facts.facts()),
            profile=session.game.profile,
            role=self._role,
            settings=session.settings,
        )
        review = RunReview(
            run,
            controllers.calls,
            controllers.book,
            session.vocabulary,
            memory,
            writes=lambda purpose: models.writes(str(getattr(chosen, purpose.tier.value))),
            logs=session.logs,
        )
        return review if review.wanted else None
