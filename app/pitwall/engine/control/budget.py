"""Counts what a run may spend: model calls, steps, tokens (SPEC §2)."""

from __future__ import annotations

from pitwall.core.calls import CallTokens
from pitwall.core.observations import GameStatus
from pitwall.core.runs import CALL_BUDGET, Difficulty
from pitwall.core.telemetry import Budgets


class Budget:
    """Counts what a run spends.

    Every completion counts as one call, retries and reflections too; rules, encoders and the skill
    planner do not. Requests to the strategic controller are counted separately.

    Args:
        difficulty: decides how many calls a planner may make; used up, they only silence it.
        steps_cap, tokens_cap: bounds that end the run; None for none.
        calls_cap: the same, in the place of the difficulty's budget.
        until_over: the run ends when the game that was played is over.

    Attributes:
        calls, steps: completions asked for, steps taken.
        strategic_calls: answers of the strategic controller, whatever completions each took.
        plans_dropped: strategic answers that came too late for the scene.
        ended_by: what ends the run: steps, calls, tokens or the game; empty while nothing does.
    """

    def __init__(
        self,
        difficulty: Difficulty,
        *,
        steps_cap: int | None = None,
        calls_cap: int | None = None,
        tokens_cap: int | None = None,
        until_over: bool = False,
    ) -> None:
        self.calls = 0
        self.calls_cap = CALL_BUDGET[difficulty] if calls_cap is None else calls_cap
        self._calls_end = calls_cap is not None
        self.tokens_cap = tokens_cap
        self._until_over, self._played = until_over, False
        self.ended_by = ""
        self.steps = 0
        self.steps_cap = steps_cap
        self.strategic_calls = 0
        self.plans_dropped = 0
        self.tokens = CallTokens()

    @property
    def calls_exhausted(self) -> bool:
        return self.calls >= self.calls_cap

    def step_over(self, status: GameStatus = GameStatus.PLAYING, *, waiting: bool = False) -> None:
        """Count a finished step, and note the bound that it reached.

        Args:
            status: the game's after the step.
            waiting: a call is not answered or its answer not used yet: the calls do not end the run before.
        """
        self.steps += 1
        spent = self.tokens.fresh + self.tokens.cached + self.tokens.output
        reached = {
            "steps": self.steps_cap is not None and self.steps >= self.steps_cap,
            "calls": self._calls_end and self.calls_exhausted and not waiting,
            "tokens": self.tokens_cap is not None and spent >= self.tokens_cap,
            "game": self._until_over and self._played and status is GameStatus.TERMINAL,
        }
        self._played = self._played or status is GameStatus.PLAYING
        self.ended_by = self.ended_by or next((name for name, is_over in reached.items() if is_over), "")

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
