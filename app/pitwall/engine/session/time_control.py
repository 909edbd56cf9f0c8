"""Controls the game's time between steps: it runs on, or is held still (SPEC §2, §5)."""

from __future__ import annotations

from pitwall.core.actions import ResolvedAction
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.settings import Settings
from pitwall.engine.session.game_pause import GamePause
from pitwall.engine.session.game_session import GameSession
from pitwall.engine.session.paused_protocol import paused_protocol_for
from pitwall.games.schema.profile import WhileThinking


class TimeControl:
    """Controls the game's time for one run. No method waits.

    Args:
        session: the game: its pause keys, and its clock where it listens.
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
        """Whether a step may be decided: the game stands still, or need not."""
        if self._still is None or self._still.still:
            return True
        self._fresh = self._still.hold()
        return self._fresh

    def stilled(self) -> bool:
        """Whether it has come to stand still since this was last asked: what is seen may be older."""
        fresh, self._fresh = self._fresh, False
        return fresh

    @property
    def pending(self) -> bool:
        """Whether the game was told to stand still or to go on, and has not said that it does."""
        return self._still is not None and self._still.pending

    @property
    def still(self) -> bool:
        """Whether the game stands still for the paused protocol."""
        return self._still is not None and self._still.still

    def run_for(self, ms: float) -> None:
        """A step begins: its time passes for so long; see `runs`."""
        if self._still is not None:
            self._still.run_for(ms)

    @property
    def runs(self) -> bool:
        """Whether the game's time passes, so that what is sent takes effect."""
        return self._still is None or self._still.running

    @property
    def problem(self) -> PitwallError | None:
        """Return the reason why the game cannot be held still (any more); None if it can."""
        return self._still.problem if self._still is not None else None

    # ---- while somebody thinks

    @property
    def waits(self) -> bool:
        """Whether the game waits for somebody's answer, or is about to."""
        return self._pause.busy or self.still

    @property
    def stands(self) -> bool:
        """Whether the game stands still, or is about to, for whoever takes their time; or goes by turns."""
        return self.waits or self._by_turns

    def hold(
        self, status: GameStatus, now: int, *, policy: WhileThinking, strategic: bool
    ) -> ResolvedAction | None:
        """Somebody was asked: the game stands still meanwhile, where that is wanted. What to press.

        Args:
            policy: what is done while the planner thinks. strategic: it was the planner that was asked.
        """
        wanted = policy == "pause" and (strategic or self._paused) and self._still is None
        if not wanted or status is not GameStatus.PLAYING or not self._pause.possible or self._pause.busy:
            return None
        return self._pause.begin(now)

    def follow(self, status: GameStatus, now: int, *, thinking: bool) -> ResolvedAction | None:
        """Let the game go on once the answer is there. What to press."""
        return self._pause.turn(status, thinking=thinking, now=now) if self._pause.busy else None

    def failed(self) -> bool:
        """Whether the game did not show a pause that it was asked for; once."""
        told, self._pause.told = self._pause.told, self._pause.failed
        return self._pause.failed and not told

    # ---- while the operator has paused the run, or types in the console

    def hold_for_operator(
        self, status: GameStatus, now: int, *, by_keys: bool
    ) -> tuple[str, ResolvedAction | None]:
        """The game stands still until the agent plays on, where it can. How, in words; what to press.

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
        """Nobody plays: the game's time is its own again. What to press for that, where keys may be used."""
        if self._still is not None:
            self._still.release()
        return self._pause.end(by_keys=by_keys)
