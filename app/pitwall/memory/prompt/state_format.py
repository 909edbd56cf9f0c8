"""The state of a prompt, in words: what holds now, from plain data (SPEC §2).

Each function gives the text of one call's last message. What was read from the screen, and what models
wrote earlier, stands in quotes; the most important comes first, for a state too long is cut at its end. A
reactive call begins with the fields: where they are as they were, they are not read again (prefix cache).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure, Reason, Signals
from pitwall.memory.value_format import field_lines, format_changes, quoted
from pitwall.models.replies.reply_object import clean

_LONG, _SHORT = 700, 80
MOST_LEFT = 12
"""Actions that a prompt tells as left to try (choice)."""
_IN_FULL, _REACT_IN_FULL = 2, 1
"""Recent steps of which a prompt tells what they changed, a plan's and a reactive one's (choice): what holds
now stands among the fields, and a prompt must be read in a moment."""
_EFFECTS = {
    Effect.CONFIRMED: "took effect",
    Effect.UNVERIFIED: "no effect seen",
    Effect.NONE: "nothing was sent",
}


class Step(Protocol):
    """A recent step; `engine.control.planner.PastStep` is one."""

    @property
    def step(self) -> int: ...
    @property
    def action(self) -> SemanticAction: ...
    @property
    def effect(self) -> Effect: ...
    @property
    def progressed(self) -> bool: ...
    @property
    def changed(self) -> Mapping[str, tuple[Value, Value]]: ...
    @property
    def problem(self) -> str: ...


class FailedStep(Protocol):
    """A line of the failure trace; `engine.control.failure.FailureNote` is one."""

    @property
    def step(self) -> int: ...
    @property
    def action(self) -> str: ...
    @property
    def skill(self) -> str: ...
    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What every call is told.

    Attributes:
        values: the observation's fields. units: of the fields that have one.
        steps: the recent steps, newest last; the caller keeps to its window.
        instruction: what to do, where it is not in the prompt's protocol already.
        hints: what memory has to say, best first.
        notes: lines of the global memory, in quotes already, newest first.
        image: a picture of the screen stands before the text.
    """

    status: GameStatus
    values: Mapping[str, Value]
    units: Mapping[str, str] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    steps: Sequence[Step] = ()
    instruction: str = ""
    hints: Sequence[str] = ()
    notes: Sequence[str] = ()
    image: bool = False


# ---- SPIKE's strategic workflow and its reactive controller


def describe_state(scene: Scene) -> str:
    """For information collection: a description of the screen."""
    return _text(_head(scene), _fields(scene), _recent(scene))


def infer_state(scene: Scene, *, description: str = "", proposal: Proposal | None = None) -> str:
    """For task inference: what the task needs next."""
    return _text(
        _head(scene),
        _seen(description),
        _fields(scene),
        _plan_in_force(proposal),
        _recent(scene),
        _notes(scene),
    )


def reflect_state(
    scene: Scene,
    *,
    proposal: Proposal | None,
    trace: Sequence[FailedStep] = (),
    reasons: Sequence[Reason] = (),
    description: str = "",
) -> str:
    """For self reflection: did the last action take effect, why not, what next."""
    return _text(
        _head(scene, reasons),
        _last_action(scene),
        _plan_in_force(proposal),
        _failures(trace),
        _seen(description),
        _fields(scene),
        _recent(scene),
    )


def plan_state(
    scene: Scene,
    *,
    reasons: Sequence[Reason],
    proposal: Proposal | None = None,
    trace: Sequence[FailedStep] = (),
    flush: bool = False,
    description: str = "",
    inference: str = "",
    reflection: str = "",
    modules: Sequence[str] = (),
    left: Sequence[str] = (),
) -> str:
    """For a plan.

    Args:
        proposal: the one being carried out or just over, None for none.
        trace: what failed: negative evidence.
        flush: F3: plan from the top. Recent steps and the old plan are left out.
        description, inference, reflection: what earlier calls of this plan gave, empty for none.
        modules: that can be started. left: actions that can be tried. Both only where nothing better is told.
    """
    afresh = ["Earlier plans misled the agent and are forgotten. Plan from the top."] if flush else []
    return _text(
        _head(scene, reasons),
        afresh,
        _said("Inferred", inference),
        _said("Reflection", reflection),
        _failures(trace),
        [] if flush else _plan_in_force(proposal),
        _seen(description),
        _fields(scene),
        [] if flush else _recent(scene),
        _notes(scene),
        _hints(scene),
        [f"Modules that can drive now: {', '.join(modules)}"] if modules else [],
        _left_to_try(left),
    )


