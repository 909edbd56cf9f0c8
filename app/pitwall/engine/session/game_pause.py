"""The game's own pause while the planner thinks, if the profile says how (SPEC §2, while-thinking)."""

from __future__ import annotations

from enum import Enum

from pitwall.core.actions import InputEvent, ResolvedAction, SemanticAction, TimedEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.keys import canonical_key
from pitwall.core.observations import GameStatus
from pitwall.engine.session.game_clock import GameClock
from pitwall.games.schema.profile import Pause

_TAP_MS = 60.0
_SEEN_WITHIN_NS = 2 * NS_PER_S
"""A game that does not show its pause (or its end) within this time missed the key."""
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
        clock: the game's clock, used in place of keys.
        paused: the game already stands still; the first order lets it go on.

    Attributes:
        failed: the game ignored its pause key too often; it is not pressed again.
        reported: `failed` has been reported.
    """

    def __init__(self, pause: Pause | None, clock: GameClock | None = None, *, paused: bool = False) -> None:
        self._pause = pause
        self._clock = clock
        self._phase = _Phase.PAUSED if paused and pause is not None and clock is None else _Phase.OFF
        self._until_ns = 0
        self._missed = 0
        self.failed = False
        self.reported = False

    @property
    def possible(self) -> bool:
        return (self._pause is not None or self._clock is not None) and not self.failed

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
            return None
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
    """Keys pressed together, briefly."""
    names = [canonical_key(key) for key in keys]
    down = tuple(TimedEvent(at_ms=0.0, event=InputEvent(kind="key_down", key=key)) for key in names)
    up = tuple(TimedEvent(at_ms=_TAP_MS, event=InputEvent(kind="key_up", key=key)) for key in reversed(names))
    return ResolvedAction(action=SemanticAction(name=name), events=down + up, duration_ms=_TAP_MS)
