"""Reviews a finished run: a model sums it up, another proposes skills from it. Nothing here waits.

The rules' lessons are written before (`memory.discovery.run_update`); what the models add is a summary's
second half, and skills that pass the same gate as the rules' into the inbox. Dropped at any time, it leaves
what was written so far.
"""

from __future__ import annotations

import queue
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
from pitwall.core.settings import Settings
from pitwall.core.steps import StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.legality import LegalActions
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowRun, WorkflowSteps
from pitwall.engine.inference.model_calls import ModelCalls
from pitwall.engine.recall.sentence_vectors import SentenceVectors
from pitwall.games.schema.profile import Profile
from pitwall.memory.discovery.lost_segments import Segment, lost_segments
from pitwall.memory.discovery.review_prompts import format_judged_skills, format_run, format_segment
from pitwall.memory.discovery.run_update import GatedSkill, after_judge, weigh_drafts
from pitwall.memory.discovery.skill_proposals import from_draft
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.store import AgentWrite
from pitwall.memory.text import tokens
from pitwall.models.language import is_language
from pitwall.models.replies.plan import parse_text
from pitwall.models.replies.reply_object import BadReply, clean
from pitwall.models.replies.skills import parse_judgement, parse_skill

MOST_DRAFTS = 3
"""Lost parts of a run that a model is asked about, the longest (choice)."""
_MODEL_LENGTH = 60


class WritesLessons(Protocol):
    """The memory, as a review writes to it."""

    def learn_from_run(self, lessons: Callable[[list[MemoryEntry]], Sequence[AgentWrite]]) -> None:
        """Work out, beside the loop, what is to be written, and write it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """Holds what is left of a run when it is over.

    Attributes:
        by_rules: its summary as the rules wrote it. role: that was played; empty: the game's first.
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
        calls: of the run, closed; asked again here with a budget of their own.
        writes: whether the model of a purpose's tier is known to write language.
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
        self._segments = sorted(lost_segments(run.steps), key=lambda one: -len(one.steps))[:MOST_DRAFTS]
        calls.budget = Budget(run.profile.game.difficulty)
        self.text = f"Run {run.run_id} is being reviewed."
        self._thinking = WorkflowRun(calls, self._think())

    @property
    def wanted(self) -> bool:
        """Whether there is anything to ask."""
        return self._sums_up or (self._proposes and bool(self._segments))

    def poll(self) -> str | None:
        """Go on as far as answers have come. What came of it, in words, once; None while it goes on."""
        return self._thinking.poll()

    def drop(self) -> None:
        """End it now."""
        self._thinking.drop()
        self._calls.close()

    # ---- what is asked

    def _think(self) -> WorkflowSteps[str]:
        told = []
        if self._sums_up:
            told.append((yield from self._sum_up()))
        if self._proposes and self._segments:
            told.append((yield from self._propose()))
        return f"Run {self._run.run_id}: {' '.join(told)}"

    def _sum_up(self) -> WorkflowSteps[str]:
        model = self._model(Purpose.SUMMARISE)
        self.text = f"{model} sums up run {self._run.run_id}."
        asked = format_run(self._run.by_rules, self._segments, self._book.units)
        found = yield from self._context({}).consult(Purpose.SUMMARISE, [_user(asked)], self._read_summary)
        if found.value is None:
            return f"{model} did not sum it up: {found.problem}"
        said, run_id = found.value, self._run.run_id
        self._memory.learn_from_run(lambda known: _with_summary(known, run_id, said, model))
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
            told = format_segment(segment, self._book.units)
            found = yield from self._context({**first.fields, "status": first.status.value}).consult(
                Purpose.PROPOSE_SKILL, [_user(told)], partial(self._read_skill, segment)
            )
            problem = found.problem or problem
            drafts += [found.value] if found.value is not None else []
        if not drafts:
            return f"{model} proposed no skill: {problem}"
        weighed = yield from self._weighed(drafts, model)
        judged = []
        for one, known in weighed:
            judged.append((yield from self._judged(one, known)) if known is not None else one)
        writes = [one.write for one in judged if one.write is not None]
        self._memory.learn_from_run(lambda _: writes)
        inbox = f"{len(writes)} passed the gate into the inbox"
        return f"{model} proposed {counted(len(drafts), 'skill')}; {inbox}."

    def _weighed(
        self, drafts: Sequence[SkillMemory], model: str
    ) -> WorkflowSteps[list[tuple[GatedSkill, SkillMemory | None]]]:
        """Weigh drafts in the memory's thread; each with the skill that a judge is to compare it with."""
        run = self._run
        done: queue.SimpleQueue[list[tuple[GatedSkill, SkillMemory | None]]] = queue.SimpleQueue()

        def weigh(known: list[MemoryEntry]) -> Sequence[AgentWrite]:
            skills = {one.entry_id: one.content for one in known if isinstance(one.content, SkillMemory)}
            weighed: list[GatedSkill] = []
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
                doubtful = (one.verdict.other if one.verdict.level == "judge" else None for one in weighed)
                done.put([(one, skills.get(at or 0)) for one, at in zip(weighed, doubtful, strict=True)])
            return ()

        self._memory.learn_from_run(weigh)
        while done.empty():
            yield None
        return done.get()

    def _judged(self, one: GatedSkill, known: SkillMemory) -> WorkflowSteps[GatedSkill]:
        """Ask whether a doubtful skill is a known one; without an answer the operator is asked."""
        if one.write is None:
            return one
        told = format_judged_skills(one.skill, known)
        found = yield from self._context({}).consult(Purpose.JUDGE_SKILL, [_user(told)], parse_judgement)
        if found.value is None:
            return one
        by = self._model(Purpose.JUDGE_SKILL)
        return after_judge(one, same=found.value.same, by=by, why=found.value.why)

    # ---- parts

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
        """A reply's text, where it is language and tells more than the figures do.

        Raises:
            BadReply: there is none, or it is not worth keeping.
        """
        said = parse_text(text)
        if not is_language(said):
            raise BadReply("what it wrote is no language.")
        if set(tokens(said)) <= set(tokens(self._run.by_rules)):
            raise BadReply("it wrote nothing that the figures do not say.")
        return said

    def _read_skill(self, segment: Segment, text: str) -> SkillMemory:
        """A reply as a skill that the role can carry out.

        Raises:
            BadReply: it is none.
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
            raise BadReply("the role can do nothing of the skill, or its trigger held nowhere in that part.")
        return skill


def _with_summary(known: Sequence[MemoryEntry], run_id: int, said: str, model: str) -> Sequence[AgentWrite]:
    """The run's episode with the model's words after the rules' figures; nothing where there is none."""
    for entry in known:
        content = entry.content
        if isinstance(content, EpisodeMemory) and content.run_id == run_id:
            text = f"{content.text} In the words of {model}: {said}"
            by = Provenance(author="agent", run_id=run_id, reason="a model summed the run up", source=model)
            update = replace(content, text=text)
            return [AgentWrite(game_id=entry.game_id, content=update, provenance=by, entry_id=entry.entry_id)]
    return ()


def _user(text: str) -> Message:
    return Message(role="user", spans=(Span(layer=Layer.STATE, text=text),))
