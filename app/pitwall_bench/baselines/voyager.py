"""A Voyager-like agent (Wang et al. 2024): a curriculum, a library of its own skills, and self-verification.

Voyager writes programs; here a skill is a sequence of the game's actions, and the agent carries out the same
single actions as every other baseline, as in SPIKE's adaptation.
"""

from __future__ import annotations

from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_parts import joined, quoted_line
from pitwall_bench.baselines.single_action import act, infer, reflect, state_of
from pitwall_bench.baselines.skill_library import SkillLibrary

PATIENCE = 8
"""Steps after which the curriculum names another subgoal (choice; Voyager gives up after four programs)."""


class VoyagerWorkflow:
    """Names a subgoal, acts with the nearest skills in view, verifies, and keeps what reached the subgoal."""

    def __init__(self) -> None:
        self._library = SkillLibrary()
        self._subgoal = ""
        self._since = 0
        self._verified = -1

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        observation = yield from self._verify(request, context)
        if not self._subgoal or request.step - self._since >= PATIENCE:
            self._subgoal = yield from infer(request, context)
            self._since = request.step
        state = joined(self._library.lines(self._subgoal)) + state_of(
            request, context, inference=self._subgoal
        )
        return (yield from act(request, context, state, observation=observation))

    def not_taken(self) -> None:
        """Keep subgoal and skills: the dropped action was not carried out."""

    def _verify(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[str]:
        """Ask whether the subgoal is reached, once for each action; keep its way as a skill where it is."""
        last = request.history[-1] if request.history else None
        if not self._subgoal or last is None or last.step <= self._verified or last.step < self._since:
            return ""
        self._verified = last.step
        before = joined(quoted_line("Subgoal", self._subgoal))
        verdict = yield from reflect(request, context, before=before)
        if verdict is None or not verdict.done:
            return ""
        way = tuple(str(past.action) for past in request.history if past.step >= self._since)
        kept = self._library.add(self._subgoal, way)
        reached, self._subgoal = self._subgoal, ""
        return f"Reached {reached!r}{' and kept the way as a skill' if kept else ''}."
