"""What a finished run teaches: the rules' lessons, then a model's summary and the skills a model proposes.

The rules' lessons are written first (`memory.discovery.run_update`). The models add the second half of the
summary, and skills that pass the same gate as the rules' into the inbox. Nothing here waits. A review that is
dropped leaves what was written so far.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from pitwall.core.calls import Purpose
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import EpisodeMemory, SkillMemory
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.quantities import counted
from pitwall.core.runs import RunSummary
from pitwall.core.settings import Settings
from pitwall.core.steps import StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.legality import LegalActions
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowRun, WorkflowSteps
from pitwall.engine.decision.controllers import Controllers
from pitwall.engine.inference.model_calls import ModelCalls
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.recall.run_facts import RunFactsCollector
from pitwall.engine.session.game_session import GameSession
from pitwall.games.schema.profile import Profile
from pitwall.memory.discovery.lost_segments import Segment, lost_segments
from pitwall.memory.discovery.review_prompts import format_judged_skills, format_run, format_segment
from pitwall.memory.discovery.run_update import GatedSkill, after_judge, run_update, weigh_drafts
from pitwall.memory.discovery.skill_proposals import from_draft
from pitwall.memory.discovery.skill_usage import SkillUses
from pitwall.memory.episodes import write_summary
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.retrieval.sentence_vectors import SentenceVectors
from pitwall.memory.store import AgentWrite
from pitwall.memory.text import tokens
from pitwall.models.language import is_language
from pitwall.models.replies.plan import parse_text
from pitwall.models.replies.reply_object import BadReply, clean
from pitwall.models.replies.skills import parse_judgement, parse_skill

MOST_DRAFTS = 3
"""How many lost parts of a run a model is asked about, the longest first (our choice)."""
_MODEL_LENGTH = 60


class WritesLessons(Protocol):
    """The memory, as a review writes to it."""

    def learn_from_run(self, lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        """Work out on the memory's thread what is to be written, and write it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """Holds what is left of a run when it is over.

    Attributes:
        by_rules: the summary as the rules wrote it. role: empty for the game's first.
    """

    run_id: int
    steps: Sequence[StepRecord]
    by_rules: str
    profile: Profile
    role: str
    settings: Settings


class RunReview:
    """Reviews one run.

    Args:
        calls: the run's model calls, closed; used again here with a budget of their own.
        writes: returns whether the model of a purpose's tier is known to write language.
        logs: where the embedder's host writes its log.

    Attributes:
        text: what goes on, for the operator.
    """

    def __init__(
        self,
        run: FinishedRun,
        calls: ModelCalls,
        book: PromptLayers,
        space: LegalActions,
        memory: WritesLessons,
        *,
        writes: Callable[[Purpose], bool],
        logs: Path,
    ) -> None:
        self._run, self._calls, self._book, self._space = run, calls, book, space
        self._memory, self._logs = memory, logs
        layers, may = run.settings.layers, run.settings.memory.write and bool(run.steps)
        self._sums_up = may and layers.l4 == "update" and writes(Purpose.SUMMARISE)
        self._proposes = may and layers.l5 == "update" and writes(Purpose.PROPOSE_SKILL)
        self._segments = sorted(lost_segments(run.steps), key=lambda segment: -len(segment.steps))[
            :MOST_DRAFTS
        ]
        calls.budget = Budget(run.profile.game.difficulty)
        self._versions: Mapping[int, int] = {}
        self.text = f"Run {run.run_id} is being reviewed."
        self._thinking = WorkflowRun(calls, self._think())

    @property
    def wanted(self) -> bool:
        """Return whether there is anything to ask."""
        return self._sums_up or (self._proposes and bool(self._segments))

    def poll(self) -> str | None:
        """Go on as far as answers have come; return the result in words once it is done, else None."""
        return self._thinking.poll()

    def drop(self) -> None:
        """End the review now."""
        self._thinking.drop()
        self._calls.close()

    def _think(self) -> WorkflowSteps[str]:
        sentences = []
        if self._sums_up:
            sentences.append((yield from self._sum_up()))
        if self._proposes and self._segments:
            sentences.append((yield from self._propose()))
        return f"Run {self._run.run_id}: {' '.join(sentences)}"

    def _sum_up(self) -> WorkflowSteps[str]:
        model = self._model(Purpose.SUMMARISE)
        self.text = f"{model} sums up run {self._run.run_id}."
        asked = format_run(self._run.by_rules, self._segments, self._book.units)
        answer = yield from self._context({}).consult(Purpose.SUMMARISE, [_user(asked)], self._read_summary)
        if answer.value is None:
            return f"{model} did not sum it up: {answer.problem}"
        words, run_id = answer.value, self._run.run_id
        self._memory.learn_from_run(lambda known: _with_summary(known, run_id, words, model))
        return f"{model} summed it up."

    def _propose(self) -> WorkflowSteps[str]:
        model, run = self._model(Purpose.PROPOSE_SKILL), self._run
        drafts: list[SkillMemory] = []
        problem = ""
        for number, segment in enumerate(self._segments, 1):
            self.text = (
                f"{model} proposes skills from run {run.run_id}, part {number} of {len(self._segments)}."
            )
            first = segment.steps[0]
            prompt = format_segment(segment, self._book.units)
            answer = yield from self._context({**first.fields, "status": first.status.value}).consult(
                Purpose.PROPOSE_SKILL, [_user(prompt)], partial(self._read_skill, segment)
            )
            problem = answer.problem or problem
            drafts += [answer.value] if answer.value is not None else []
        if not drafts:
            return f"{model} proposed no skill: {problem}"
        weighed = yield from self._weighed(drafts, model)
        judged = []
        for draft, known in weighed:
            judged.append((yield from self._judged(draft, known)) if known is not None else draft)
        writes = [skill.write for skill in judged if skill.write is not None]
        self._memory.learn_from_run(lambda known: _unchanged(writes, self._versions, known))
        inbox = f"{len(writes)} passed the gate into the inbox"
        return f"{model} proposed {counted(len(drafts), 'skill')}; {inbox}."

    def _weighed(
        self, drafts: Sequence[SkillMemory], model: str
    ) -> WorkflowSteps[list[tuple[GatedSkill, SkillMemory | None]]]:
        """Weigh drafts on the memory's thread; pair each with the skill that a judge compares it with."""
        run = self._run
        done: queue.SimpleQueue[list[tuple[GatedSkill, SkillMemory | None]]] = queue.SimpleQueue()

        def weigh(known: list[MemoryEntry]) -> Sequence[AgentWrite]:
            skills = {
                entry.entry_id: entry.content for entry in known if isinstance(entry.content, SkillMemory)
            }
            weighed: list[GatedSkill] = []
            self._versions = {entry.entry_id: entry.version for entry in known}
            try:
                with SentenceVectors(self._logs) as vectors:
                    weighed = weigh_drafts(
                        drafts,
                        run.steps,
                        run.profile,
                        known,
                        vectors.of,
                        run.settings.memory,
                        model=model,
                        run_id=run.run_id,
                        role=run.role,
                    )
            finally:
                doubtful = (
                    draft.verdict.other if draft.verdict.level == "judge" else None for draft in weighed
                )
                done.put([(draft, skills.get(at or 0)) for draft, at in zip(weighed, doubtful, strict=True)])
            return ()

        self._memory.learn_from_run(weigh)
        while done.empty():
            yield None
        return done.get()

    def _judged(self, draft: GatedSkill, known: SkillMemory) -> WorkflowSteps[GatedSkill]:
        """Ask whether a doubtful skill is a known one; without an answer the operator decides."""
        if draft.write is None:
            return draft
        prompt = format_judged_skills(draft.skill, known)
        answer = yield from self._context({}).consult(Purpose.JUDGE_SKILL, [_user(prompt)], parse_judgement)
        if answer.value is None:
            return draft
        by = self._model(Purpose.JUDGE_SKILL)
        return after_judge(draft, same=answer.value.same, by=by, why=answer.value.why)

    def _context(self, values: Mapping[str, Value]) -> WorkflowContext:
        modules = self._book.modules
        return WorkflowContext(
            caller=self._calls,
            book=self._book,
            space=self._space,
            fields=self._book.fields,
            modules=modules,
            offered=modules,
            settings=self._run.settings,
            step=self._run.steps[-1].step,
            values=values,
        )

    def _model(self, purpose: Purpose) -> str:
        return clean(self._calls.model(purpose), _MODEL_LENGTH)

    def _read_summary(self, text: str) -> str:
        """Return a reply's text if it is language and adds something to the figures.

        Raises:
            BadReply: the reply is not worth keeping.
        """
        words = parse_text(text)
        if not is_language(words):
            raise BadReply("its text is not language.")
        if set(tokens(words)) <= set(tokens(self._run.by_rules)):
            raise BadReply("its text adds nothing to the figures.")
        return words

    def _read_skill(self, segment: Segment, text: str) -> SkillMemory:
        """Return a reply as a skill that the role can carry out.

        Raises:
            BadReply: the reply is no such skill.
        """
        run = self._run
        skill = from_draft(
            parse_skill(text, self._space, fields=self._book.fields, modules=self._book.modules),
            segment,
            run.profile,
            steps=run.steps,
            model=self._model(Purpose.PROPOSE_SKILL),
            run_id=run.run_id,
            role=run.role,
        )
        if skill is None:
            raise BadReply("the role can do nothing of the skill, or its trigger never held in that part.")
        return skill


