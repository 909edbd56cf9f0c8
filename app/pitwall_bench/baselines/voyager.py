"""A Voyager-like agent (Wang et al. 2024): a curriculum, a library of its own skills, and self-verification.

Voyager writes programs; here a skill is a sequence of the game's actions, and the agent carries out the same
single actions as every other baseline, as in SPIKE's adaptation.
"""

from __future__ import annotations

from collections import deque

from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.spike import reflection_for_prompt
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_parts import joined, quoted_line
from pitwall.memory.value_format import quoted
from pitwall_bench.baselines.single_action import act, infer, reflect, state_of
from pitwall_bench.baselines.skill_library import SkillLibrary, WayTaken

PATIENCE = 8
"""Steps after which the curriculum names another subgoal (choice; Voyager gives up after four programs)."""
MOST_PAST = 10
"""Newest subgoals, reached or given up, that the curriculum sees (choice)."""


class VoyagerWorkflow:
    """Names a subgoal, acts with the nearest skills in view, verifies, and keeps what reached the subgoal.

    The next action knows the verifier's critique, the next subgoal what was reached and what was given up.
    """

    def __init__(self) -> None:
        self._library, self._way = SkillLibrary(), WayTaken()
        self._subgoal = self._critique = ""
        self._since = 0
        self._verified = -1
        self._past: deque[tuple[str, str]] = deque(maxlen=MOST_PAST)

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        self._way.add(request.history)
        observation = yield from self._verify(request, context)
        if self._subgoal and request.step - self._since >= PATIENCE:
            self._end_subgoal("given up")
        if not self._subgoal:
            self._subgoal = yield from infer(request, context, before=joined(self._past_lines()))
            self._since = request.step
        state = joined(self._library.lines(self._subgoal)) + state_of(
            request, context, inference=self._subgoal, reflection=self._critique
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
        self._critique = reflection_for_prompt(verdict) if verdict is not None else ""
        if verdict is None or not verdict.done:
            return ""
        way = tuple(str(past.action) for past in self._way.since(self._since))
        reached = self._subgoal
        kept = self._library.add(reached, way)
        self._end_subgoal("reached")
        return f"Reached {reached!r}{' and kept the way as a skill' if kept else ''}."

    def _end_subgoal(self, how: str) -> None:
        self._past.append((self._subgoal, how))
        self._subgoal = self._critique = ""

    def _past_lines(self) -> list[str]:
        lines = [f"- {quoted(subgoal)}: {how}" for subgoal, how in self._past]
        return ["Earlier subgoals, newest last:", *lines] if lines else []
