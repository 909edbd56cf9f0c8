"""Describes the current state for a prompt, from plain data (SPEC §2).

Each function returns the last message of one kind of call; `gamesense_state` has those of GameSense. The most
important lines come first, because a long state is cut at its end. A reactive call begins with the fields, so
that the model's prefix cache covers those that did not change.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import Effect, Proposal
from pitwall.core.signals import Reason
from pitwall.memory.prompt.state_parts import (
    EFFECTS,
    FailedStep,
    Scene,
    Step,
    failure_lines,
    field_section,
    head_lines,
    hint_lines,
    joined,
    last_action_line,
    left_line,
    note_lines,
    plan_lines,
    quoted_line,
    recent_lines,
    screen_line,
)

MOST_LEFT = 12
"""Most untried actions that a prompt lists (choice)."""
_IN_FULL = 1
"""Number of recent steps whose changes a reactive prompt describes (choice)."""


def describe_state(scene: Scene) -> str:
    """Return the state for information collection: a description of the screen."""
    return joined(head_lines(scene), field_section(scene), recent_lines(scene))


def infer_state(scene: Scene, *, description: str = "", proposal: Proposal | None = None) -> str:
    """Return the state for task inference: what the task needs next."""
    return joined(
        head_lines(scene),
        screen_line(description),
        field_section(scene),
        plan_lines(proposal),
        recent_lines(scene),
        note_lines(scene),
    )


def reflect_state(
    scene: Scene,
    *,
    proposal: Proposal | None,
    trace: Sequence[FailedStep] = (),
    reasons: Sequence[Reason] = (),
    description: str = "",
) -> str:
    """Return the state for self-reflection: whether the last action took effect, why not, what next."""
    return joined(
        head_lines(scene, reasons),
        last_action_line(scene),
        plan_lines(proposal),
        failure_lines(trace),
        screen_line(description),
        field_section(scene),
        recent_lines(scene),
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
    """Return the state for a plan.

    Args:
        proposal: the proposal that is being carried out or has just ended; None for none.
        trace: failures, as negative evidence.
        flush: F3: plan from scratch, without recent steps and the old plan.
        description, inference, reflection: replies of earlier calls for this plan; empty for none.
        modules: modules that can be started. left: actions that can be tried. Both only without better hints.
    """
    afresh = ["Earlier plans misled the agent and are forgotten. Plan from the top."] if flush else []
    return joined(
        head_lines(scene, reasons),
        afresh,
        quoted_line("Inferred", inference),
        quoted_line("Reflection", reflection),
        failure_lines(trace),
        [] if flush else plan_lines(proposal),
        screen_line(description),
        field_section(scene),
        [] if flush else recent_lines(scene),
        note_lines(scene),
        hint_lines(scene),
        [f"Modules that can drive now: {', '.join(modules)}"] if modules else [],
        left_line(left),
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
    """Return the state for one action.

    Args:
        candidate: index of the proposal's next candidate.
        override: the plan may be corrected locally; else only its candidates may be chosen.
        left: actions that can be tried, if nothing better is known.
    """
    lines = plan_lines(proposal)
    if proposal is not None and proposal.candidates:
        upcoming = proposal.candidates[candidate % len(proposal.candidates)]
        lines.append(f"- next in turn: {upcoming}")
    if proposal is not None and not override:
        lines.append("- choose one of the candidates, or escalate")
    if last_effect is not None:
        lines.append(f"- the last action: {EFFECTS[last_effect]}")
    recent = recent_lines(scene, in_full=_IN_FULL)
    return joined(
        head_lines(scene),
        field_section(scene),
        lines,
        recent,
        note_lines(scene),
        hint_lines(scene),
        left_line(left),
    )


def left_in_turn(
    names: Sequence[str], steps: Sequence[Step], turn: int, most: int = MOST_LEFT
) -> tuple[str, ...]:
    """Return the actions that can be tried, the next in turn first.

    Actions that just had no effect, with any arguments, are left out unless no others remain.

    Args:
        names: actions that need no arguments. steps: the recent steps.
    """
    turned = [*names[turn % len(names) :], *names[: turn % len(names)]] if names else []
    tried = {step.action.name for step in steps if step.effect is Effect.UNVERIFIED}
    return tuple([name for name in turned if name not in tried] or turned)[:most]
