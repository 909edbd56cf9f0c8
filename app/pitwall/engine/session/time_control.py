"""The game's time between steps: it runs on, or is held still (SPEC §2, §5)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from pitwall.core.actions import InputEvent, ResolvedAction, SemanticAction, TimedEvent
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.keys import canonical_key
from pitwall.core.observations import GameStatus
from pitwall.core.settings import Settings
from pitwall.engine.session.game_clock import GameClock, paused_protocol_for
from pitwall.engine.session.game_session import GameSession
from pitwall.games.schema.profile import Pause, WhileThinking

_TAP_MS = 60.0
_SEEN_WITHIN_NS = 2 * NS_PER_S
"""A game that does not show its pause (or its end) within this time missed the key."""
_SURE_NS = NS_PER_S // 2
"""How long a pause that is not ours has to be seen before its key is pressed."""
_MOST_MISSED = 3
"""After so many missed keys in a row the key does nothing; a single miss may be a lost focus."""


class _Phase(Enum):
    OFF = "off"
    PAUSING = "pausing"
    PAUSED = "paused"
    RESUMING = "resuming"


class GamePause:
    """Tracks whether the game stands still for us, and which keys are due next.

    Args:
        pause: the profile's pause keys; None: the game has none.
        clock: the game's clock, used in place of keys; a pause of the game's own still takes its keys.
        paused: the game already stands still; the first order lets it go on.

    Attributes:
        failed: the game ignored its pause key too often; it is not pressed again.
        reported: `failed` has been reported.
    """

    def __init__(self, pause: Pause | None, clock: GameClock | None = None, *, paused: bool = False) -> None:
        self._pause = pause
        self._clock = clock
        self._phase = _Phase.PAUSED if paused and pause is not None and clock is None else _Phase.OFF
        self._until_ns = self._paused_since_ns = 0
        self._missed = 0
        self._own = GamePause(pause) if clock is not None and pause is not None else None
        self.failed = False
        self.reported = False

    @property
    def possible(self) -> bool:
        return (self._pause is not None or self._clock is not None) and not self.failed

    @property
    def lifts(self) -> bool:
        """Return whether the game's own pause, made by a person or the game, can be lifted by keys."""
        return self._own.possible if self._own is not None else self._clock is None and self.possible

    @property
    def by_clock(self) -> bool:
        """Return whether the game is held by its clock, so that no key is needed."""
        return self._clock is not None

    @property
    def busy(self) -> bool:
        """Return whether the game is paused for us, or about to be, or about to go on."""
        return self._phase is not _Phase.OFF

    def begin(self, now: int) -> ResolvedAction | None:
        """Begin a pause while the planner thinks; return the keys to press, None for none."""
        if self._clock is not None:
            self._clock.hold()
            self._phase = _Phase.PAUSED
            return None
        assert self._pause is not None
        self._phase, self._until_ns = _Phase.PAUSING, now + _SEEN_WITHIN_NS
        return _taps("pause_game", self._pause.keys)

    def turn(self, status: GameStatus, *, thinking: bool, now: int) -> ResolvedAction | None:
        """Return the keys to press now, None for none."""
        if self._clock is not None:
            self._go_on_when_answered(self._clock, thinking)
            if self._own is None or self.busy:
                return None
            return self._own.turn(status, thinking=thinking, now=now)
        paused = status is GameStatus.PAUSED
        if self._phase is _Phase.PAUSING and paused:
            self._phase, self._missed = _Phase.PAUSED, 0
        elif self._phase is _Phase.PAUSING and now >= self._until_ns:
            self._phase = _Phase.OFF
            self._miss()
            if thinking and not self.failed:
                return self.begin(now)
        elif self._phase is _Phase.RESUMING and not paused:
            self._phase, self._missed = _Phase.OFF, 0
        elif self._phase is _Phase.RESUMING and now >= self._until_ns:
            self._miss()
            self._phase = _Phase.OFF if self.failed else _Phase.PAUSED  # try again
        if self._phase is _Phase.PAUSED and not paused:
            self._phase = _Phase.OFF  # the game went on by other means
        self._paused_since_ns = (self._paused_since_ns or now) if paused else 0
        if self._phase is _Phase.OFF and paused and self.possible and now - self._paused_since_ns >= _SURE_NS:
            self._phase = _Phase.PAUSED  # a person or the game itself paused it
        if self._phase is _Phase.PAUSED and not thinking:
            assert self._pause is not None
            self._phase, self._until_ns = _Phase.RESUMING, now + _SEEN_WITHIN_NS
            return _taps("resume_game", self._pause.resume)
        return None

    def end(self, *, by_keys: bool) -> ResolvedAction | None:
        """Return the keys that let the game go on as the run ends or is held back.

        If it takes keys and none may be pressed, the game goes on once the run is resumed.
        """
        if self._phase is not _Phase.PAUSED:
            return None
        if self._clock is not None:
            self._phase = _Phase.OFF
            self._clock.release()
            return None
        if not by_keys:
            return None
        assert self._pause is not None
        self._phase = _Phase.OFF
        return _taps("resume_game", self._pause.resume)

    def _miss(self) -> None:
        self._missed += 1
        self.failed = self._missed >= _MOST_MISSED

    def _go_on_when_answered(self, clock: GameClock, thinking: bool) -> None:
        if self._phase is _Phase.PAUSED and clock.settled and clock.problem is not None:
            self._phase, self.failed = _Phase.OFF, True
        elif self._phase is _Phase.PAUSED and not thinking:
            clock.release()
            self._phase = _Phase.OFF


