"""Takes the profile's passages for a player: what leads from a menu, an end screen or a pause to play."""

from __future__ import annotations

from collections.abc import Callable

import cv2

from pitwall.core.actions import Effect
from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.observations import GameStatus
from pitwall.engine.loop.input_dispatcher import InputDispatcher
from pitwall.engine.session.game_session import GameSession
from pitwall.engine.session.time_control import TimeControl

_UNANSWERED, _UNANSWERED_NS, _MOST_DOUBLED = 8, 4 * NS_PER_S, 4
"""So many steps without any effect, over so long, are no play; twice as long before each next try,"""
_LEVELS, _SHARE = 24, 0.001
"""and the picture stands: no more than this share of its pixels changed by so many grey levels."""


class MenuExit:
    """Presses what a passage asks for, while nobody decides.

    Args:
        begun: called before a passage's first press: the player lets go of everything.
        tell: takes a sentence for the run's events.
    """

    def __init__(
        self,
        session: GameSession,
        dispatcher: InputDispatcher,
        time: TimeControl,
        begun: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._time = time
        self._begun = begun
        self._tell = tell
        self._told = self._presses = False
        self._unanswered = self._doubled = self._since_ns = 0
        self._stood: Pixels | None = None

    def acted(self, effect: Effect, pixels: Pixels, now: int) -> None:
        """Hear what a step of play did, and see the picture after it."""
        if effect is Effect.UNVERIFIED and self._stood is not None and not _moved(self._stood, pixels):
            self._unanswered += 1
        elif effect is Effect.UNVERIFIED:
            self._stood, self._unanswered, self._since_ns = pixels.copy(), 0, now
        elif effect is Effect.CONFIRMED:
            self._stood, self._unanswered, self._doubled = None, 0, 0

    def turn(self, now: int) -> bool:
        """Go on with the passage there is; whether one is being taken, or a menu is still to come."""
        passages = self._session.passages
        if passages.awaited and self._session.view.may_load(now):
            if not self._told:
                self._told = True
                self._tell("It was started just now: its menu is waited for.")
            return True
        was_busy = passages.busy
        paused_by_us = self._time.waits and self._session.status is GameStatus.PAUSED
        if not passages.any or (paused_by_us and not was_busy):
            return False
        long_ns = _UNANSWERED_NS << self._doubled
        unanswered = self._unanswered >= _UNANSWERED and now - self._since_ns >= long_ns
        keys = self._session.passage_keys(now, unanswered=unanswered)
        if passages.busy:
            self._stood, self._unanswered = None, 0
            self._doubled = min(self._doubled + unanswered, _MOST_DOUBLED)
        self._presses = self._presses and was_busy
        if keys is not None and not self._presses:
            self._presses = True
            self._begun()
            self._time.release(by_keys=False)  # what is pressed takes effect in passing time only
        if keys is not None:
            self._dispatcher.begin(keys, now, yields=False)
        if passages.said:
            self._tell(passages.said)
        if passages.busy:
            self._dispatcher.send(None, now, 0, reacts=False)
        return passages.busy


def _moved(one: Pixels, other: Pixels) -> bool:
    """Whether a picture is another one, specks apart."""
    if one.shape != other.shape:
        return True
    apart = cv2.absdiff(one, other).reshape(one.shape[0], -1)
    changed = cv2.countNonZero(cv2.threshold(apart, _LEVELS, 1, cv2.THRESH_BINARY)[1])
    return bool(changed > _SHARE * one.shape[0] * one.shape[1])
