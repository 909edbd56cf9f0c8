"""Transitions for the tests of reward functions, as a training makes them."""

from __future__ import annotations

from itertools import pairwise

from pitwall.core.observations import Value
from pitwall.gsm.reward import PARAMETERS, RECENT, RewardCall, changes

HEAD = f"def reward({', '.join(PARAMETERS)}):\n"
GOOD = (
    HEAD
    + """    if done:
        return {"alive": 0.0, "near": 0.0, "crash": -1.0}
    off = abs(next_state["bird_y"] - next_state["gap_y"])
    return {"alive": 0.1, "near": -0.001 * off}
"""
)


def body(text: str) -> str:
    """A reward function of this body."""
    return HEAD + "\n".join(f"    {line}" for line in text.splitlines()) + "\n"


def calls(count: int = 20) -> list[RewardCall]:
    """An episode of a bird that sinks, its score unread at first."""
    states: list[dict[str, Value]] = [
        {"bird_y": 100.0 + 3 * n, "gap_y": 180.0, "score": None if n < 5 else float(n), "status": "playing"}
        for n in range(count + 1)
    ]
    changed = [changes(one, other) for one, other in pairwise(states)]
    return [
        RewardCall(
            prev_state=states[n],
            next_state=states[n + 1],
            action_idx=n % 2,
            done=n == count - 1,
            action_history=tuple(m % 2 for m in range(max(0, n - RECENT + 1), n + 1)),
            action_state_changes=tuple(changed[max(0, n - RECENT + 1) : n + 1]),
            episode_start_time=10.0,
            step_time=10.0 + n / 30,
            step=n + 1,
        )
        for n in range(count)
    ]