def react_state(
    scene: Scene,
    *,
    proposal: Proposal | None,
    candidate: int = 0,
    last_effect: Effect | None = None,
    override: bool = True,
    left: Sequence[str] = (),
) -> str:
    """For one action.

    Args:
        candidate: which of the proposal's candidates is next in turn.
        override: the plan may be corrected locally; else only its candidates may be chosen.
        left: actions that can be tried, where nothing better is told.
    """
    lines = _plan_in_force(proposal)
    if proposal is not None and proposal.candidates:
        upcoming = proposal.candidates[candidate % len(proposal.candidates)]
        lines.append(f"- next in turn: {upcoming}")
    if proposal is not None and not override:
        lines.append("- choose one of the candidates, or escalate")
    if last_effect is not None:
        lines.append(f"- the last action: {_EFFECTS[last_effect]}")
    recent = _recent(scene, in_full=_REACT_IN_FULL)
    return _text(
        _head(scene), _fields(scene), lines, recent, _notes(scene), _hints(scene), _left_to_try(left)
    )


def left_in_turn(
    names: Sequence[str], steps: Sequence[Step], turn: int, most: int = MOST_LEFT
) -> tuple[str, ...]:
    """Actions that can be tried, what is next in turn first. What just had no effect, whatever its
    arguments were, is left out, unless that is all there is.

    Args:
        names: of those that can be done by their name alone. steps: the recent ones.
    """
    turned = [*names[turn % len(names) :], *names[: turn % len(names)]] if names else []
    tried = {one.action.name for one in steps if one.effect is Effect.UNVERIFIED}
    return tuple([name for name in turned if name not in tried] or turned)[:most]


# ---- GameSense's stages


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTask:
    """A task of the GameSense workflow and what became of it.

    Attributes:
        outcome: the task reflection in words.
    """

    goal: str
    actions: Sequence[str] = ()
    done: bool = False
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """What procedural memory knows of an action: how it was written and what that taught."""

    action: str
    written: str
    worked: bool
    lesson: str


def screen_state(scene: Scene) -> str:
    """For the screen analysis."""
    return _text(_head(scene), _fields(scene), _recent(scene))


def task_reflection_state(scene: Scene, task: PastTask, *, before: str = "", after: str = "") -> str:
    """For the reflection on the previous task. before, after: the screen analyses around it."""
    return _text(
        _head(scene),
        _task("The previous task", task),
        _said("Screen before it", before),
        _said("Screen now", after),
        _fields(scene),
        _recent(scene),
    )


def history_state(tasks: Sequence[PastTask], *, most: int = 10) -> str:
    """For the summary of the last tasks."""
    lines = ["The last tasks, newest last:"]
    for task in tasks[-most:]:
        end = "done" if task.done else "not done"
        lines.append(f"- {quoted(task.goal)}: {end}{_because(task.outcome)}")
    return _text(lines)


def action_reflection_state(scene: Scene, task: PastTask) -> str:
    """For the reflection on how the actions were designed."""
    return _text(_head(scene), _task("Their task", task), _recent(scene))


def task_plan_state(
    scene: Scene, *, analysis: str, reflection: str = "", history: str = "", reasons: Sequence[Reason] = ()
) -> str:
    """For the task plan: episodic memory is passed on directly."""
    return _text(
        _head(scene, reasons),
        _said("Screen", analysis),
        _said("The previous task", reflection),
        _said("Earlier tasks", history),
        _fields(scene),
        _notes(scene),
        _hints(scene),
    )


def action_plan_state(scene: Scene, *, goal: str, needs: str = "", analysis: str = "") -> str:
    """For the action plan."""
    return _text(
        _head(scene), _said("Task", goal), _said("It needs", needs), _said("Screen", analysis), _fields(scene)
    )


def construct_state(
    scene: Scene, *, goal: str, planned: Sequence[tuple[str, str]], procedures: Sequence[Procedure] = ()
) -> str:
    """For the construction.

    Args:
        planned: names of the actions with their aims, in order.
        procedures: what procedural memory found by the actions' names.
    """
    lines = ["Actions to write out, in this order:"]
    lines += [f"- {name}: {quoted(aim)}" for name, aim in planned]
    known = ["How they went before:"] if procedures else []
    for one in procedures:
        end = "worked" if one.worked else "did not work"
        known.append(f"- {one.written}: {end}{_because(one.lesson)}")
    return _text(_head(scene), _said("Task", goal), lines, known, _fields(scene))


# ---- after the run


def summary_state(facts: str, *, instruction: str = "") -> str:
    """For an episode summary. facts: the one that rules wrote."""
    return _text(_said("Task", instruction), ["What the log says:", f"- {quoted(facts, _LONG)}"])


# ---- parts


def _text(*parts: Sequence[str]) -> str:
    return "".join(f"{line}\n" for part in parts for line in part)


def _head(scene: Scene, reasons: Sequence[Reason] = ()) -> list[str]:
    lines = [f"State ({scene.status.value}):"]
    if scene.image:
        lines.append("- the picture shows the screen as it is now")
    if scene.instruction:
        lines.append(f"- the operator's task: {clean(scene.instruction, _LONG)}")
    signals = scene.signals
    if reasons:
        lines.append(f"- you are asked because: {'; '.join(_reason(one, signals) for one in reasons)}")
    if signals.failure is not Failure.NONE:
        lines.append(f"- failure level {int(signals.failure)} of 3")
    return lines


