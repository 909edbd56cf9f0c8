"""Leads the game out of menus, end screens and pauses by the profile's passages."""

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
"""After so many steps without effect, over so long, a screen counts as a menu; each try doubles the time."""
_LEVELS, _SHARE = 24, 0.001
"""A picture has changed if more than this share of its pixels did, by so many grey levels each."""


class MenuExit:
    """Presses what a passage asks for, while nobody decides.

    Args:
        begun: called before a passage's first press, so that the player releases everything.
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
        self._awaits_menu = self._presses = False
        self._unanswered = self._doubled = self._since_ns = 0
        self._stood: Pixels | None = None

    def acted(self, effect: Effect, pixels: Pixels, now: int) -> None:
        """Note the effect of a step of play, and the picture after it."""
        if effect is Effect.UNVERIFIED and self._stood is not None and not _moved(self._stood, pixels):
            self._unanswered += 1
        elif effect is Effect.UNVERIFIED:
            self._stood, self._unanswered, self._since_ns = pixels.copy(), 0, now
        elif effect is Effect.CONFIRMED:
            self._stood, self._unanswered, self._doubled = None, 0, 0

    def turn(self, now: int) -> bool:
        """Follow the current passage; return whether a passage is under way or a menu is still awaited."""
        passages = self._session.passages
        if passages.awaited and self._session.view.may_load(now):
            if not self._awaits_menu:
                self._awaits_menu = True
                self._tell("The game was started just now: waiting for its menu.")
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
            self._time.release(by_keys=False)  # a press takes effect only while the game's time passes
        if keys is not None:
            self._dispatcher.begin(keys, now, yields=False)
        if passages.message:
            self._tell(passages.message)
        if passages.busy:
            self._dispatcher.send(None, now, 0, reacts=False)
        return passages.busy


def _moved(before: Pixels, other: Pixels) -> bool:
    """Return whether more than specks differ between two pictures."""
    if before.shape != other.shape:
        return True
    apart = cv2.absdiff(before, other).reshape(before.shape[0], -1)
    changed = cv2.countNonZero(cv2.threshold(apart, _LEVELS, 1, cv2.THRESH_BINARY)[1])
    return bool(changed > _SHARE * before.shape[0] * before.shape[1])
