"""Pausing the game itself while the planner thinks, where the profile says how (SPEC §2, while-thinking)."""

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
"""A game that does not show its pause (or its end) by then did not take the key."""
_MOST_MISSED = 3
"""A key is lost now and then, where the focus is just leaving: so many in a row say that it does nothing."""


class _Phase(Enum):
    OFF = "off"
    PAUSING = "pausing"
    PAUSED = "paused"
    RESUMING = "resuming"


class GamePause:
    """Knows whether the game stands still for us, and which keys are due next.

    Args:
        pause: the profile's keys; None: the game has none.
        clock: its clock, in place of keys, where it listens.
        paused: it stands still already; what is asked first is that it goes on.
    """

    def __init__(self, pause: Pause | None, clock: GameClock | None = None, *, paused: bool = False) -> None:
        self._pause = pause
        self._clock = clock
        self._phase = _Phase.PAUSED if paused and pause is not None and clock is None else _Phase.OFF
        self._until_ns = 0
        self._missed = 0
        """How often in a row its key showed nothing."""
        self.failed = False
        """The game did not show a pause as often as it was asked to: it is not asked again."""
        self.told = False

    @property
    def possible(self) -> bool:
        return (self._pause is not None or self._clock is not None) and not self.failed

    @property
    def by_clock(self) -> bool:
        """Whether it is held by its clock, so that no key is needed."""
        return self._clock is not None

    @property
    def busy(self) -> bool:
        """Whether the game is paused for us, or about to be, or about to go on."""
        return self._phase is not _Phase.OFF

    def begin(self, now: int) -> ResolvedAction | None:
        """The planner thinks: what to press; None where no key is needed."""
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
            self._phase = _Phase.OFF if self.failed else _Phase.PAUSED  # asked once more
        if self._phase is _Phase.PAUSED and not paused:
            self._phase = _Phase.OFF  # somebody let it go on
        if self._phase is _Phase.PAUSED and not thinking:
            assert self._pause is not None
            self._phase, self._until_ns = _Phase.RESUMING, now + _SEEN_WITHIN_NS
            return _taps("resume_game", self._pause.resume)
        return None

    def end(self, *, by_keys: bool) -> ResolvedAction | None:
        """Nobody thinks any more (the run ends, or is held back): what to press so that the game goes on.

        Where it takes keys and none may be used, it is let go once the run is resumed.
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
