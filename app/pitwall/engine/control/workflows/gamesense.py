"""GameSense's strategic workflow: look, reflect, plan a task and its actions, construct these (SPEC §8)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pitwall.core.actions import Effect, Invalid, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.engine.control.legality import legal
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.scene import after_fault, failed_before, scene_of
from pitwall.engine.control.workflows.workflow import (
    CallResult,
    WorkflowContext,
    WorkflowSteps,
    user_message,
    with_retry,
)
from pitwall.engine.control.workflows.workflow_result import WorkflowResult
from pitwall.memory.prompt import gamesense_state as state
from pitwall.memory.prompt.state_parts import Scene
from pitwall.models.replies import stages
from pitwall.models.replies.plan import BadReply, PlanDraft, parse_text

TASKS = 10
"""Number of recent tasks in the summary (SPEC §8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The task that was planned last. before: the screen analysis that it was planned on."""

    goal: str
    actions: tuple[SemanticAction, ...]
    module: str
    before: str

    def past(self, reflection: stages.TaskReflection | None) -> state.PastTask:
        texts = (f"module {self.module}",) if self.module else tuple(str(action) for action in self.actions)
        if reflection is None:
            return state.PastTask(goal=self.goal, actions=texts)
        return state.PastTask(goal=self.goal, actions=texts, done=reflection.done, outcome=_words(reflection))


class GameSenseWorkflow:
    """Seven stages, each a call; a stage without anything to look back on is left out.

    Episodic memory (the last analysis and reflections) goes into the next prompts unchanged. Procedural
    memory holds, by an action's name, how it was written when its effect was last seen, and the lesson of a
    reflection; the construction stage is given it, and uses it directly where the call fails. For actions not
    tried in this run it comes from earlier runs (`LayerBook.procedures`).
    """

    def __init__(self) -> None:
        self._tasks: deque[state.PastTask] = deque(maxlen=TASKS)
        self._procedures: dict[str, state.Procedure] = {}
        self._task: _Task | None = None
        self._analysis = self._lesson = self._history = ""

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        if request.flush:
            self._task = None
            self._analysis = self._lesson = self._history = ""
        self._learn(request)
        yield from self._analyse(request, context)
        observation = ""
        if self._task is not None:
            observation = yield from self._look_back(request, context, self._task)
            self._task = None
        return (yield from self._plan(request, context, observation))

    def not_taken(self) -> None:
        """Forget the last task: its plan was dropped."""
        self._task = None

    def _learn(self, request: PlanRequest) -> None:
        """Remember how each action was written when its effect was seen."""
        for past in request.history:
            if past.effect is Effect.CONFIRMED and not past.problem:
                name, known = past.action.name, self._procedures.get(past.action.name)
                lesson = known.lesson if known is not None else ""
                self._procedures[name] = state.Procedure(
                    action=name, written=str(past.action), worked=True, lesson=lesson
                )

    def _known(self, context: WorkflowContext) -> dict[str, state.Procedure]:
        """Return the procedures by action name: this run's, else the memory's."""
        return {**{procedure.action: procedure for procedure in context.book.procedures}, **self._procedures}

    # ---- looking

    def _analyse(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        image = context.caller.sees(Purpose.ANALYSE_SCREEN)
        turn = user_message(state.screen_state(scene_of(request, context, image=image)), image=image)
        result = yield from context.consult(Purpose.ANALYSE_SCREEN, [turn], stages.parse_screen)
        seen = result.value
        self._analysis = f"{seen.screen}: {seen.observation}" if seen is not None else ""

    def _look_back(self, request: PlanRequest, context: WorkflowContext, task: _Task) -> WorkflowSteps[str]:
        """Run the three reflections, and return the first one's finding as a sentence for the operator.

        Nothing is kept before all three are over: a dropped thought looks back again.
        """
        scene = scene_of(request, context)
        text = state.task_reflection_state(scene, task.past(None), before=task.before, after=self._analysis)
        result = yield from context.consult(
            Purpose.REFLECT_TASK, [user_message(text)], stages.parse_task_reflection
        )
        reflection = result.value
        past = task.past(reflection)
        history = yield from self._sum_up((*self._tasks, past), context)
        lessons = yield from self._judge(scene, task, past, context)
        self._tasks.append(past)
        self._lesson, self._history = past.outcome, history
        self._keep(lessons, task, self._known(context))
        if reflection is None:
            return ""
        issue = f", {reflection.issue}" if reflection.issue else ""
        return f"The last task: {'done' if reflection.done else 'not done'}{issue}."

    def _sum_up(self, tasks: Sequence[state.PastTask], context: WorkflowContext) -> WorkflowSteps[str]:
        """Ask for a summary of the last tasks; empty while there is only one."""
        if len(tasks) < 2:
            return ""
        turn = user_message(state.history_state(tasks, most=TASKS))
        result = yield from context.consult(Purpose.REFLECT_HISTORY, [turn], parse_text)
        return result.value or ""

    def _judge(
        self, scene: Scene, task: _Task, past: state.PastTask, context: WorkflowContext
    ) -> WorkflowSteps[Sequence[stages.ActionReflection]]:
        """Ask the model for the lessons of the task's actions; a module has no actions to judge."""
        names = tuple(dict.fromkeys(action.name for action in task.actions))
        if not names:
            return ()
        result = yield from context.consult(
            Purpose.REFLECT_ACTIONS,
            [user_message(state.action_reflection_state(scene, past))],
            lambda reply: stages.parse_action_reflections(reply, names),
            names=names,
        )
        return result.value or ()

    def _keep(
        self,
        lessons: Sequence[stages.ActionReflection],
        task: _Task,
        procedures: Mapping[str, state.Procedure],
    ) -> None:
        written = {action.name: str(action) for action in task.actions}
        for lesson in lessons:
            known = procedures.get(lesson.action)
            self._procedures[lesson.action] = state.Procedure(
                action=lesson.action,
                written=known.written if known is not None else written[lesson.action],
                worked=(known is not None and known.worked) or lesson.worked,
                lesson=lesson.lesson,
            )

    # ---- planning

    def _plan(
        self, request: PlanRequest, context: WorkflowContext, observation: str
    ) -> WorkflowSteps[WorkflowResult]:
        task = yield from self._plan_task(request, context)
        if task.value is None:
            return _no_plan(task, observation)
        actions = yield from self._plan_actions(request, context, task.value)
        plan, call = actions.value, actions.call
        if plan is None:
            return _no_plan(actions, observation)
        draft = PlanDraft(
            situation=task.value.situation,
            subgoal=task.value.goal,
            module=plan.module,
            stop=task.value.stop,
            proposed=plan.proposed,
            illegal=plan.illegal,
        )
        if not plan.module:
            context.used(call, proposed=plan.proposed, illegal=plan.illegal)
            built = yield from self._construct(request, context, task.value, plan)
            draft, call = self._built(draft, built, plan, context)
            if not draft.actions:
                return _no_plan(built, observation)
        self._task = _Task(
            goal=draft.subgoal, actions=draft.actions, module=draft.module, before=self._analysis
        )
        return WorkflowResult(draft=draft, call=call, observation=observation)

    def _plan_task(
        self, request: PlanRequest, context: WorkflowContext
    ) -> WorkflowSteps[CallResult[stages.TaskPlan]]:
        text = state.task_plan_state(
            scene_of(request, context),
            analysis=self._analysis,
            reflection="; ".join(part for part in (self._lesson, failed_before(request)) if part),
            history=self._history,
            reasons=request.reasons,
        )

        def ask(fault: str) -> WorkflowSteps[CallResult[stages.TaskPlan]]:
            turn = user_message(after_fault(text, fault))
            return context.consult(
                Purpose.PLAN_TASK, [turn], lambda reply: stages.parse_task_plan(reply, fields=context.fields)
            )

        return (yield from with_retry(ask))

    def _plan_actions(
        self, request: PlanRequest, context: WorkflowContext, task: stages.TaskPlan
    ) -> WorkflowSteps[CallResult[stages.ActionPlan]]:
        text = state.action_plan_state(
            scene_of(request, context), goal=task.goal, needs=task.needs, analysis=self._analysis
        )
        names = {form.name for form in context.space.forms}

        def ask(fault: str) -> WorkflowSteps[CallResult[stages.ActionPlan]]:
            return context.consult(
                Purpose.PLAN_ACTIONS,
                [user_message(after_fault(text, fault))],
                lambda reply: stages.parse_action_plan(reply, names, modules=context.modules),
                acts=True,
            )

        return (yield from with_retry(ask))

    def _construct(
        self, request: PlanRequest, context: WorkflowContext, task: stages.TaskPlan, plan: stages.ActionPlan
    ) -> WorkflowSteps[CallResult[stages.Construction]]:
        names = tuple(dict.fromkeys(planned.action for planned in plan.actions))
        known = self._known(context)
        text = state.construct_state(
            scene_of(request, context),
            goal=task.goal,
            planned=[(planned.action, planned.aim) for planned in plan.actions],
            procedures=[known[name] for name in names if name in known],
        )

        def ask(fault: str) -> WorkflowSteps[CallResult[stages.Construction]]:
            return context.consult(
                Purpose.CONSTRUCT,
                [user_message(after_fault(text, fault))],
                lambda reply: _planned_only(stages.parse_construction(reply, context.space), names),
                names=names,
                acts=True,
            )

        return (yield from with_retry(ask))

    def _built(
        self,
        draft: PlanDraft,
        built: CallResult[stages.Construction],
        plan: stages.ActionPlan,
        context: WorkflowContext,
    ) -> tuple[PlanDraft, int]:
        """Return the draft with its actions, and the open call that wrote them.

        Where the construction failed, an action is written as procedural memory knows it, or without
        arguments; an action that needs some is left out.
        """
        written = built.value
        if written is not None:
            whole = replace(
                draft,
                actions=written.actions,
                steps=written.steps,
                proposed=written.proposed,
                illegal=written.illegal,
            )
            return whole, built.call
        known = self._known(context)
        texts = [
            known[planned.action].written if planned.action in known else planned.action
            for planned in plan.actions
        ]
        actions = tuple(action for action in (legal(text, context.space) for text in texts) if action)
        return replace(draft, actions=actions, proposed=0, illegal=0), 0


def _planned_only(built: stages.Construction, names: Collection[str]) -> stages.Construction:
    """Return the construction without actions that were not planned; those count as illegal."""
    kept = tuple(action for action in built.actions if action.name in names)
    if not kept:
        raise BadReply(
            "none of the planned actions was written out.",
            invalid=Invalid.OUT_OF_SPACE,
            proposed=built.proposed,
            illegal=built.proposed,
        )
    strayed = len(built.actions) - len(kept)
    return replace(built, actions=kept, illegal=built.illegal + strayed)


def _words(reflection: stages.TaskReflection) -> str:
    parts = [reflection.evidence]
    if reflection.level != "none":
        parts.append(f"{reflection.level} at fault: {reflection.issue}" if reflection.issue else "")
    parts.append(f"next: {reflection.next}" if reflection.next else "")
    return "; ".join(part for part in parts if part)


def _no_plan(failed: CallResult[Any], observation: str) -> WorkflowResult:
    return WorkflowResult(
        draft=None, observation=observation, problem=failed.problem, unanswered=failed.unanswered
    )
