"""Parts of the description of a state, which each kind of call combines in its own order.

Texts from the screen and from earlier model replies are in quotes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import BY_REASON, Failure, Reason, Signals
from pitwall.memory.value_format import field_lines, format_changes, quoted
from pitwall.models.replies.reply_object import clean

LONG = 700
_SHORT = 80
_IN_FULL = 2
"""Number of recent steps whose changes a plan's prompt describes (choice). The fields contain the current
values, and a prompt must be read quickly."""
EFFECTS = {
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
    """The scene that every call describes.

    Attributes:
        values: the observation's fields. units: units of the fields that have one. lengths: characters of
            texts, where more or fewer than usual are shown.
        steps: the recent steps, newest last, already limited by the caller.
        instruction: the task, if the prompt's protocol does not contain it.
        hints: the memory's hints, best first.
        notes: lines of the global memory, already in quotes, newest first.
        image: a picture of the screen precedes the text.
        picture: its width and height in px; (0, 0): unknown.
    """

    status: GameStatus
    values: Mapping[str, Value]
    units: Mapping[str, str] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    steps: Sequence[Step] = ()
    instruction: str = ""
    hints: Sequence[str] = ()
    notes: Sequence[str] = ()
    image: bool = False
    picture: tuple[int, int] = (0, 0)


def joined(*parts: Sequence[str]) -> str:
    """Join the lines of several parts."""
    return "".join(f"{line}\n" for part in parts for line in part)


def head_lines(scene: Scene, reasons: Sequence[Reason] = ()) -> list[str]:
    """Return the game's status, the task and the reasons for this call."""
    lines = [f"State ({scene.status.value}):"]
    if scene.image:
        size = "{} x {} px, ".format(*scene.picture) if all(scene.picture) else ""
        lines.append(f"- the picture ({size}x from the left, y from the top) shows the screen as it is now")
    if scene.instruction:
        lines.append(f"- the operator's task: {clean(scene.instruction, LONG)}")
    signals = scene.signals
    if reasons:
        lines.append(f"- you are asked because: {'; '.join(_reason(reason, signals) for reason in reasons)}")
    if signals.failure is not Failure.NONE:
        lines.append(f"- failure level {int(signals.failure)} of 3")
    return lines


def _reason(reason: Reason, signals: Signals) -> str:
    if signal := BY_REASON.get(reason):
        return signal.prompt.format(getattr(signals, signal.name))
    return "the fast controller asked for a plan" if reason is Reason.REQUESTED else str(reason)


def field_section(scene: Scene) -> list[str]:
    """List the fields with their values and units."""
    lines = field_lines(scene.values, scene.units, scene.lengths)
    return ["Fields:", *lines] if lines else []


def plan_lines(proposal: Proposal | None) -> list[str]:
    """Describe the active plan."""
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
        lines.append(f"- candidates: {', '.join(str(candidate) for candidate in proposal.candidates)}")
    if proposal.stop:
        lines.append(f"- stops when {proposal.stop}")
    return lines


def recent_lines(scene: Scene, *, in_full: int = _IN_FULL) -> list[str]:
    """Return lines about the recent steps; equal steps share a line.

    Args:
        in_full: number of the newest steps that get a line of their own with their changes.
    """
    briefly = max(0, len(scene.steps) - in_full)
    lines_of_steps = [(step.step, _step(step, scene.units, briefly=True)) for step in scene.steps[:briefly]]
    lines = []
    for text, alike in groupby(lines_of_steps, key=lambda line: line[1]):
        numbers = [number for number, _ in alike]
        steps = f"step {numbers[0]}" if len(numbers) == 1 else f"steps {numbers[0]} to {numbers[-1]}"
        lines.append(f"- {steps}: {text}")
    lines += [f"- step {step.step}: {_step(step, scene.units)}" for step in scene.steps[briefly:]]
    return ["Recent steps, newest last:", *lines] if lines else []


def _step(step: Step, units: Mapping[str, str], *, briefly: bool = False) -> str:
    parts = [f"{step.action}: {EFFECTS[step.effect]}"]
    changed = "" if briefly else format_changes(step.changed, units)
    if changed:
        parts.append(changed)
    if step.progressed:
        parts.append("progress")
    if step.problem:
        parts.append(quoted(step.problem))
    return "; ".join(parts)


def last_action_line(scene: Scene) -> list[str]:
    """Say what became of the last action."""
    if not scene.steps:
        return ["Last action: none"]
    return [f"Last action: {_step(scene.steps[-1], scene.units)}"]


def failure_lines(trace: Sequence[FailedStep]) -> list[str]:
    """Return the lines of the failures; the same failure again and again in one line."""
    if not trace:
        return []
    steps: dict[tuple[str, str, str], list[int]] = {}
    for note in trace:
        steps.setdefault((note.skill, note.action, note.problem), []).append(note.step)
    lines = ["What failed (do not repeat it as it was):"]
    for (skill, action, problem), numbers in steps.items():
        at = f"step{'' if len(numbers) == 1 else 's'} {', '.join(str(number) for number in numbers)}"
        of = f"{quoted(skill, _SHORT)}: " if skill else ""
        lines.append(f"- {at}: {of}{action or 'the plan'}: {quoted(problem)}")
    return lines


def screen_line(description: str) -> list[str]:
    """Quote the description of the screen."""
    return quoted_line("Screen", description)


def quoted_line(label: str, text: str) -> list[str]:
    """Quote a text under a label; no line for an empty text."""
    return [f"{label}: {quoted(text, LONG)}"] if text else []


def hint_lines(scene: Scene) -> list[str]:
    """List what memory advises, best first."""
    lines = [f"- {quoted(hint)}" for hint in scene.hints]
    return ["Memory, best first:", *lines] if lines else []


def note_lines(scene: Scene) -> list[str]:
    """List the lines of the global memory."""
    lines = [f"- {note}" for note in scene.notes]
    return ["Known from before, newest first:", *lines] if lines else []


def left_line(names: Sequence[str]) -> list[str]:
    """Name the actions that are left to try."""
    return [f"Left to try: {', '.join(names)}"] if names else []
