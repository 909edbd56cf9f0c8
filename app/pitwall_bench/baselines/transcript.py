"""A transcript that grows without bound: each question and reply stays in the prompt, word for word.

It shows what an agent without any memory but its conversation costs. Only the model's context ends its
growth; the oldest rounds are then left out.
"""

from __future__ import annotations

from pitwall.core.prompts import Layer, Message, Span
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.round_memory import EarlierRounds
from pitwall.engine.control.workflows.spike import plan_as_text
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall_bench.baselines.single_action import act, state_of


class TranscriptWorkflow:
    """Makes one call a step, whose prompt holds every earlier question and reply."""

    def __init__(self) -> None:
        self._rounds: list[Message] = []

    def recent(self, *, sees: bool) -> EarlierRounds:
        """Return every earlier round, in words. `sees` changes nothing: pictures are not kept."""
        del sees
        return EarlierRounds(messages=tuple(self._rounds))

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        state = f"Step {request.step}.\n{state_of(request, context)}"
        context.rounds = self
        result = yield from act(request, context, state)
        if result.draft is not None:
            reply = plan_as_text(result.draft, modules=False)
            self._rounds += [_message("user", state), _message("assistant", reply)]
        return result

    def not_taken(self) -> None:
        """Drop the last round, whose action was not used."""
        del self._rounds[-2:]


def _message(role: str, text: str) -> Message:
    span = Span(layer=Layer.STATE, text=text, item="transcript")
    return Message(role="assistant" if role == "assistant" else "user", spans=(span,))
