"""Judges one run of a task from the game's true states as they come (SPEC §6). No input or output here."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal

from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.games.schema.profile import Task
from pitwall_bench.suites.results import EndReason
from pitwall_evaluation.truth.state import TrueState, score, value_at

Move = Literal["on", "reset", "over"]
BEFORE_PLAY = frozenset({GameStatus.LOADING, GameStatus.MENU})
"""Statuses in which nothing is scored: their values may belong to another play."""


def progress_of(best: float, start: float, target: float) -> float:
    """Return clip((best − start) / (target − start), 0, 1), of SPEC §6; the target exceeds the start."""
    return min(max((best - start) / (target - start), 0.0), 1.0)


def reached(value: float, target: float) -> bool:
    """Return whether a score is at its target, allowing for rounding in sums of fractions."""
    return value >= target or math.isclose(value, target, rel_tol=1e-9)


class TaskWatch:
    """Follows a run from its first decision on: its best score, its resets, and its end.

    Args:
        task: with its target and its own bounds.
        steps: bound of steps; None: the task's. seconds: bound besides the task's; the smaller counts.
        unsaid: paths that the truth may not have reported yet: a log has no line of them before the event.

    Attributes:
        start: of the score; None before the first state with it ("first").
        score: from the newest state; best: the highest so far, over all resets; None before.
        resets: how often the game was restarted after a terminal failure.
        ended, why: None while it continues.
    """

    def __init__(
        self,
        task: Task,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        unsaid: Collection[str] = (),
    ) -> None:
        self._task = task
        self._unsaid = frozenset(unsaid)
        self.steps_cap = task.steps if steps is None else steps
        bounds = [bound for bound in (task.seconds, seconds) if bound is not None]
        self.seconds_cap = min(bounds) if bounds else None
        self.start = None if task.start == "first" else float(task.start)
        self.score: float | None = None
        self.best: float | None = None
        self.steps = 0
        self.resets = 0
        self.success = False
        self.ended: EndReason | None = None
        self.why = ""
        self._down = False
        self._standing: float | None = None

    @property
    def progress(self) -> float:
        """Return the progress, 0 … 1; 0 while nothing was scored."""
        if self.best is None or self.start is None or self.start >= self._task.target:
            return 0.0
        return progress_of(self.best, self.start, self._task.target)

    @property
    def down(self) -> bool:
        """Return whether the game has failed and was not restarted yet."""
        return self._down

    def take(self, state: TrueState) -> Move:
        """Take in a state of the run, in order of time.

        Returns:
            over: with `ended` and `why`. reset: the game failed and must be restarted (returned once per
                failure).
        """
        if self.ended is not None:
            return "over"
        if state.status in BEFORE_PLAY:
            return "on"
        try:
            return self._judge(state)
        except PitwallError as error:
            return self._over("truth", str(error))

    def stepped(self, steps: int) -> Move:
        """Record the number of steps so far. The budget ends the run; the effect of its last step counts."""
        self.steps = max(self.steps, steps)
        return "over" if self.ended is not None else "on"

    def close(self, *, seconds: float, ended_by: str = "") -> None:
        """Record that no more states come; the budget ended the run unless something else did before.

        Args:
            seconds: of play. ended_by: the budget that the agent's own figures name.
        """
        if self.ended is None:
            self._count(self._standing)
        if self.ended is not None:
            return
        if self.steps >= self.steps_cap:
            self._over("steps", f"{self.steps} of {self.steps_cap} steps were used up")
        elif ended_by == "calls":
            self._over("calls", "its budget of calls was used up")
        elif ended_by == "tokens":
            self._over("tokens", "its budget of tokens was used up")
        elif self.seconds_cap is not None and seconds >= self.seconds_cap:
            self._over("time", f"{self.seconds_cap:g} s were over")

    def late(self, seconds: float) -> bool:
        """Return whether the run's time is up after this many seconds of play."""
        return self.seconds_cap is not None and seconds >= self.seconds_cap

    def _judge(self, state: TrueState) -> Move:
        terminal = state.terminal.is_terminal or state.status is GameStatus.TERMINAL
        if self._down and not terminal:
            self._down = False
            self.resets += 1
        if self._task.standing:
            self._standing = score(state, self._task.standing)
        self._count(self._sum(state))
        if self.ended is not None:
            return "over"
        if self._task.end and self._is_true(state, self._task.end):
            return self._over("end_field", f"{self._task.end} says that it is over")
        return self._failed(state) if terminal and not self._down else "on"

    def _count(self, value: float | None) -> None:
        """Record a score: as the start if it is the first, as the best if it is."""
        if value is None:
            return
        self.start = value if self.start is None else self.start
        first, self.score = self.best is None, value
        self.best = value if self.best is None else max(self.best, value)
        if self.start >= self._task.target:
            self._over("truth", self._nothing(f"starts at {self.start:g}"))
        elif reached(self.best, self._task.target):
            if first and self.steps == 0:
                self._over("truth", self._nothing(f"stood at {value:g} before the first step"))
            else:
                self.success = True
                self._over("target", f"{self._name()} reached {value:g} of {self._task.target:g}")

    def _nothing(self, stood: str) -> str:
        return f"there is nothing to reach: {self._name()} {stood}, and the target is {self._task.target:g}."

    def _name(self) -> str:
        return " + ".join(self._task.scores)

    def _failed(self, state: TrueState) -> Move:
        outcome = state.terminal.reason or state.terminal.outcome or ""
        message = f"the game was over{f': {outcome}' if outcome else ''}"
        if state.terminal.outcome == "win" or not self._task.continue_on_fail:
            return self._over("terminal", message)
        self._down = True
        return "reset"

    def _sum(self, state: TrueState) -> float | None:
        """Return the score; None while a part of it is missing."""
        total = 0.0
        for path in self._task.scores:
            if self._silent(state, path):
                return None
            total += score(state, path)
        return total

    def _silent(self, state: TrueState, path: str) -> bool:
        if path not in self._unsaid:
            return False
        try:
            value_at(state, path)
        except PitwallError:
            return True
        return False

    def _is_true(self, state: TrueState, path: str) -> bool:
        if self._silent(state, path):
            return False
        value = value_at(state, path)
        if not isinstance(value, bool | int | float):
            raise PitwallError(f"{path!r} of the true state is {value!r}, neither true nor false.")
        return bool(value)

    def _over(self, ended: EndReason, why: str) -> Move:
        self.ended, self.why = ended, why
        return "over"
