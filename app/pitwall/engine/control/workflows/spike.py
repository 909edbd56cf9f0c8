"""SPIKE's strategic workflow: collect information, reflect where evidence is unclear, plan (SPEC §2)."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace

from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.signals import Failure
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.scene import (
    after_fault,
    asked_about,
    going_well,
    last_step_messages,
    left_to_try,
    readable,
    scene_changed,
    scene_of,
    shows_picture,
    unclear,
)
from pitwall.engine.control.workflows.workflow import (
    CallResult,
    WorkflowContext,
    WorkflowSteps,
    user_message,
    with_retry,
)
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_format import describe_state, infer_state, plan_state, reflect_state
from pitwall.models.replies.plan import (
    PlanDraft,
    Reflection,
    parse_plan,
    parse_reflection,
    parse_text,
    plan_options,
)

_MOST_ROUNDS = 10


class SpikeWorkflow:
    """Describes, infers, reflects, plans: each a call where it is needed; none stops the next.

    A model that chooses among options is asked only for the plan. The picture is described where the model
    sees and no description holds: at first, after a scene cut or a flush, and where no field can be read.
    Otherwise the fields are the information; which calls see the picture too, `shows_picture` says.
    """

    def __init__(self) -> None:
        self._thread = PlanHistory()
        self._description = ""
        self._task = ""
        self._looked = self._inferred = False

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        self._thread.enter(request)
        if request.flush:
            self._forget()
            self._description, self._looked = "", False
        yield from self._describe(request, context)
        yield from self._infer(request, context)
        reflection = yield from self._reflect(request, context)
        if reflection is not None and reflection.failure is Failure.HARD and not request.flush:
            request = replace(request, flush=True)
            self._forget()
        sure = reflection if _is_sure(reflection, context) else None
        if sure is not None and sure.done:
            request, context.keeps = replace(request, running=None), False
        result = yield from self._plan(request, context, reflection)
        return replace(result, reflection=sure)

    def not_taken(self) -> None:
        self._thread.take_back()

    def _forget(self) -> None:
        """Drop the beliefs of earlier requests, but keep a description made for this one."""
        self._thread.clear()
        self._task, self._inferred = "", False

    def _describe(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        if context.caller.chooses(Purpose.PLAN) or (
            self._looked and not scene_changed(request) and readable(request)
        ):
            return
        self._description = ""
        if not context.caller.sees(Purpose.DESCRIBE):
            return
        scene = scene_of(request, context, image=True)
        turn = user_message(describe_state(scene), image=True)
        result = yield from context.consult(Purpose.DESCRIBE, [turn], parse_text)
        self._description = result.value or ""
        self._looked = True

    def _infer(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        if self._inferred or context.book.instruction or context.caller.chooses(Purpose.PLAN):
            return
        text = infer_state(
            scene_of(request, context), description=self._description, proposal=request.running
        )
        result = yield from context.consult(Purpose.INFER, [user_message(text)], parse_text)
        self._task = result.value or ""
        self._inferred = True

    def _reflect(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[Reflection | None]:
        if not unclear(request) or context.caller.chooses(Purpose.PLAN):
            return None
        image = shows_picture(request, context, Purpose.REFLECT)
        text = reflect_state(
            scene_of(request, context, image=image),
            proposal=request.running,
            trace=request.trace,
            reasons=request.reasons,
            description=self._description,
        )
        turn = asked_about(text, request, context, Purpose.REFLECT, image=image)
        before = last_step_messages(request, context) if image else ()
        result = yield from context.consult(Purpose.REFLECT, [*before, turn], parse_reflection)
        return result.value

    def _plan(
        self, request: PlanRequest, context: WorkflowContext, reflection: Reflection | None
    ) -> WorkflowSteps[WorkflowResult]:
        shown = shows_picture(request, context, Purpose.PLAN)
        scene = scene_of(request, context, image=shown)
        earlier = self._thread.messages(context.settings.layers.thread_messages)
        unguided = not context.skills and not going_well(request)

        def ask(fault: str) -> WorkflowSteps[CallResult[PlanDraft]]:
            text = plan_state(
                scene,
                reasons=request.reasons,
                proposal=request.running,
                trace=request.trace,
                flush=request.flush,
                description=self._description,
                inference=self._task,
                reflection=reflection_for_prompt(reflection) if reflection is not None else "",
                modules=context.offered if unguided else (),
                left=left_to_try(request.trace, context.space) if unguided and not context.offered else (),
            )
            return context.consult(
                Purpose.PLAN,
                [
                    *earlier,
                    asked_about(after_fault(text, fault), request, context, Purpose.PLAN, image=shown),
                ],
                lambda reply: parse_plan(
                    reply,
                    context.space,
                    fields=context.fields,
                    modules=context.modules,
                    skills=context.skills,
                    keeps=context.keeps,
                    writes=context.writes,
                ),
                options=plan_options(context.skills, keeps=context.keeps),
                acts=True,
            )

        result = yield from with_retry(ask)
        if result.value is not None:
            self._thread.add(request, result.value, modules=bool(context.modules))
        observation = reflection_for_operator(reflection) if reflection is not None else ""
        return WorkflowResult(
            draft=result.value,
            call=result.call,
            observation=observation,
            problem=result.problem,
            unanswered=result.unanswered,
        )


def _is_sure(reflection: Reflection | None, context: WorkflowContext) -> bool:
    """Return whether a reflection has consequences; a less confident one is only told to the planner."""
    return reflection is not None and reflection.confidence >= context.settings.memory.promote_at


def reflection_for_prompt(reflection: Reflection) -> str:
    """Return a reflection in words for the plan's prompt."""
    parts = ["the last action took effect" if reflection.effect else "the last action had no effect"]
    if reflection.cause:
        parts.append(f"likely cause: {reflection.cause}")
    parts.append("the subgoal is done" if reflection.done else "the subgoal is not done")
    parts.append(f"failure level {int(reflection.failure)} of 3")
    parts.append(f"next: {reflection.next}")
    return "; ".join(parts)


