"""Cradle's six modules (Tan et al. 2024): information gathering, self-reflection, task inference, skill
curation, action planning, memory.

Whether the game stands still meanwhile is `control.while_thinking`, not the workflow's matter.
"""

from __future__ import annotations

from pitwall.core.actions import Effect
from pitwall.core.calls import Purpose
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.spike import reflection_for_operator, reflection_for_prompt
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps, user_message
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_parts import joined, quoted_line, recent_lines
from pitwall.models.replies.plan import parse_text
from pitwall_bench.baselines.single_action import (
    act,
    describe,
    infer,
    reflect,
    scene_for,
    state_of,
)
from pitwall_bench.baselines.skill_library import SkillLibrary, WayTaken

SUMMARY_STEPS = 5
"""Steps after which the long-term summary is written anew: as many as the short-term memory holds."""


class CradleWorkflow:
    """Runs the six modules in turn at each step; the memory's summary carries what the window lost."""

    def __init__(self) -> None:
        self._library, self._way = SkillLibrary(), WayTaken()
        self._task = self._summary = ""
        self._since = self._summed = 0

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        self._way.add(request.history)
        memory = joined(quoted_line("Summary of earlier steps", self._summary))
        description = yield from describe(request, context)
        reflection = yield from reflect(request, context, description=description, before=memory)
        self._curate(request, done=reflection is not None and reflection.done)
        task = yield from infer(request, context, description=description, before=memory)
        if task and task != self._task:
            self._task, self._since = task, request.step
        state = state_of(
            request,
            context,
            description=description,
            inference=self._task,
            reflection=reflection_for_prompt(reflection) if reflection is not None else "",
        )
        observation = reflection_for_operator(reflection) if reflection is not None else ""
        prompt = memory + joined(self._library.lines(self._task)) + state
        result = yield from act(request, context, prompt, observation=observation)
        yield from self._remember(request, context)
        return result

    def not_taken(self) -> None:
        """Keep the memory: the dropped action is not in it."""

    def _curate(self, request: PlanRequest, *, done: bool) -> None:
        """Keep the actions that did a task as a skill."""
        since = self._way.since(self._since)
        if done and self._task:
            self._library.add(self._task, tuple(str(p.action) for p in since if p.effect is Effect.CONFIRMED))
            self._since = request.step

    def _remember(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        """Sum up the recent steps together with the summary so far, every few steps."""
        if not request.history or request.step - self._summed < SUMMARY_STEPS:
            return
        self._summed = request.step
        lines = quoted_line("Summary of earlier steps", self._summary)
        text = joined(lines, recent_lines(scene_for(request, context)))
        result = yield from context.consult(Purpose.REFLECT_HISTORY, [user_message(text)], parse_text)
        self._summary = result.value or self._summary
