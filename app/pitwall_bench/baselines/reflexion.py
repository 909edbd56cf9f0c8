"""Reflexion (Shinn et al. 2023): after a failure a reflection in words, which later prompts carry."""

from __future__ import annotations

from collections import deque

from pitwall.core.observations import GameStatus
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt.state_parts import joined
from pitwall.memory.value_format import quoted
from pitwall_bench.baselines.single_action import act, failed_since, reflect, state_of

MOST_LESSONS = 3
"""Reflections that a prompt carries: the paper keeps one to three."""


class ReflexionWorkflow:
    """An actor that reflects once on each failure, and once where the game is lost."""

    def __init__(self) -> None:
        self._lessons: deque[str] = deque(maxlen=MOST_LESSONS)
        self._failure = 0
        self._over = False

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        observation = yield from self._learn(request, context)
        state = joined(self._lesson_lines()) + state_of(request, context)
        return (yield from act(request, context, state, observation=observation))

    def not_taken(self) -> None:
        """Keep the reflections: they are about what was done, not about the dropped action."""

    def _learn(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[str]:
        newest = failed_since(request, self._failure)
        over = request.status is GameStatus.TERMINAL
        lost, self._over = over and not self._over, over
        if not newest and not lost:
            return ""
        self._failure = max(self._failure, newest)
        reflection = yield from reflect(request, context, before=joined(self._lesson_lines()))
        if reflection is None:
            return ""
        parts = (reflection.cause, f"next time: {reflection.next}" if reflection.next else "")
        lesson = "; ".join(part for part in parts if part)
        if not lesson:
            return ""
        self._lessons.append(lesson)
        return f"Lesson: {lesson}."

    def _lesson_lines(self) -> list[str]:
        lessons = [f"- {quoted(lesson)}" for lesson in self._lessons]
        return ["Lessons from earlier failures:", *lessons] if lessons else []
