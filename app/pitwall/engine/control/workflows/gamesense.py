"""GameSense's strategic workflow: look, reflect, plan a task and its actions, construct these (SPEC §8)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pitwall.core.actions import Effect, Invalid, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.engine.control.legality import legal
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.scene import after_fault, failed_before, scene_of
from pitwall.engine.control.workflows.workflow import (
    CallResult,
    WorkflowContext,
    WorkflowResult,
    WorkflowSteps,
    user_message,
    with_retry,
)
from pitwall.memory.prompt.gamesense_state import (
    PastTask,
    Procedure,
    action_plan_state,
    action_reflection_state,
    construct_state,
    history_state,
    screen_state,
    task_plan_state,
    task_reflection_state,
)
from pitwall.memory.prompt.state_parts import Scene
from pitwall.models.replies.plan import BadReply, PlanDraft, parse_text
from pitwall.models.replies.stages import (
    ActionPlan,
    ActionReflection,
    Construction,
    TaskPlan,
    TaskReflection,
    parse_action_plan,
    parse_action_reflections,
    parse_construction,
    parse_screen,
    parse_task_plan,
    parse_task_reflection,
)

TASKS = 10
"""Last tasks that the summary is made of (SPEC §8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The task that was planned last. before: the screen analysis that it was planned on."""

    goal: str
    actions: tuple[SemanticAction, ...]
    module: str
    before: str

    def past(self, reflection: TaskReflection | None) -> PastTask:
        texts = (f"module {self.module}",) if self.module else tuple(str(one) for one in self.actions)
        if reflection is None:
            return PastTask(goal=self.goal, actions=texts)
        return PastTask(goal=self.goal, actions=texts, done=reflection.done, outcome=_words(reflection))


class GameSenseWorkflow:
    """Seven stages, each a call; a stage with nothing to look back on is left out.

    Episodic memory (the last analysis and reflections) goes into the next prompts as it is. Procedural
    memory knows, by an action's name, how it was last written when its effect was seen, and what a
    reflection taught; it is told to the construction and stands in where that fails. What this run has
    not tried yet it has from earlier runs (`LayerBook.procedures`).
    """

    def __init__(self) -> None:
        self._tasks: deque[PastTask] = deque(maxlen=TASKS)
        self._procedures: dict[str, Procedure] = {}
        self._task: _Task | None = None
        self._analysis = self._lesson = self._history = ""

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]:
        if request.flush:
            self._task = None
            self._analysis = self._lesson = self._history = ""
        self._learn(request)
        yield from self._analyse(request, context)
        found = ""
        if self._task is not None:
            found = yield from self._look_back(request, context, self._task)
            self._task = None
        return (yield from self._plan(request, context, found))

    def not_taken(self) -> None:
        """The last plan was dropped: there is no task to look back on."""
        self._task = None

    def _learn(self, request: PlanRequest) -> None:
        """Keep how each action was written when its effect was seen."""
        for past in request.history:
            if past.effect is Effect.CONFIRMED and not past.problem:
                name, known = past.action.name, self._procedures.get(past.action.name)
                lesson = known.lesson if known is not None else ""
                self._procedures[name] = Procedure(
                    action=name, written=str(past.action), worked=True, lesson=lesson
                )

    def _known(self, context: WorkflowContext) -> dict[str, Procedure]:
        """By an action's name: what this run learnt, else what memory holds."""
        return {**{one.action: one for one in context.book.procedures}, **self._procedures}

    # ---- looking

    def _analyse(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[None]:
        image = context.caller.sees(Purpose.ANALYSE_SCREEN)
        turn = user_message(screen_state(scene_of(request, context, image=image)), image=image)
        told = yield from context.consult(Purpose.ANALYSE_SCREEN, [turn], parse_screen)
        seen = told.value
        self._analysis = f"{seen.screen}: {seen.observation}" if seen is not None else ""

    def _look_back(self, request: PlanRequest, context: WorkflowContext, task: _Task) -> WorkflowSteps[str]:
        """The three reflections. What the first found, as a sentence for the operator.

        Nothing is kept before all three are over: a thought that is dropped looks back anew.
        """
        scene = scene_of(request, context)
        text = task_reflection_state(scene, task.past(None), before=task.before, after=self._analysis)
        told = yield from context.consult(Purpose.REFLECT_TASK, [user_message(text)], parse_task_reflection)
        past = task.past(told.value)
        history = yield from self._sum_up((*self._tasks, past), context)
        lessons = yield from self._judge(scene, task, past, context)
        self._tasks.append(past)
        self._lesson, self._history = past.outcome, history
        self._keep(lessons, task, self._known(context))
        return _sentence(told.value) if told.value is not None else ""

    def _sum_up(self, tasks: Sequence[PastTask], context: WorkflowContext) -> WorkflowSteps[str]:
        """The summary of the last tasks; empty while there is but one."""
        if len(tasks) < 2:
            return ""
        turn = user_message(history_state(tasks, most=TASKS))
        told = yield from context.consult(Purpose.REFLECT_HISTORY, [turn], parse_text)
        return told.value or ""

    def _judge(
        self, scene: Scene, task: _Task, past: PastTask, context: WorkflowContext
    ) -> WorkflowSteps[Sequence[ActionReflection]]:
        """Ask the model what the task's actions taught; a module has no actions to judge."""
        names = tuple(dict.fromkeys(action.name for action in task.actions))
        if not names:
            return ()
        told = yield from context.consult(
            Purpose.REFLECT_ACTIONS,
            [user_message(action_reflection_state(scene, past))],
            lambda reply: parse_action_reflections(reply, names),
            names=names,
        )
        return told.value or ()

    def _keep(
        self, lessons: Sequence[ActionReflection], task: _Task, procedures: Mapping[str, Procedure]
    ) -> None:
        written = {action.name: str(action) for action in task.actions}
        for one in lessons:
            known = procedures.get(one.action)
            self._procedures[one.action] = Procedure(
                action=one.action,
                written=known.written if known is not None else written[one.action],
                worked=(known is not None and known.worked) or one.worked,
                lesson=one.lesson,
            )

    # ---- planning

    def _plan(
        self, request: PlanRequest, context: WorkflowContext, found: str
    ) -> WorkflowSteps[WorkflowResult]:
        task = yield from self._plan_task(request, context)
        if task.value is None:
            return WorkflowResult(draft=None, found=found, problem=task.problem)
        actions = yield from self._plan_actions(request, context, task.value)
        plan, call = actions.value, actions.call
        if plan is None:
            return WorkflowResult(draft=None, found=found, problem=actions.problem)
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
                return WorkflowResult(draft=None, found=found, problem=built.problem)
        self._task = _Task(
            goal=draft.subgoal, actions=draft.actions, module=draft.module, before=self._analysis
        )
        return WorkflowResult(draft=draft, call=call, found=found)

    def _plan_task(
        self, request: PlanRequest, context: WorkflowContext
    ) -> WorkflowSteps[CallResult[TaskPlan]]:
        text = task_plan_state(
            scene_of(request, context),
            analysis=self._analysis,
            reflection="; ".join(part for part in (self._lesson, failed_before(request)) if part),
            history=self._history,
            reasons=request.reasons,
        )

        def ask(fault: str) -> WorkflowSteps[CallResult[TaskPlan]]:
            turn = user_message(after_fault(text, fault))
            return context.consult(
                Purpose.PLAN_TASK, [turn], lambda reply: parse_task_plan(reply, fields=context.fields)
            )

        return (yield from with_retry(ask))

    def _plan_actions(
        self, request: PlanRequest, context: WorkflowContext, task: TaskPlan
    ) -> WorkflowSteps[CallResult[ActionPlan]]:
        text = action_plan_state(
            scene_of(request, context), goal=task.goal, needs=task.needs, analysis=self._analysis
        )
        names = {form.name for form in context.space.forms}

        def ask(fault: str) -> WorkflowSteps[CallResult[ActionPlan]]:
            return context.consult(
                Purpose.PLAN_ACTIONS,
                [user_message(after_fault(text, fault))],
                lambda reply: parse_action_plan(reply, names, modules=context.modules),
                acts=True,
            )

        return (yield from with_retry(ask))

    def _construct(
        self, request: PlanRequest, context: WorkflowContext, task: TaskPlan, plan: ActionPlan
    ) -> WorkflowSteps[CallResult[Construction]]:
        names = tuple(dict.fromkeys(one.action for one in plan.actions))
        known = self._known(context)
        text = construct_state(
            scene_of(request, context),
            goal=task.goal,
            planned=[(one.action, one.aim) for one in plan.actions],
            procedures=[known[name] for name in names if name in known],
        )

        def ask(fault: str) -> WorkflowSteps[CallResult[Construction]]:
            return context.consult(
                Purpose.CONSTRUCT,
                [user_message(after_fault(text, fault))],
                lambda reply: _planned_only(parse_construction(reply, context.space), names),
                names=names,
                acts=True,
            )

        return (yield from with_retry(ask))

    def _built(
        self, draft: PlanDraft, built: CallResult[Construction], plan: ActionPlan, context: WorkflowContext
    ) -> tuple[PlanDraft, int]:
        """The draft with its actions, and the open call that wrote them.

        Where the construction failed, an action is written as procedural memory knows it, or without
        arguments; one that needs some is left out.
        """
        one = built.value
        if one is not None:
            whole = replace(
                draft, actions=one.actions, steps=one.steps, proposed=one.proposed, illegal=one.illegal
            )
            return whole, built.call
        known = self._known(context)
        texts = [
            known[planned.action].written if planned.action in known else planned.action
            for planned in plan.actions
        ]
        actions = tuple(action for action in (legal(text, context.space) for text in texts) if action)
        return replace(draft, actions=actions, proposed=0, illegal=0), 0


def _planned_only(built: Construction, names: Collection[str]) -> Construction:
    """A construction without actions that were not planned: those count as illegal."""
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


def _words(reflection: TaskReflection) -> str:
    parts = [reflection.evidence]
    if reflection.level != "none":
        parts.append(f"{reflection.level} at fault: {reflection.issue}" if reflection.issue else "")
    parts.append(f"next: {reflection.next}" if reflection.next else "")
    return "; ".join(part for part in parts if part)


def _sentence(reflection: TaskReflection) -> str:
    end = "done" if reflection.done else "not done"
    return f"The last task: {end}{f', {reflection.issue}' if reflection.issue else ''}."
