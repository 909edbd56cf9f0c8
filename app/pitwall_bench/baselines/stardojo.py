"""StarDojo's own agent (Tan et al. 2025): four calls a step, each in its turn and without any trigger."""

from __future__ import annotations

from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.spike import reflection_for_operator, reflection_for_prompt
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall_bench.baselines.single_action import act, describe, infer, reflect, state_of


class StarDojoWorkflow:
    """Gathers information, reflects, infers the task and plans an action; before the first action it has
    nothing to reflect on, and makes three calls."""

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        description = yield from describe(request, context)
        reflection = yield from reflect(request, context, description=description)
        inference = yield from infer(request, context, description=description)
        state = state_of(
            request,
            context,
            description=description,
            inference=inference,
            reflection=reflection_for_prompt(reflection) if reflection is not None else "",
        )
        observation = reflection_for_operator(reflection) if reflection is not None else ""
        return (yield from act(request, context, state, observation=observation))

    def not_taken(self) -> None:
        """Remember nothing: each step is planned anew."""
