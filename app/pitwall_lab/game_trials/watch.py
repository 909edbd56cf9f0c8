"""Judges one run of a trial from the game's true states. No input or output."""

from __future__ import annotations

from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.games.schema.modules import Trial
from pitwall_evaluation.truth.state import TrueState, score
from pitwall_lab.game_trials.messages import Cause


class TrialWatch:
    """Decides when a run of a trial is over, and why.

    A run is one game: it is over as soon as the game says so, so a game begun after a crash never counts. Its
    score is
    that of the true state at this moment; a score that can fall again counts as it was at the end.

    Args:
        trial: with the cap in force.
        unread: paths of the true state that may be missing until they are first read.
        midway: the game may be in the middle of an earlier play, which does not count.
        gained: the score counts from its first value, because the game shows no end.

    Attributes:
        score: of the newest state; None before the first.
        began_s: the caller's clock at the first state in which the game was being played; None before.
    """

    def __init__(
        self,
        trial: Trial,
        *,
        unread: frozenset[str] = frozenset(),
        midway: bool = False,
        gained: bool = False,
    ) -> None:
        self._trial = trial
        self._unread = unread
        self._midway = midway
        self._gained = gained
        self._first: float | None = None
        self.score: float | None = None
        self.began_s: float | None = None
        self.over: Cause | None = None
        self.reason = ""

    def take(self, state: TrueState, now_s: float) -> Cause | None:
        """Process a state; return the cause if it ends the run.

        Raises:
            PitwallError: the true state has no such score.
        """
        if self.over is not None:
            return self.over
        if self.began_s is None:
            if state.status is not GameStatus.PLAYING:
                self._midway = False
                return None
            if self._midway:
                return None
            self.began_s = now_s
        self._read(state)
        if state.terminal.is_terminal or state.status is GameStatus.TERMINAL:
            self.over = "terminal"
            self.reason = state.terminal.reason or state.terminal.outcome or ""
        elif (
            self._trial.cap is not None
            and self.score is not None
            and self._reached(self.score, self._trial.cap)
        ):
            self.over = "cap"
        return self.over

    @property
    def midway(self) -> bool:
        """Return whether an earlier play has not ended yet."""
        return self._midway and self.began_s is None

    def late(self, now_s: float) -> bool:
        """Return whether the trial's time is up."""
        return self.began_s is not None and now_s - self.began_s >= self._trial.seconds

    def succeeded(self) -> bool:
        """Return whether the score is a success."""
        return self.score is not None and self._reached(self.score, self._trial.success)

    def _read(self, state: TrueState) -> None:
        """Take the score; one that was not read yet stays as it was."""
        try:
            value = score(state, self._trial.score)
        except PitwallError:
            if self._trial.score not in self._unread:
                raise
            return
        if self._first is None:
            self._first = value
        self.score = value - self._first if self._gained else value

    def _reached(self, value: float, wanted: float) -> bool:
        return value >= wanted if self._trial.higher else value <= wanted
