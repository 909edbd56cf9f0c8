"""The model planner: the strategic controller with a local model (SPEC §2, §8)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Protocol

from pitwall.core import rail
from pitwall.core.actions import MODEL_SOURCE, SKILL_SOURCE, Proposal
from pitwall.core.calls import Purpose
from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.settings import Settings
from pitwall.engine.control import tabu
from pitwall.engine.control.legality import LegalActions
from pitwall.engine.control.model_caller import ModelCaller
from pitwall.engine.control.picture_actions import PictureActions
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.skill_planner import proposal_of
from pitwall.engine.control.workflows.gamesense import GameSenseWorkflow
from pitwall.engine.control.workflows.round_memory import RoundMemory
from pitwall.engine.control.workflows.scene import shows_picture
from pitwall.engine.control.workflows.spike import SpikeWorkflow
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowController, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.models.replies.plan import PlanDraft


class SkillRanking(Protocol):
    """Ranks the skills by how well they suit the moment; `SkillPlanner` is one."""

    def rank(self, request: PlanRequest) -> Sequence[str]:
        """Return the names of the skills that can be carried out, best first."""
        ...

    def took(self, name: str, step: int) -> None:
        """Note that a skill is started in this step."""
        ...


class Workflow(Protocol):
    """Runs one form of the strategic workflow, and keeps what it remembers between plans."""

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]: ...

    def not_taken(self) -> None: ...


class ModelPlanner(WorkflowController[PlanRequest, PlanReply]):
    """Plans with the strategic tier's model; a `Planner`.

    It settles every call except the call whose reply is the plan (`PlanReply.call`): that one is settled by
    the code that uses or drops the plan.

    Args:
        caller, book, space, settings, rounds: see `WorkflowController`.
        fields: names of the state-reader fields, for stop conditions.
        modules: names of the game sense modules that a plan may start.
        ranks: ranks the skills that can be carried out.
        instruction: the operator's task; empty: the book's, and where that is empty too the task is inferred.
        ended: whether a module would end at once on some values: its name cannot be written then.

    Attributes:
        stand_in: the planner that answers where the model cannot or does not; None: the agent holds.
    """

    name = "model"

    def __init__(
        self,
        *,
        caller: ModelCaller,
        book: Callable[[], PromptLayers],
        space: LegalActions,
        fields: Collection[str],
        modules: Collection[str],
        settings: Callable[[], Settings],
        stand_in: Planner | None,
        ranks: SkillRanking,
        instruction: str = "",
        ended: Callable[[str, Mapping[str, Value]], bool] | None = None,
        rounds: RoundMemory | None = None,
    ) -> None:
        super().__init__(caller=caller, book=book, space=space, settings=settings, rounds=rounds)
        self._fields = frozenset(fields)
        self._modules = frozenset(modules)
        self.stand_in = stand_in
        self._ranks = ranks
        self._seen_note = 0
        self._instruction = instruction
        self._ended = ended or (lambda _name, _values: False)
        self._workflows: dict[str, Workflow] = {"spike": SpikeWorkflow(), "gamesense": GameSenseWorkflow()}
        self._last: tuple[Workflow, Proposal, int] | None = None
        self._ids = count(1)

    def _workflow(self, name: str) -> Workflow | None:
        """Return a workflow of the core or of a package by its name; None where no package brings it."""
        if name not in self._workflows and name in rail.contributions(rail.WORKFLOWS):
            self._workflows[name] = rail.load(rail.WORKFLOWS, name)()
        return self._workflows.get(name)

    def _think(self, request: PlanRequest) -> WorkflowSteps[PlanReply]:
        began_ns = now_ns()
        settings = self._settings()
        self._notice_drop(request)
        workflow = self._workflow(settings.control.workflow)
        if workflow is None:
            why = f"No installed package brings the workflow {settings.control.workflow}."
            return (yield from self._stand_in_reply(request, why, began_ns))
        if not self._caller.available(Purpose.PLAN):
            why = "No model can be asked for a plan, or no calls are left."
            return (yield from self._stand_in_reply(request, why, began_ns))
        try:
            context = self._context(request, settings)
            closed = settings.control.workflow == "spike" and self._caller.chooses(Purpose.PLAN)
            closed = closed and bool(context.skills or context.keeps)
            image = shows_picture(request, context, Purpose.PLAN)
            yield from context.fit(Purpose.PLAN, closed=closed, steps=len(request.history), image=image)
        except PitwallError as error:
            return (yield from self._stand_in_reply(request, f"The prompt cannot be made: {error}", began_ns))
        planned = yield from workflow.think(self._as_shown(request), context)
        verdict, judged = planned.reflection, request.history[-1].step if request.history else 0
        if verdict is not None and verdict.done:
            request = replace(request, running=None)
        if planned.draft is None:
            why = f"The model gave no plan ({planned.problem.rstrip('.')})."
            reply = yield from self._stand_in_reply(request, why, began_ns)
            reply = replace(reply, reflection=verdict, reflected=judged)
            return replace(reply, calls=context.calls, failed=True, unanswered=planned.unanswered)
        proposal = self._proposal(planned.draft, request, settings, context)
        keep = self._continues(planned.draft, proposal, request)
        if planned.draft.skill and not keep:
            self._ranks.took(planned.draft.skill, request.step)
        self._last = (workflow, proposal, request.step)
        barred = tabu.bars_in_words(request.bars, request.step)
        sentences = (planned.observation, _decision_in_words(proposal, keep=keep), barred, context.withheld)
        return PlanReply(
            request_id=request.request_id,
            proposal=None if keep else proposal,
            why=" ".join(filter(None, sentences)),
            keep=keep,
            took_ms=ms_between(began_ns, now_ns()),
            calls=context.calls,
            call=planned.call,
            proposed=planned.draft.proposed,
            illegal=planned.draft.illegal,
            reflection=verdict,
            reflected=judged,
        )

    def _as_shown(self, request: PlanRequest) -> PlanRequest:
        """Return a request whose past actions have their places where the model sees them."""
        space = self._space
        if not isinstance(space, PictureActions):
            return request
        return replace(
            request,
            recent=tuple(map(space.shown, request.recent)),
            history=space.shown_history(request.history),
            running=space.shown_plan(request.running),
        )

    def _context(self, request: PlanRequest, settings: Settings) -> WorkflowContext:
        book = self._book().with_settings(settings.layers, settings.memory)
        if self._instruction and not book.instruction:
            book = book.with_instruction(self._instruction)
        applying = {usable.skill.name: usable for usable in book.applying(request.values)}
        skills = {name: applying[name] for name in self._ranks.rank(request) if name in applying}
        running = request.running
        writes = [] if skills and self._caller.chooses(Purpose.PLAN) else [tabu.WRITE]
        open_now = set(tabu.still_open([*map(tabu.skill_choice, skills), *writes], request.bars))
        known = self._modules if settings.layers.modules else ()
        modules = {name for name in known if tabu.module_choice(name) not in request.bars}
        return WorkflowContext(
            caller=self._caller,
            book=book,
            space=tabu.OpenActions(self._space, request.bars),
            fields=self._fields,
            modules=modules,
            offered=[name for name in modules if not self._ended(name, request.values)],
            settings=settings,
            step=request.step,
            values=request.values,
            skills={name: skill for name, skill in skills.items() if tabu.skill_choice(name) in open_now},
            keeps=running is not None and not request.flush and tabu.plan_choice(running) not in request.bars,
            writes=tabu.WRITE in open_now,
            rounds=self._rounds,
        )

    def _continues(self, draft: PlanDraft, proposal: Proposal, request: PlanRequest) -> bool:
        """Return whether a draft continues the plan in force.

        A skill that is named again continues too, unless it failed since the last plan: then it starts over.
        """
        running, seen = request.running, self._seen_note
        self._seen_note = max((note.number for note in request.trace), default=seen)
        if running is None:
            return False
        if not draft.skill or proposal.module:
            return draft.keep or _same(proposal, running)
        if request.flush:
            return False
        new = (note for note in request.trace if note.number > seen and not note.transient)
        return draft.skill == running.skill and all(note.skill != draft.skill for note in new)

    def _notice_drop(self, request: PlanRequest) -> None:
        """Tell the workflow if its last plan never came into force."""
        last, self._last = self._last, None
        if last is None:
            return
        workflow, proposal, step = last
        if request.running is not None:
            taken = _same(proposal, request.running)
        else:
            taken = not request.history or any(past.step >= step for past in request.history)
        if not taken:
            workflow.not_taken()

    def _proposal(
        self, draft: PlanDraft, request: PlanRequest, settings: Settings, context: WorkflowContext
    ) -> Proposal:
        source = f"{MODEL_SOURCE}{settings.models.strategic}"
        if draft.keep:
            assert request.running is not None, "only a plan in force can be kept"
            return request.running
        if draft.skill:
            return proposal_of(
                context.skills[draft.skill].skill,
                request.values,
                self._space,
                next(self._ids),
                source=f"{source} {SKILL_SOURCE}{draft.skill}",
                planned_ns=request.now_ns,
            )
        return Proposal(
            proposal_id=next(self._ids),
            situation=draft.situation,
            subgoal=draft.subgoal,
            candidates=draft.actions,
            module=draft.module,
            stop=draft.stop,
            steps=draft.steps,
            source=source,
            planned_ns=request.now_ns,
        )

    def _stand_in_reply(self, request: PlanRequest, why: str, began_ns: int) -> WorkflowSteps[PlanReply]:
        """Return the stand-in's answer, with the reason why it was asked."""
        stand_in = self.stand_in
        if stand_in is None:
            return PlanReply(
                request_id=request.request_id,
                proposal=None,
                why=f"{why} Holding.",
                took_ms=ms_between(began_ns, now_ns()),
            )
        stand_in.request(request)
        try:
            while (reply := stand_in.poll()) is None:
                yield None
        finally:
            stand_in.cancel()
        proposal = reply.proposal
        if proposal is not None:
            proposal = replace(proposal, proposal_id=next(self._ids))
        took_ms = ms_between(began_ns, now_ns())
        return replace(reply, proposal=proposal, why=f"{why} {reply.why}", took_ms=took_ms)


def _decision_in_words(proposal: Proposal, *, keep: bool) -> str:
    if keep:
        return f"Going on with {proposal.subgoal!r}."
    if proposal.skill:
        return f"The model takes up the skill {proposal.skill!r}: {proposal.subgoal}."
    return f"The model plans {proposal.subgoal!r}."


def _same(plan: Proposal, other: Proposal) -> bool:
    """Return whether two plans are carried out in the same way."""
    return (plan.subgoal, plan.candidates, plan.module) == (other.subgoal, other.candidates, other.module)
