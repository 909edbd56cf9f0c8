"""Resumes a run; a game whose window was closed is opened again first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.telemetry import EngineState
from pitwall.engine.loop.active_run import ActiveRun
from pitwall.engine.loop.aimed_broker import AimedBroker
from pitwall.engine.loop.held_back import HeldBack
from pitwall.engine.loop.open_game import OpenGame


def resume(run: ActiveRun, game: OpenGame, broker: AimedBroker | None, take: Callable[[Any], None]) -> None:
    """Go on with a run, or open its game again and wait for its window.

    Args:
        take: handles the messages of the broker, which is asked first.

    Raises:
        UnsafeStart: no agent may play; says why.
    """
    held_back, view = run.held_back, game.session.view
    if held_back is None or held_back.cause != "window_gone":
        if broker is not None:
            broker.check(game.session, take)
        run.resume()
    elif view.starts and held_back.fix:  # else it is being opened already, or not by us
        text, fix = f"Opening {view.game.profile.game.name} again.", ""
        try:
            game.open_again()
        except PitwallError as error:
            text, fix = error.what, error.fix or "Open it again."
        run.held_back = HeldBack(EngineState.PAUSED, "window_gone", text, fix)
