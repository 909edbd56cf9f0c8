"""Resumes a run; a game whose window was closed is opened again first."""

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
        later_stops: list[injection.Latched] = []

        def hear(message: Any) -> None:
            if isinstance(message, injection.Latched) and message.cause is not StopCause.CONSOLE:
                later_stops.append(message)
            take(message)

        if broker is not None:
            broker.hear_stops(hear)  # a later stop by the console comes as a command, too
            broker.check(game.session, hear)
        if not later_stops:
            run.resume()
    elif view.starts and held_back.fix:  # else it is being opened already, or not by us
        text, fix = f"Opening {view.game.profile.game.name} again.", ""
        try:
            game.open_again()
        except PitwallError as error:
            text, fix = error.what, error.fix or "Open it again."
        run.held_back = HeldBack(EngineState.PAUSED, "window_gone", text, fix)
