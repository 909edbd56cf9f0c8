"""Takes the profile's passages for a player: what leads from a menu, an end screen or a pause to play."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.observations import GameStatus
from pitwall.engine.loop.input_dispatcher import InputDispatcher
from pitwall.engine.session.game_session import GameSession
from pitwall.engine.session.time_control import TimeControl


class MenuExit:
    """Presses what a passage asks for, while nobody decides.

    Args:
        begun: called as a passage begins: the player lets go of everything.
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
        self._told = False

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
        keys = self._session.passage_keys(now)
        if keys is not None and not was_busy:
            self._begun()
            self._time.release(by_keys=False)  # what is pressed takes effect in passing time only
        if keys is not None:
            self._dispatcher.begin(keys, now, yields=False)
        if passages.said:
            self._tell(passages.said)
        if passages.busy:
            self._dispatcher.send(None, now, 0, reacts=False)
        return passages.busy