def reflection_for_operator(reflection: Reflection) -> str:
    parts = ["took effect" if reflection.effect else "no effect"]
    if reflection.cause:
        parts.append(reflection.cause)
    if reflection.done:
        parts.append("subgoal done")
    return f"Reflection: {', '.join(parts)} (F{int(reflection.failure)})."


class PlanHistory:
    """The local thread: a model's last plans within one fight, so that its plans are consistent (SPEC §4).

    A round holds the question in one line and the plan as it was understood, newest last; observations and
    actions since then are in the state. The thread ends with the fight.
    """

    def __init__(self) -> None:
        self._rounds: deque[tuple[str, str]] = deque(maxlen=_MOST_ROUNDS)
        self._status: GameStatus | None = None

    def enter(self, request: PlanRequest) -> None:
        """Note a request for a plan: another status, an end or a flush begins a new fight."""
        ended = request.flush or request.status is GameStatus.TERMINAL
        if ended or request.status is not self._status:
            self.clear()
        self._status = request.status

    def messages(self, most: int) -> tuple[Message, ...]:
        """Return the earlier messages of a thread with at most `most` messages, the new question included."""
        rounds = list(self._rounds)[-((most - 1) // 2) :] if most >= 3 else []
        return tuple(message for question, plan in rounds for message in _messages(question, plan))

    def add(self, request: PlanRequest, draft: PlanDraft, *, modules: bool) -> None:
        """Add a round. modules: the game has some, so plans name theirs."""
        reasons = ", ".join(reason.value for reason in request.reasons) or "no plan"
        question = f"Step {request.step}, {request.status.value}: {reasons}. Make the plan.\n"
        self._rounds.append((question, plan_as_text(draft, modules=modules)))

    def take_back(self) -> None:
        """Remove the last plan, which was not used."""
        if self._rounds:
            self._rounds.pop()

    def clear(self) -> None:
        self._rounds.clear()


def plan_as_text(draft: PlanDraft, *, modules: bool) -> str:
    """Return a plan as a model would write it: only the parts that were understood."""
    plan: dict[str, object] = {"skill": draft.skill} if draft.skill else {"keep": True}
    if draft.skill or draft.keep:
        return json.dumps(plan, separators=(",", ":"))
    plan = {
        "situation": draft.situation,
        "subgoal": draft.subgoal,
        "actions": [str(action) for action in draft.actions],
        **({"module": draft.module} if modules else {}),
        "stop": draft.stop,
        "steps": draft.steps,
    }
    return json.dumps(plan, separators=(",", ":"))


def _messages(question: str, plan: str) -> tuple[Message, Message]:
    spans = [(Span(layer=Layer.STATE, text=text, item="thread"),) for text in (question, plan)]
    return Message(role="user", spans=spans[0]), Message(role="assistant", spans=spans[1])
