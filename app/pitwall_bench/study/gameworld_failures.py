"""Labels a failed run with one of GameWorld's four failure modes, by rules over its log.

The first rule that holds gives the label. The thresholds are choices; the report states them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pitwall.core.actions import NO_OP, Effect
from pitwall.core.steps import StepRecord
from pitwall_bench.suites.results import TaskRun

FailureMode = Literal[
    "instruction-following", "long-horizon memory", "perception", "fine-grained action", "none"
]
MODES: tuple[FailureMode, ...] = get_args(FailureMode)
_INVALID, _LOOPED, _IDLE_SHARE, _PROGRESS = 0.1, 0.25, 0.3, 0.25
_LOOP = 3
RULES: dict[FailureMode, str] = {
    "instruction-following": f"at least {_INVALID:.0%} of the proposed actions were invalid",
    "long-horizon memory": f"at least {_LOOPED:.0%} of the steps repeat an action without effect, {_LOOP} "
    "times or more in a row",
    "perception": f"at least {_IDLE_SHARE:.0%} of the presses had no effect on the screen",
    "fine-grained action": f"a terminal failure, or at least {_PROGRESS:.0%} of the way: the right kind of "
    "action at the wrong moment, place or length",
    "none": "no rule holds: mostly the budget was too short",
}


def failure_mode(run: TaskRun, steps: Sequence[StepRecord]) -> FailureMode | None:
    """Return the label of a failed run; None for a success or a run that was not played."""
    if run.success or not run.played:
        return None
    if run.proposed and sum(run.invalid.values()) / run.proposed >= _INVALID:
        return "instruction-following"
    if steps and looped(steps) / len(steps) >= _LOOPED:
        return "long-horizon memory"
    pressed = [step for step in steps if step.action != NO_OP and step.sent]
    if pressed and sum(step.effect is Effect.NONE for step in pressed) / len(pressed) >= _IDLE_SHARE:
        return "perception"
    if run.resets or run.ended == "terminal" or (run.progress or 0.0) >= _PROGRESS:
        return "fine-grained action"
    return "none"


def looped(steps: Sequence[StepRecord]) -> int:
    """Return the number of steps that repeat an action without effect for the third time or more in a row."""
    count = in_row = 0
    last = ""
    for step in steps:
        same = str(step.action) == last and step.effect is Effect.NONE
        in_row = in_row + 1 if same else int(step.effect is Effect.NONE)
        last = str(step.action)
        count += in_row >= _LOOP
    return count
