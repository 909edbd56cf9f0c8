"""The game's time between steps: it runs on, or is held still (SPEC §2, §5)."""

from __future__ import annotations

from pitwall.core.actions import ResolvedAction
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.settings import Settings
from pitwall.engine.session.game_clock import paused_protocol_for
from pitwall.engine.session.game_pause import GamePause
from pitwall.engine.session.game_session import GameSession
from pitwall.games.schema.profile import WhileThinking


class TimeControl:
    """Controls the game's time for one run. No method waits.

    Raises:
        PitwallError: the protocol is "paused", and the game cannot be paused.
    """

    def __init__(self, session: GameSession, settings: Settings) -> None:
        profile, paused = session.game.profile, settings.control.protocol == "paused"
        clock = session.clock
        self._paused, self._by_turns = paused, profile.game.by_turns
        self._still = paused_protocol_for(profile, clock) if paused else None
        clock = clock if clock is not None and clock.listening else None
        stands = session.status is GameStatus.PAUSED
        self._pause = GamePause(profile.pause, clock if self._still is None else None, paused=stands)
        self._fresh = False

    # ---- the paused protocol

    def ready(self) -> bool:
        """Return whether a step may be decided: the game stands still, or need not."""
        if self._still is None or self._still.still:
            return True
        self._fresh = self._still.hold()
        return self._fresh

    def stilled(self) -> bool:
        """Return whether the game came to a stop since the last call: what is seen may be older."""
        fresh, self._fresh = self._fresh, False
        return fresh

    @property
    def pending(self) -> bool:
        """Return whether the game has not yet confirmed an order to stop or go on."""
        return self._still is not None and self._still.pending

    @property
    def still(self) -> bool:
        """Return whether the game stands still for the paused protocol."""
        return self._still is not None and self._still.still

    def run_for(self, ms: float) -> None:
        """Let the game's time pass for the length of a step; see `runs`."""
        if self._still is not None:
            self._still.run_for(ms)

    @property
    def runs(self) -> bool:
        """Return whether the game's time passes, so that input takes effect."""
        return self._still is None or self._still.running

    @property
    def problem(self) -> PitwallError | None:
        """Return the reason why the game cannot be held still (any more); None if it can."""
        return self._still.problem if self._still is not None else None

    # ---- while an answer is awaited

    @property
    def waits(self) -> bool:
        """Return whether the game waits for an answer, or is about to."""
        return self._pause.busy or self.still

    @property
    def stands(self) -> bool:
        """Return whether the game stands still, or is about to, or goes by turns."""
        return self.waits or self._by_turns

    def hold(
        self, status: GameStatus, now: int, *, policy: WhileThinking, strategic: bool
    ) -> ResolvedAction | None:
        """Hold the game still while an answer is awaited, if wanted; return the keys to press.

        Args:
            policy: what to do while the planner thinks. strategic: the planner was asked, not the fast model.
        """
        wanted = policy == "pause" and (strategic or self._paused) and self._still is None
        if not wanted or status is not GameStatus.PLAYING or not self._pause.possible or self._pause.busy:
            return None
        return self._pause.begin(now)

    def follow(self, status: GameStatus, now: int, *, thinking: bool) -> ResolvedAction | None:
        """Let the game go on once the answer is there; return the keys to press."""
        return self._pause.turn(status, thinking=thinking, now=now) if self._pause.busy else None

    def failed(self) -> bool:
        """Return, once, whether the game ignored its pause key."""
        reported, self._pause.reported = self._pause.reported, self._pause.failed
        return self._pause.failed and not reported

    # ---- while the operator pauses, or types in the console

    def hold_for_operator(
        self, status: GameStatus, now: int, *, by_keys: bool
    ) -> tuple[str, ResolvedAction | None]:
        """Hold the game still until the agent plays on; return how, in words, and the keys to press.

        Args:
            by_keys: keys reach the game now.
        """
        if self._by_turns:
            return "The game stands still: it goes by turns.", None
        if self._still is not None:
            self._still.hold()
        elif not self._pause.possible:
            return "The game goes on: it has no pause that Pitwall could use.", None
        elif not (self._pause.busy or self._pause.by_clock or status is GameStatus.PAUSED):
            if status is not GameStatus.PLAYING:
                return "", None
            if not by_keys:
                return "The game goes on: its pause key is pressed only while it has the keyboard.", None
            return "The game was paused by its own key.", self._pause.begin(now)
        elif self._pause.by_clock and not self._pause.busy:
            self._pause.begin(now)
        return "The game stands still.", None

    # ---- the end

    def release(self, *, by_keys: bool) -> ResolvedAction | None:
        """Give the game's time back; return the keys to press for that, if keys may be used."""
        if self._still is not None:
            self._still.release()
        return self._pause.end(by_keys=by_keys)
