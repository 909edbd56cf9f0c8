"""SPIKE's strategic workflow: collect information, reflect where evidence is unclear, plan (SPEC §2)."""

from __future__ import annotations

from dataclasses import replace

from pitwall.core.calls import Purpose
from pitwall.core.signals import Failure
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.plan_history import PlanHistory
from pitwall.engine.control.workflows.scene import (
    after_fault,
    going_well,
    left_to_try,
    readable,
    scene_changed,
    scene_of,
    unclear,
)
from pitwall.engine.control.workflows.workflow import (
    CallResult,
    WorkflowContext,
    WorkflowResult,
    WorkflowSteps,
    user_message,
    with_retry,
)
from pitwall.memory.prompt.state_format import describe_state, infer_state, plan_state, reflect_state
from pitwall.models.replies.options import plan_options
from pitwall.models.replies.plan import PlanDraft, Reflection, parse_plan, parse_reflection, parse_text


class SpikeWorkflow:
    """Describe, infer, reflect, plan: each a call where it is needed, and none that stops the next. A model
    that chooses is asked for the plan alone.

    The picture is described where the model sees and what it showed is not known: at first, after a
    scene cut or a flush, and where no field can be read. Otherwise the fields are the information.
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
        return (yield from self._plan(request, context, reflection))

    def not_taken(self) -> None:
        self._thread.take_back()

    def _forget(self) -> None:
        """Drop what was believed. A description made for this very request is none of it."""
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
        told = yield from context.consult(Purpose.DESCRIBE, [turn], parse_text)
        self._description = told.value or ""
        self._looked = True

    def _infer(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        if self._inferred or context.book.instruction or context.caller.chooses(Purpose.PLAN):
            return
        text = infer_state(
            scene_of(request, context), description=self._description, proposal=request.running
        )
        told = yield from context.consult(Purpose.INFER, [user_message(text)], parse_text)
        self._task = told.value or ""
        self._inferred = True

    def _reflect(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[Reflection | None]:
        if not unclear(request) or context.caller.chooses(Purpose.PLAN):
            return None
        text = reflect_state(
            scene_of(request, context),
            proposal=request.running,
            trace=request.trace,
            reasons=request.reasons,
            description=self._description,
        )
        told = yield from context.consult(Purpose.REFLECT, [user_message(text)], parse_reflection)
        return told.value

    def _plan(
        self, request: PlanRequest, context: WorkflowContext, reflection: Reflection | None
    ) -> WorkflowSteps[WorkflowResult]:
        caller = context.caller
        undescribed = caller.chooses(Purpose.PLAN) or bool(caller.no_text(Purpose.DESCRIBE))
        shown = undescribed and caller.sees(Purpose.PLAN)  # it was asked for no description: it looks itself
        scene = scene_of(request, context, image=shown)
        earlier = self._thread.messages(context.settings.layers.thread_messages)
        adrift = not context.skills and not going_well(request)

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
                modules=context.offered if adrift else (),
                left=left_to_try(request.trace, context.space) if adrift and not context.offered else (),
            )
            return context.consult(
                Purpose.PLAN,
                [*earlier, user_message(after_fault(text, fault), image=shown)],
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

        told = yield from with_retry(ask)
        if told.value is not None:
            self._thread.add(request, told.value, modules=bool(context.modules))
        found = reflection_for_operator(reflection) if reflection is not None else ""
        return WorkflowResult(draft=told.value, call=told.call, found=found, problem=told.problem)


def reflection_for_prompt(reflection: Reflection) -> str:
    """A reflection as the plan's prompt is told it."""
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
