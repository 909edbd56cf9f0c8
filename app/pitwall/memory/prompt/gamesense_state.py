"""The state of a prompt, in words, for the stages of GameSense's workflow (SPEC §2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pitwall.core.signals import Reason
from pitwall.memory.prompt.state_parts import (
    Scene,
    field_section,
    head_lines,
    hint_lines,
    joined,
    note_lines,
    quoted_line,
    recent_lines,
)
from pitwall.memory.value_format import quoted


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
    """Holds the procedural memory of an action: how it was written and what that taught."""

    action: str
    written: str
    worked: bool
    lesson: str


def screen_state(scene: Scene) -> str:
    """Return the state for the screen analysis."""
    return joined(head_lines(scene), field_section(scene), recent_lines(scene))


def task_reflection_state(scene: Scene, task: PastTask, *, before: str = "", after: str = "") -> str:
    """Return the state for the reflection on the previous task.

    before, after: the screen analyses around it.
    """
    return joined(
        head_lines(scene),
        _task("The previous task", task),
        quoted_line("Screen before it", before),
        quoted_line("Screen now", after),
        field_section(scene),
        recent_lines(scene),
    )


def history_state(tasks: Sequence[PastTask], *, most: int = 10) -> str:
    """Return the state for the summary of the last tasks."""
    lines = ["The last tasks, newest last:"]
    for task in tasks[-most:]:
        end = "done" if task.done else "not done"
        lines.append(f"- {quoted(task.goal)}: {end}{_because(task.outcome)}")
    return joined(lines)


def action_reflection_state(scene: Scene, task: PastTask) -> str:
    """Return the state for the reflection on the design of the actions."""
    return joined(head_lines(scene), _task("Their task", task), recent_lines(scene))


def task_plan_state(
    scene: Scene, *, analysis: str, reflection: str = "", history: str = "", reasons: Sequence[Reason] = ()
) -> str:
    """Return the state for the task plan, which receives episodic memory directly."""
    return joined(
        head_lines(scene, reasons),
        quoted_line("Screen", analysis),
        quoted_line("The previous task", reflection),
        quoted_line("Earlier tasks", history),
        field_section(scene),
        note_lines(scene),
        hint_lines(scene),
    )


def action_plan_state(scene: Scene, *, goal: str, needs: str = "", analysis: str = "") -> str:
    """Return the state for the action plan."""
    return joined(
        head_lines(scene),
        quoted_line("Task", goal),
        quoted_line("It needs", needs),
        quoted_line("Screen", analysis),
        field_section(scene),
    )


def construct_state(
    scene: Scene, *, goal: str, planned: Sequence[tuple[str, str]], procedures: Sequence[Procedure] = ()
) -> str:
    """Return the state for the construction of actions.

    Args:
        planned: names of the actions with their aims, in order.
        procedures: procedures that memory holds for these actions.
    """
    lines = ["Actions to write out, in this order:"]
    lines += [f"- {name}: {quoted(aim)}" for name, aim in planned]
    known = ["How they went before:"] if procedures else []
    for procedure in procedures:
        end = "worked" if procedure.worked else "did not work"
        known.append(f"- {procedure.written}: {end}{_because(procedure.lesson)}")
    return joined(head_lines(scene), quoted_line("Task", goal), lines, known, field_section(scene))


def _task(label: str, task: PastTask) -> list[str]:
    lines = [f"{label}: {quoted(task.goal)}"]
    lines += [f"- {action}" for action in task.actions]
    return lines


def _because(text: str) -> str:
    return f", {quoted(text)}" if text else ""
