"""Plays one run without a window; shared by `run`, `demo` and `doctor`."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.link.autoplay import AutoPlay, PlayResult
from pitwall.link.engine_session import EngineSession
from pitwall.link.input_reader import InputReader

_SILENCE_S = 120.0
"""An engine that is silent for so long is dead: its figures come once a second."""


class PlayFailed(PitwallError):
    """The game could not be played; carries the engine's own words."""


def play(
    data: DataFolder,
    opening: commands.Open,
    start: commands.Start,
    *,
    first: Sequence[Any] = (),
    probe_leak: bool = False,
    stop_on_takeover: bool = True,
    on_record: Callable[[Any], None] | None = None,
    autoplay: AutoPlay | None = None,
    owner: InputReader | None = None,
) -> PlayResult:
    """Open a game, send the `first` commands, play one run, close the game.

    Ctrl+C pulls the stop line and ends the run. SIGTERM and the owner's end stop it like the Stop command.
    Before the run, or the second time, they end this command.

    Args:
        autoplay: chooses what to send after each report, if there is more than one run to play.
        owner: the run ends when this input ends; None: no input.

    Raises:
        PlayFailed: the game could not be opened, no run begun, a fault stopped it, or it has no step.
        ChildDied: the engine died.
    """
    autoplay = autoplay or AutoPlay(start, probe_leak=probe_leak, stop_on_takeover=stop_on_takeover)
    session = EngineSession(data, opening)
    for command in first:
        session.send(command)
    try:
        with _signals_stop(session, autoplay) as stop:
            heard_s = time.monotonic()
            while not autoplay.done:
                if owner is not None and owner.next(0.0) == b"":
                    owner = None
                    stop()
                records = session.wait(0.5)
                if records:
                    heard_s = time.monotonic()
                elif time.monotonic() - heard_s > _SILENCE_S:
                    raise PlayFailed(f"the engine said nothing for {_SILENCE_S:g} s.", "See logs/engine.log.")
                for record in records:
                    if on_record is not None:
                        on_record(record)
                    for command in autoplay.react(record):
                        session.send(command)
    finally:
        session.close()
    return played(autoplay.result)


def played(result: PlayResult) -> PlayResult:
    """Return the result of a play.

    Raises:
        PlayFailed: nothing was played, or a fault stopped it; says why.
    """
    if result.shortfall[0]:
        raise PlayFailed(*result.shortfall)
    if result.summary is None and result.taught is None:
        state, faults = result.last_state, result.faults
        if state is not None and state.text:
            raise PlayFailed(
                f"run {result.run_id} broke off: {state.text}" if result.run_id else state.text, state.fix
            )
        ended = "was broken off before its end" if result.began else "did not begin"
        raise PlayFailed(*((faults[-1].what, faults[-1].fix) if faults else (f"the run {ended}.", "")))
    return result


@contextlib.contextmanager
def _signals_stop(session: EngineSession, autoplay: AutoPlay) -> Iterator[Callable[[], None]]:
    asked = False

    def stop(number: int = signal.SIGTERM, _frame: object = None) -> None:
        nonlocal asked
        autoplay.result.asked_to_stop = True
        if number == signal.SIGINT:
            session.emergency_stop()
        if asked or not autoplay.result.began:
            raise KeyboardInterrupt
        asked = True
        session.send(commands.Stop())

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
