"""Counts what a run may spend: model calls and steps (SPEC §2)."""

from __future__ import annotations

from typing import Literal

from pitwall.core.calls import CallTokens
from pitwall.core.telemetry import Budgets

Difficulty = Literal["easy", "medium", "hard"]

CALL_BUDGET: dict[Difficulty, int] = {"easy": 120, "medium": 200, "hard": 600}
STEP_CAP: dict[Difficulty, int] = {"easy": 30, "medium": 50, "hard": 150}
"""Step caps of the source's tasks; play without a task has none."""


class Budget:
    """Counts what a run spends.

    Every completion counts as one call, retries and reflections too; rules, encoders and the skill
    planner do not. Requests to the strategic controller are counted separately.

    Attributes:
        calls, steps: completions asked for, steps taken.
        strategic_calls: answers of the strategic controller, whatever completions each took.
        plans_dropped: strategic answers that came too late for the scene.
    """

    def __init__(self, difficulty: Difficulty, *, steps_cap: int | None = None) -> None:
        self.calls = 0
        self.calls_cap = CALL_BUDGET[difficulty]
        self.steps = 0
        self.steps_cap = steps_cap
        self.strategic_calls = 0
        self.plans_dropped = 0
        self.tokens = CallTokens()

    @property
    def calls_exhausted(self) -> bool:
        return self.calls >= self.calls_cap

    @property
    def steps_exhausted(self) -> bool:
        return self.steps_cap is not None and self.steps >= self.steps_cap

    @property
    def exhausted(self) -> str:
        """Return the limit that is used up, as a sentence for the operator; empty while something is left."""
        if self.steps_exhausted:
            return f"All {self.steps_cap} steps are used."
        if self.calls_exhausted:
            return f"All {self.calls_cap} model calls are used."
        return ""

    def count_tokens(self, tokens: CallTokens) -> None:
        """Add a completion's tokens."""
        self.tokens = CallTokens(
            prompt=self.tokens.prompt + tokens.prompt,
            cached=self.tokens.cached + tokens.cached,
            output=self.tokens.output + tokens.output,
        )

    def report(self) -> Budgets:
        return Budgets(
            calls=self.calls,
            calls_cap=self.calls_cap,
            steps=self.steps,
            steps_cap=self.steps_cap,
            fresh_tokens=self.tokens.fresh,
            cached_tokens=self.tokens.cached,
            output_tokens=self.tokens.output,
            plans_dropped=self.plans_dropped,
        )