def _taps(name: str, keys: list[str]) -> ResolvedAction:
    """Return keys pressed together, briefly."""
    names = [canonical_key(key) for key in keys]
    down = tuple(TimedEvent(at_ms=0.0, event=InputEvent(kind="key_down", key=key)) for key in names)
    up = tuple(TimedEvent(at_ms=_TAP_MS, event=InputEvent(kind="key_up", key=key)) for key in reversed(names))
    return ResolvedAction(action=SemanticAction(name=name), events=down + up, duration_ms=_TAP_MS)


class TimeControl:
    """Controls the game's time for one run. Only a tap of keys waits.

    Args:
        begin: starts an action at a time. tap: presses and releases keys at once.
        note: takes a sentence for the run's events.

    Raises:
        PitwallError: the protocol is "paused", and the game cannot be paused.
    """

    def __init__(
        self,
        session: GameSession,
        settings: Settings,
        *,
        begin: Callable[[ResolvedAction, int], object],
        tap: Callable[[ResolvedAction], None],
        note: Callable[[str], None],
    ) -> None:
        self._session, self._begin, self._tap, self._note = session, begin, tap, note
        profile, paused = session.game.profile, settings.control.protocol == "paused"
        clock = session.clock
        self._paused, self._by_turns = paused, profile.game.by_turns
        self._still = paused_protocol_for(profile, clock) if paused else None
        clock = clock if clock is not None and clock.listening else None
        stands = session.status is GameStatus.PAUSED
        self._paused_since_ns = 0
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

    def hold(self, policy: WhileThinking, now: int, *, strategic: bool) -> None:
        """Hold the game still while an answer is awaited, if the policy wants that.

        Args:
            policy: what to do while the planner thinks. strategic: the planner was asked, not the fast model.
        """
        wanted = policy == "pause" and (strategic or self._paused) and self._still is None
        playing = self._session.status is GameStatus.PLAYING
        if wanted and playing and self._pause.possible and not self._pause.busy:
            self._press(self._pause.begin(now), now)

    def follow(self, now: int, *, thinking: bool) -> None:
        """Let the game go on once the answer is there, whoever paused it."""
        status = self._session.status
        if self._pause.busy or self._pause.possible or self._pause.lifts:
            self._press(self._pause.turn(status, thinking=thinking, now=now), now)
        if self._pause.failed and not self._pause.reported and status is not GameStatus.PAUSED:
            self._pause.reported = True
            self._note("The game did not show a pause: it is held instead.")

    def lasting_pause(self, now: int) -> str:
        """Say what a person must do where the game's own pause lasts and cannot be lifted; else nothing."""
        paused = self._session.status is GameStatus.PAUSED and not (self._pause.busy or self.still)
        if not paused or self._pause.lifts or self._session.passages.busy:
            self._paused_since_ns = 0
            return ""
        self._paused_since_ns = self._paused_since_ns or now
        if now - self._paused_since_ns < _SEEN_WITHIN_NS:
            return ""
        pause = self._session.game.profile.pause
        return (
            f"Press {' + '.join(pause.resume)} in the game."
            if pause is not None
            else "Let it go on in its window."
        )

    def _press(self, keys: ResolvedAction | None, now: int) -> None:
        if keys is not None:
            self._begin(keys, now)

    # ---- while the operator pauses, or types in the console

    def hold_for_operator(self, *, by_keys: bool) -> str:
        """Hold the game still until the agent plays on; return how, in words, or why it goes on.

        Args:
            by_keys: keys reach the game now.
        """
        if self._by_turns:
            return "The game stands still: it goes by turns."
        if self._still is not None:
            self._still.hold()
        elif not self._pause.possible:
            return "The game goes on: it has no pause that Pitwall could use."
        elif not (self._pause.busy or self._pause.by_clock or self._session.status is GameStatus.PAUSED):
            if self._session.status is not GameStatus.PLAYING:
                return ""
            if not by_keys:
                return "The game goes on: its pause key is pressed only while it has the keyboard."
            if (keys := self._pause.begin(now_ns())) is not None:
                self._tap(keys)
            return "The game was paused by its own key."
        elif self._pause.by_clock and not self._pause.busy:
            self._pause.begin(now_ns())
        return "The game stands still."

    def release(self, *, by_keys: bool = False) -> None:
        """Let a held game go on; `by_keys`: also where that takes a tap of keys."""
        if self._still is not None:
            self._still.release()
        if (keys := self._pause.end(by_keys=by_keys)) is not None:
            self._tap(keys)
