"""The reward function's contract (SPEC §8): its arguments, and the answers that it may give.

    def reward(prev_state, next_state, action_idx, done, action_history, action_state_changes,
               episode_start_time, step_time, step):
        return 0.1

States are dicts of field values (None where a field was not read), including `status`.
It returns a finite number, or a dict of named finite numbers that are summed and shown in the analysis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pitwall.core.observations import Value

PARAMETERS = (
    "prev_state",
    "next_state",
    "action_idx",
    "done",
    "action_history",
    "action_state_changes",
    "episode_start_time",
    "step_time",
    "step",
)
RECENT = 8
"""Number of past actions, with their changes, that a reward function receives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardCall:
    """One transition.

    Attributes:
        action_history: indices of the last RECENT actions, this one last.
        action_state_changes: the changes of each of them: numeric field → difference.
        episode_start_time, step_time: seconds on one clock. step: decisions of the episode so far, from 1.
    """

    prev_state: Mapping[str, Value]
    next_state: Mapping[str, Value]
    action_idx: int
    done: bool
    action_history: tuple[int, ...] = ()
    action_state_changes: tuple[Mapping[str, float], ...] = ()
    episode_start_time: float = 0.0
    step_time: float = 0.0
    step: int = 1


@dataclass(frozen=True, slots=True)
class Reward:
    """The answer of a reward function.

    Attributes:
        total: the reward. parts: by name, empty where the answer was a number.
    """

    total: float
    parts: Mapping[str, float]


def changes(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, float]:
    """Return the changes between two states: numeric field → difference, if both were read and differ."""
    differences: dict[str, float] = {}
    for name, value in after.items():
        old = before.get(name)
        if _number(old) and _number(value) and value != old:
            assert isinstance(old, int | float)
            assert isinstance(value, int | float)
            differences[name] = value - old
    return differences


def _number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
