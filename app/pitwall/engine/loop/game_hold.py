"""Holds the game still for whoever takes their time, and lets it go on: by its clock or its keys."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.clock import now_ns
from pitwall.engine.loop.input_dispatcher import InputDispatcher
from pitwall.engine.session.game_session import GameSession
from pitwall.engine.session.time_control import TimeControl
from pitwall.games.schema.profile import WhileThinking


class GameHold:
    """Presses what `TimeControl` asks for.

    Args:
        tell: takes a sentence for the run's events.
    """

    def __init__(
        self,
        session: GameSession,
        dispatcher: InputDispatcher,
        time: TimeControl,
        tell: Callable[[str], None],
    ) -> None:
        self._session = session
        self._dispatcher = dispatcher
        self._time = time
        self._tell = tell

    def while_asked(self, policy: WhileThinking, now: int, *, strategic: bool) -> None:
        """Somebody was asked and takes their time: the game stands still meanwhile, where that is wanted."""
        keys = self._time.hold(self._session.status, now, policy=policy, strategic=strategic)
        if keys is not None:
            self._dispatcher.begin(keys, now)

    def follow(self, now: int, *, thinking: bool) -> None:
        """Let the game go on once whoever was asked has answered."""
        keys = self._time.follow(self._session.status, now, thinking=thinking)
        if keys is not None:
            self._dispatcher.begin(keys, now)
        if self._time.failed():
            self._tell("The game did not show a pause: it is held instead.")

    def for_operator(self, *, by_keys: bool) -> str:
        """The operator wants the game to stand still: how it does, in words, or why it goes on."""
        words, keys = self._time.hold_for_operator(self._session.status, now_ns(), by_keys=by_keys)
        if keys is not None:
            self._dispatcher.tap(keys)
        return words

    def release(self, *, by_keys: bool = False) -> None:
        """Let a game that stands still for us go on; `by_keys`: also where that takes a tap of keys."""
        if (keys := self._time.release(by_keys=by_keys)) is not None:
            self._dispatcher.tap(keys)