def _with_summary(known: Sequence[MemoryEntry], run_id: int, words: str, model: str) -> Sequence[AgentWrite]:
    """Return the run's episode with the model's words after the rules' figures, if it is known."""
    for entry in known:
        content = entry.content
        if isinstance(content, EpisodeMemory) and content.run_id == run_id:
            text = f"{content.text} In the words of {model}: {words}"
            by = Provenance(author="agent", run_id=run_id, reason="a model summed the run up", source=model)
            update = replace(content, text=text)
            return [AgentWrite(game_id=entry.game_id, content=update, provenance=by, entry_id=entry.entry_id)]
    return ()


def _unchanged(
    writes: Sequence[AgentWrite], weighed: Mapping[int, int], known: Sequence[MemoryEntry]
) -> Sequence[AgentWrite]:
    """Leave out writes to entries that somebody changed since they were weighed, in these versions."""
    same = {None, *(entry.entry_id for entry in known if weighed.get(entry.entry_id) == entry.version)}
    return [write for write in writes if write.entry_id in same]


def _user(text: str) -> Message:
    return Message(role="user", spans=(Span(layer=Layer.STATE, text=text),))


_STEPS_KEPT = 5_000
"""How many of the newest steps a finished run's lessons are drawn from."""


class RunLessons:
    """Collects one run's steps and facts, and works out what they teach."""

    def __init__(self, session: GameSession, instruction: str) -> None:
        self._session = session
        self._steps: deque[StepRecord] = deque(maxlen=_STEPS_KEPT)
        self._facts = RunFactsCollector(session.game.profile, instruction)
        self._uses = SkillUses()  # of the whole run, also of the steps that are not kept

    def add(self, step: StepRecord) -> None:
        self._facts.add(step)
        self._uses.add(step)
        self._steps.append(step)

    @property
    def _role(self) -> str:
        return self._session.role if self._session.game.profile.roles else ""

    def of(self, summary: RunSummary, run_id: int) -> Callable[[list[MemoryEntry]], Sequence[AgentWrite]]:
        """Return a function that works out the finished run's lessons later (layers L4 and L5)."""
        session, steps, facts, role = self._session, tuple(self._steps), self._facts.facts(), self._role
        key, settings, uses = session.episode_key, session.settings, self._uses

        def taught(known: list[MemoryEntry]) -> Sequence[AgentWrite]:
            with SentenceVectors(session.logs) as vectors:
                update = run_update(
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
                    uses=uses,
                )
            return update.writes

        return taught

    def review(
        self,
        summary: RunSummary,
        run_id: int,
        controllers: Controllers,
        memory: AgentMemory,
        models: ModelManager,
    ) -> RunReview | None:
        """Return the review by models; None if no model is chosen for it."""
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
