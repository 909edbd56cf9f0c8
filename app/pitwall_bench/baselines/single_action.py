"""The part that every published baseline shares: one call that writes one action of the game (SPEC §2).

A baseline gets the same state, actions and checks as SPIKE's workflow. It names no skill and no module, keeps
no plan, and is asked at each step (`effective_settings`); what it remembers is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pitwall.core.calls import Purpose
from pitwall.core.prompts import Message
from pitwall.core.signals import Failure
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.scene import (
    after_fault,
    last_step_messages,
    scene_of,
    shows_picture,
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
from pitwall.memory.prompt.state_parts import Scene
from pitwall.models.replies.plan import PlanDraft, Reflection, parse_plan, parse_reflection, parse_text

TASK = 'Write your thought as "situation" and exactly one action in "actions".'


def scene_for(request: PlanRequest, context: WorkflowContext, *, image: bool = False) -> Scene:
    """Return the scene with the recent steps also after a flush: a baseline has a history of its own."""
    return scene_of(replace(request, flush=False), context, image=image)


def act(
    request: PlanRequest,
    context: WorkflowContext,
    state: str,
    *,
    earlier: Sequence[Message] = (),
    observation: str = "",
) -> WorkflowSteps[WorkflowResult]:
    """Ask for one action after a state, and once more where the reply is not valid.

    Args:
        earlier: messages before the question. observation: a sentence for the operator.
    """
    context.skills, context.listed, context.keeps, context.writes = {}, (), False, True
    context.modules, context.offered = frozenset(), []
    image = shows_picture(request, context, Purpose.PLAN)

    def ask(fault: str) -> WorkflowSteps[CallResult[PlanDraft]]:
        text = after_fault(f"{state}{TASK}\n", fault)
        return context.consult(
            Purpose.PLAN,
            [*earlier, user_message(text, image=image)],
            lambda reply: _first(parse_plan(reply, context.space, fields=context.fields)),
            acts=True,
        )

    result = yield from with_retry(ask)
    return WorkflowResult(
        draft=result.value,
        call=result.call,
        observation=observation,
        problem=result.problem,
        unanswered=result.unanswered,
    )


def state_of(
    request: PlanRequest,
    context: WorkflowContext,
    *,
    steps: bool = True,
    description: str = "",
    inference: str = "",
    reflection: str = "",
) -> str:
    """Return the state in words. steps: with the recent steps."""
    image = shows_picture(request, context, Purpose.PLAN)
    scene = scene_for(request, context, image=image)
    return plan_state(
        scene if steps else replace(scene, steps=()),
        reasons=(),
        description=description,
        inference=inference,
        reflection=reflection,
    )


def describe(request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[str]:
    """Ask what is on the screen, with its picture where the model sees; empty where it does not answer."""
    image = shows_picture(request, context, Purpose.DESCRIBE)
    turn = user_message(describe_state(scene_for(request, context, image=image)), image=image)
    result = yield from context.consult(Purpose.DESCRIBE, [turn], parse_text)
    return result.value or ""


def infer(
    request: PlanRequest, context: WorkflowContext, *, description: str = "", before: str = ""
) -> WorkflowSteps[str]:
    """Ask what the task needs next; empty where the model does not answer. before: lines before the state."""
    text = infer_state(scene_for(request, context), description=description)
    result = yield from context.consult(Purpose.INFER, [user_message(before + text)], parse_text)
    return result.value or ""


def reflect(
    request: PlanRequest, context: WorkflowContext, *, description: str = "", before: str = ""
) -> WorkflowSteps[Reflection | None]:
    """Ask for a judgement of the last action; None without one, or before the first action.

    A model that sees judges from the picture before the action and the one after it, as in SPIKE's workflow.
    """
    if not request.history:
        return None
    image = shows_picture(request, context, Purpose.REFLECT)
    text = reflect_state(
        scene_for(request, context, image=image),
        proposal=request.running,
        trace=request.trace,
        description=description,
    )
    earlier = last_step_messages(request, context) if image else ()
    turn = user_message(before + text, image=image)
    result = yield from context.consult(Purpose.REFLECT, [*earlier, turn], parse_reflection)
    return result.value


def failed_since(request: PlanRequest, number: int) -> int:
    """Return the number of the newest failure after another one; 0 where there is none."""
    newest = max((note.number for note in request.trace), default=0)
    return newest if newest > number and request.signals.failure >= Failure.LOCAL else 0


def _first(draft: PlanDraft) -> PlanDraft:
    """Return a draft of its first action alone."""
    return replace(draft, actions=draft.actions[:1], stop="", steps=1)
