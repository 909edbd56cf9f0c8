"""Builds the scene that a prompt describes from a controller's request, and judges its evidence (SPEC §2)."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import Effect
from pitwall.core.signals import Failure, Reason
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.legality import LegalActions, nameable
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.engine.control.workflows.workflow import WorkflowContext
from pitwall.memory.prompt.state_format import MOST_LEFT
from pitwall.memory.prompt.state_parts import Scene
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
        signals=request.signals,
        steps=request.history[-window:] if window and not flushed else (),
        hints=() if context.settings.memory.global_only else request.hints,
        notes=context.book.notes,
        image=image,
    )


def scene_changed(request: PlanRequest) -> bool:
    """Return whether an earlier description of the screen no longer holds."""
    return request.flush or Reason.SCENE in request.reasons


def readable(request: PlanRequest) -> bool:
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
