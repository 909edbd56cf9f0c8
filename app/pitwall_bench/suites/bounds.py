"""The bounds of one run: the task's, the suite's, and those of its difficulty (SPEC §2)."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.runs import CALL_BUDGET, STEP_CAP, Difficulty
from pitwall.games.schema.profile import Game, Task
from pitwall_bench.suites.spec import Limits

_STEPS_A_CALL = 4
"""Under a budget of calls a run ends at so many steps a call at the latest (choice)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What ends a run; None: no such bound."""

    steps: int
    calls: int | None
    tokens: int | None


def difficulty_of(game: Game, task: Task) -> Difficulty:
    """Return the task's difficulty, else its game's."""
    return task.difficulty or game.profile.game.difficulty


def bounds_of(game: Game, task: Task, limits: Limits) -> Bounds:
    """Return the bounds of a run; the smaller of two bounds holds."""
    difficulty, steps, calls = difficulty_of(game, task), task.steps, limits.calls
    if limits.by_difficulty == "steps":
        steps = min(steps, STEP_CAP[difficulty])
    elif limits.by_difficulty == "calls":
        calls = min(CALL_BUDGET[difficulty], calls or CALL_BUDGET[difficulty])
        steps = _STEPS_A_CALL * calls
    steps = min(steps, limits.steps) if limits.steps is not None else steps
    return Bounds(steps, calls, limits.tokens)