def _reason(reason: Reason, signals: Signals) -> str:
    match reason:
        case Reason.REFRESH:
            return f"{signals.since_strategic} steps were taken since the last plan"
        case Reason.SCENE:
            return f"the screen changed at once (by {signals.change:.2f} of 2)"
        case Reason.STALL:
            return f"no progress for {signals.stall} steps"
        case Reason.LOOP:
            return f"the same action {signals.repetition} times without progress"
        case Reason.FAILURE:
            return f"failures reached level {int(signals.failure)} of 3"
        case Reason.REQUESTED:
            return "the fast controller asked for a plan"
    return str(reason)


def _fields(scene: Scene) -> list[str]:
    lines = field_lines(scene.values, scene.units)
    return ["Fields:", *lines] if lines else []


def _plan_in_force(proposal: Proposal | None) -> list[str]:
    if proposal is None:
        return ["Plan: none"]
    lines = ["Plan in force:", f"- subgoal: {quoted(proposal.subgoal)}"]
    if proposal.skill:
        lines.append(f"- follows the skill {quoted(proposal.skill, _SHORT)}")
    elif proposal.situation:
        lines.append(f"- made for: {quoted(proposal.situation)}")
    if proposal.module:
        lines.append(f"- module {proposal.module} drives")
    if proposal.candidates:
        lines.append(f"- candidates: {', '.join(str(one) for one in proposal.candidates)}")
    if proposal.stop:
        lines.append(f"- stops when {proposal.stop}")
    return lines


def _recent(scene: Scene, *, in_full: int = _IN_FULL) -> list[str]:
    """The recent steps, equal ones in one line.

    Args:
        in_full: so many of the newest tell what they changed, in a line of their own.
    """
    briefly = max(0, len(scene.steps) - in_full)
    told = [(one.step, _step(one, scene.units, briefly=True)) for one in scene.steps[:briefly]]
    lines = []
    for text, alike in groupby(told, key=lambda one: one[1]):
        numbers = [number for number, _ in alike]
        lines.append(f"- {_steps(numbers)}: {text}")
    lines += [f"- step {one.step}: {_step(one, scene.units)}" for one in scene.steps[briefly:]]
    return ["Recent steps, newest last:", *lines] if lines else []


def _steps(numbers: Sequence[int]) -> str:
    """Of steps with one text, oldest first."""
    return f"step {numbers[0]}" if len(numbers) == 1 else f"steps {numbers[0]} to {numbers[-1]}"


def _step(step: Step, units: Mapping[str, str], *, briefly: bool = False) -> str:
    parts = [f"{step.action}: {_EFFECTS[step.effect]}"]
    changed = "" if briefly else format_changes(step.changed, units)
    if changed:
        parts.append(changed)
    if step.progressed:
        parts.append("progress")
    if step.problem:
        parts.append(quoted(step.problem))
    return "; ".join(parts)


def _last_action(scene: Scene) -> list[str]:
    if not scene.steps:
        return ["Last action: none"]
    return [f"Last action: {_step(scene.steps[-1], scene.units)}"]


def _failures(trace: Sequence[FailedStep]) -> list[str]:
    """What failed; the same failure again and again in one line."""
    if not trace:
        return []
    steps: dict[tuple[str, str, str], list[int]] = {}
    for one in trace:
        steps.setdefault((one.skill, one.action, one.problem), []).append(one.step)
    lines = ["What failed (do not repeat it as it was):"]
    for (skill, action, problem), numbers in steps.items():
        at = f"step{'' if len(numbers) == 1 else 's'} {', '.join(str(number) for number in numbers)}"
        of = f"{quoted(skill, _SHORT)}: " if skill else ""
        lines.append(f"- {at}: {of}{action or 'the plan'}: {quoted(problem)}")
    return lines


def _seen(description: str) -> list[str]:
    return _said("Screen", description)


def _said(label: str, text: str) -> list[str]:
    return [f"{label}: {quoted(text, _LONG)}"] if text else []


def _hints(scene: Scene) -> list[str]:
    lines = [f"- {quoted(hint)}" for hint in scene.hints]
    return ["Memory, best first:", *lines] if lines else []


def _notes(scene: Scene) -> list[str]:
    lines = [f"- {note}" for note in scene.notes]
    return ["Known from before, newest first:", *lines] if lines else []


def _left_to_try(names: Sequence[str]) -> list[str]:
    return [f"Left to try: {', '.join(names)}"] if names else []


def _task(label: str, task: PastTask) -> list[str]:
    lines = [f"{label}: {quoted(task.goal)}"]
    lines += [f"- {action}" for action in task.actions]
    return lines


def _because(text: str) -> str:
    return f", {quoted(text)}" if text else ""
