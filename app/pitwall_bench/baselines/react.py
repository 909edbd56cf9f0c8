"""ReAct (Yao et al. 2023): thought, action and observation in turn, over the window of recent steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwall.engine.control.planner import PastStep, PlanRequest
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_parts import EFFECTS, joined
from pitwall.memory.value_format import format_changes, quoted
from pitwall_bench.baselines.single_action import act, state_of

_KEPT = 50
"""Thoughts that are kept (choice): as many as the widest window of recent steps has."""


class ReActWorkflow:
    """Makes one call a step, whose prompt holds the recent steps with their thoughts and observations."""

    def __init__(self) -> None:
        self._thoughts: dict[int, str] = {}

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        window = context.settings.models.recent_steps
        past = request.history[-window:] if window else ()
        earlier = joined(trajectory(past, self._thoughts, context.book.units))
        state = state_of(request, context, steps=False)
        result = yield from act(request, context, earlier + state)
        if result.draft is not None:
            self._thoughts[request.step] = result.draft.situation
            self._thoughts = dict(sorted(self._thoughts.items())[-_KEPT:])
        return result

    def not_taken(self) -> None:
        """Forget the last thought: its action was dropped."""
        if self._thoughts:
            del self._thoughts[max(self._thoughts)]


def trajectory(past: Sequence[PastStep], thoughts: Mapping[int, str], units: Mapping[str, str]) -> list[str]:
    """Return three lines for each past step: the thought behind it, the action, and the observation."""
    lines = []
    for step in past:
        thought = next((thoughts[at] for at in sorted(thoughts, reverse=True) if at <= step.step), "")
        if thought:
            lines.append(f"Thought {step.step}: {quoted(thought)}")
        seen = "; ".join(
            part
            for part in (
                EFFECTS[step.effect],
                format_changes(step.changed, units),
                "progress" if step.progressed else "",
                quoted(step.problem) if step.problem else "",
            )
            if part
        )
        lines += [f"Action {step.step}: {step.action}", f"Observation {step.step}: {seen}"]
    return lines
