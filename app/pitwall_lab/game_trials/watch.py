"""Judges one run of a trial from the game's true states as they come. No input or output in here."""

from __future__ import annotations

from pitwall.core.observations import GameStatus
from pitwall.evaluation.truth.state import TrueState, score
from pitwall.games.schema.modules import Trial
from pitwall_lab.game_trials.messages import Cause


class TrialWatch:
    """Says when a run of a trial is over, and why.

    A run is one game: it is over as soon as the game says so, so that what is begun after a crash never
    counts. Its score is what the true state says at that moment: a score that can fall again counts as it
    stood at the end.

    Args:
        trial: with the cap that is in force.

    Attributes:
        score: as the newest state says; None while there was none.
        began_s: the caller's clock at the first state in which the game was being played; None before.
    """

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self.score: float | None = None
        self.began_s: float | None = None
        self.over: Cause | None = None
        self.reason = ""

    def take(self, state: TrueState, now_s: float) -> Cause | None:
        """Take in a state; the cause where the run is over with it.

        Raises:
            PitwallError: the true state has no such score.
        """
        if self.over is not None:
            return self.over
        if self.began_s is None:
            if state.status is not GameStatus.PLAYING:
                return None
            self.began_s = now_s
        self.score = score(state, self._trial.score)
        if state.terminal.is_terminal or state.status is GameStatus.TERMINAL:
            self.over = "terminal"
            self.reason = state.terminal.reason or state.terminal.outcome or ""
        elif self._trial.cap is not None and self._reached(self.score, self._trial.cap):
            self.over = "cap"
        return self.over

    def late(self, now_s: float) -> bool:
        """Whether the trial's time is up."""
        return self.began_s is not None and now_s - self.began_s >= self._trial.seconds

    def succeeded(self) -> bool:
        """Whether the score is a success."""
        return self.score is not None and self._reached(self.score, self._trial.success)

    def _reached(self, value: float, wanted: float) -> bool:
        return value >= wanted if self._trial.higher else value <= wanted
