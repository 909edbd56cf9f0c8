"""Builds the scene that a prompt describes from a controller's request, and judges its evidence (SPEC §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pitwall.core.actions import Effect
from pitwall.core.calls import Purpose
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.retrieval import Fragment
from pitwall.core.signals import Failure, Reason
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.legality import LegalActions, nameable
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.workflows.workflow import WorkflowContext, user_message
from pitwall.memory.prompt.state_format import MOST_LEFT
from pitwall.memory.prompt.state_parts import Scene
from pitwall.memory.retrieval.fragments import evidence_for, fragment_spans
from pitwall.memory.value_format import quoted

_STUCK = frozenset({Reason.STALL, Reason.LOOP, Reason.FAILURE})


def scene_of(request: PlanRequest | ReactRequest, context: WorkflowContext, *, image: bool = False) -> Scene:
    """Return the scene for every prompt of a request. After a flush it has no recent steps."""
    flushed = isinstance(request, PlanRequest) and request.flush
    names = context.shown_fields
    window = context.settings.models.recent_steps
    return Scene(
        status=request.status,
        values=request.values if names is None else {k: v for k, v in request.values.items() if k in names},
        units=context.book.units,
        lengths=context.book.lengths,
        signals=request.signals,
        steps=request.history[-window:] if window and not flushed else (),
        hints=evidence(request, context)[0],
        notes=context.book.notes,
        image=image,
        picture=context.caller.picture_size() if image else (0, 0),
    )


def shows_picture(request: PlanRequest | ReactRequest, context: WorkflowContext, purpose: Purpose) -> bool:
    """Return whether a call gets the picture (`models.look`): where it decides, and within the budget.

    Low-level commands need it always. A plan and a reflection follow an escalation; an action is one of doubt
    where something speaks against the plan's next action.
    """
    look = context.settings.models.look
    if look == "never" or not context.caller.sees(purpose):
        return False
    if look == "always" or context.settings.control.interface == "computer-use":
        return True
    if look == "scene":
        unseen = purpose is not Purpose.REACT and not can_describe(context)
        return unseen or not readable(request)
    budget = context.caller.prompt_budget(purpose)
    if budget and context.caller.picture_tokens(purpose) > budget:
        context.leave_out("the picture")
        return False
    return isinstance(request, PlanRequest) or request.doubt or not readable(request)


def can_describe(context: WorkflowContext) -> bool:
    """Return whether the screen can be described in words before the plan."""
    caller = context.caller
    return not caller.chooses(Purpose.PLAN) and not caller.no_text(Purpose.DESCRIBE)


def evidence(
    request: PlanRequest | ReactRequest, context: WorkflowContext
) -> tuple[tuple[str, ...], tuple[Fragment, ...]]:
    """Return the hints and fragments for the request's controller; GameSense plans with hints (SPEC §8)."""
    memory, strategic = context.settings.memory, isinstance(request, PlanRequest)
    if strategic and context.settings.control.workflow == "gamesense":
        memory = memory.model_copy(update={"controllers": "shared"})
    return evidence_for(memory, request.hints, request.fragments, strategic=strategic)


def asked_about(
    text: str, request: PlanRequest | ReactRequest, context: WorkflowContext, purpose: Purpose, *, image: bool
) -> Message:
    """Return the message of a state, followed by the graph's fragments for the request's controller."""
    spans = fragment_spans(
        evidence(request, context)[1],
        context.settings.memory.graph_tokens,
        lambda part: context.caller.count(purpose, part),
    )
    message = user_message(text, image=image)
    return replace(message, spans=(*message.spans, *spans))


def last_step_messages(request: PlanRequest, context: WorkflowContext) -> tuple[Message, ...]:
    """Return the last step as a question with the picture before it, and its action as the answer.

    Empty where there was no step, or no picture of it is kept.
    """
    size = context.caller.picture_size(before=True)
    if not request.history or not all(size) or context.settings.memory.form == "rounds":
        return ()
    last = request.history[-1]
    text = "Step {}: the picture ({} x {} px) shows the screen before the action.\n".format(last.step, *size)
    done = Span(layer=Layer.STATE, text=f"{last.action}\n", item="last step")
    return user_message(text, image=True), Message(role="assistant", spans=(done,))


def scene_changed(request: PlanRequest) -> bool:
    """Return whether an earlier description of the screen no longer holds."""
    return request.flush or Reason.SCENE in request.reasons


def readable(request: PlanRequest | ReactRequest) -> bool:
    """Return whether any field was read."""
    return any(value is not None for name, value in request.values.items() if name != "status")


def unclear(request: PlanRequest) -> bool:
    """Return whether self reflection is due: evidence is unclear or contradictory, or a failure repeats."""
    if request.signals.failure >= Failure.LOCAL and request.trace:
        return True
    if _STUCK.intersection(request.reasons):
        return True
    last = request.history[-1] if request.history else None
    return last is not None and (last.effect is Effect.UNVERIFIED or bool(last.problem))


def failed_before(request: PlanRequest) -> str:
    """Return the failure trace in one line, newest first; empty where there is none."""
    failed = [f"{note.action or 'the plan'} ({note.problem})" for note in reversed(request.trace)]
    return f"failed before: {', '.join(dict.fromkeys(failed))}" if failed else ""


def going_well(request: PlanRequest) -> bool:
    """Return whether a plan is in force without any evidence against it."""
    return request.running is not None and not request.trace and not request.flush


def left_to_try(trace: Sequence[FailureNote], space: LegalActions) -> tuple[str, ...]:
    """Return the first legal actions that did not fail; all of them where each did."""
    names = list(nameable(space))
    failed = {note.action for note in trace}
    return tuple([name for name in names if name not in failed] or names)[:MOST_LEFT]


def after_fault(text: str, fault: str) -> str:
    """Return a state's text with the fault of the last reply before it; only the text for no fault."""
    return f"Your last reply was not valid: {quoted(fault)}. Do not repeat it.\n{text}" if fault else text
