"""Begins and resumes runs safely; a game whose window was closed is opened again first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwall.core import injection
from pitwall.core.errors import PitwallError
from pitwall.core.injection import StopCause
from pitwall.core.telemetry import EngineState
from pitwall.engine.loop.active_run import ActiveRun
from pitwall.engine.loop.aimed_broker import AimedBroker
from pitwall.engine.loop.held_back import HeldBack
from pitwall.engine.loop.open_game import OpenGame


class StopListener:
    """Hears the broker while a run begins or resumes: keeps stops, passes on all but the start key."""

    def __init__(self, take: Callable[[Any], None]) -> None:
        self.stops: list[injection.Latched] = []
        self._take = take

    def hear(self, message: Any) -> None:
        """Take a message; a stop by the console is not kept, because it comes as a command too."""
        if isinstance(message, injection.Latched) and message.cause is not StopCause.CONSOLE:
            self.stops.append(message)
        if not (isinstance(message, injection.HotkeyPressed) and message.name == "start"):
            self._take(message)

    def stop(self, run: ActiveRun) -> None:
        """Stop a run that has begun, if the stop key was pressed meanwhile."""
        for stop in self.stops:
            if stop.cause is StopCause.HOTKEY:
                run.latched(stop)


def resume(run: ActiveRun, game: OpenGame, broker: AimedBroker | None, take: Callable[[Any], None]) -> None:
    """Go on with a run, or open its game again and wait for its window.

    A stop that was pressed before counts as heard; a key's stop that the broker reports meanwhile holds.

    Args:
        take: handles the messages of the broker, which is asked first.

    Raises:
        UnsafeStart: no agent may play; says why.
    """
    held_back, view = run.held_back, game.session.view
    if held_back is None or held_back.cause != "window_gone":
        listener = StopListener(take)
        if broker is not None:
            broker.hear_stops(listener.hear)
            broker.check(game.session, listener.hear)
        if not listener.stops:
            run.resume()
    elif view.starts and held_back.fix:  # else it is being opened already, or not by us
        text, fix = f"Opening {view.game.profile.game.name} again.", ""
        try:
            game.open_again()
        except PitwallError as error:
            text, fix = error.what, error.fix or "Open it again."
        run.held_back = HeldBack(EngineState.PAUSED, "window_gone", text, fix)
