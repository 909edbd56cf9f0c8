"""Preflight checks of capture, leak, input and stop, run for real on the game that is in view.

Input and stop use Shift, which moves nothing in a game; nothing else is pressed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pitwall.core import injection
from pitwall.core.actions import EventKind, InputEvent
from pitwall.core.clock import NS_PER_S, ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.telemetry import ProbeResult
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.capture.leak_probe import probe_leak
from pitwall.engine.session.game_session import GameSession

_KEY = "Shift"
_WAIT_NS = 2 * NS_PER_S
_CAPTURE_LOOKS = 20


def run_preflight_check(name: str, session: GameSession, broker: BrokerLink | None) -> ProbeResult:
    """Run one check; a check that cannot run fails and says why."""
    try:
        if session.view.source is None:
            raise PitwallError("the game is not in view.", "Wait for its window, then check again.")
        if name == "capture":
            return _capture(session)
        if name == "leak":
            return _leak(session)
        if broker is None:
            raise PitwallError("no broker runs.", "Open the game again.")
        probe = _input if name == "input" else _stop
        return _armed(session, broker, probe)
    except PitwallError as error:
        return ProbeResult(name=name, passed=False, text=error.what, fix=error.fix)


def _capture(session: GameSession) -> ProbeResult:
    looks: list[float] = []
    width = height = 0
    for _ in range(_CAPTURE_LOOKS):
        began = now_ns()
        frame = session.view.fresh()
        if frame is None:
            raise PitwallError("the game's window shows no pixels.", "Bring it back from the task bar.")
        width, height = frame.width, frame.height
        looks.append(ms_between(began, now_ns()))
    assert session.view.source is not None
    median = sorted(looks)[len(looks) // 2]
    return ProbeResult(
        name="capture",
        passed=True,
        text=f"{width}×{height} px by {session.view.source.backend}, {median:.1f} ms a frame",
        figures={"capture_ms": median, "width_px": width, "height_px": height},
    )


def _leak(session: GameSession) -> ProbeResult:
    assert session.view.source is not None
    result = probe_leak(session.view.source)
    clean = result.pixels == 0 and result.control_pixels > 0
    if clean:
        text, fix = "nothing of other windows is in a captured frame", ""
    elif result.control_pixels == 0:
        text, fix = "the marker window was not seen on the screen", "Check again with the game uncovered."
    else:
        text = f"{result.pixels} px of another window are in the captured frame"
        fix = "Keep other windows off the game, or use window capture (setting capture.backend)."
    return ProbeResult(
        name="leak",
        passed=clean,
        text=text,
        fix=fix,
        figures={"leak_pixels": result.pixels, "control_pixels": result.control_pixels},
    )


def _input(broker: BrokerLink) -> ProbeResult:
    began = now_ns()
    receipt = _press(broker, "key_down", "key_up")
    sent_ms = ms_between(began, receipt.events[0].sent_ns or began)
    round_trip_ms = ms_between(began, now_ns())
    by_own = ", by the agent's own keyboard" if broker.own_seat else ""
    return ProbeResult(
        name="input",
        passed=True,
        text=f"{_KEY} down and up reached the game's window in {sent_ms:.2f} ms{by_own}",
        figures={"sent_ms": sent_ms, "round_trip_ms": round_trip_ms},
    )


def _stop(broker: BrokerLink) -> ProbeResult:
    _press(broker, "key_down")
    began = now_ns()
    broker.latch(injection.StopCause.CONSOLE)
    latched = _await(broker, lambda m: isinstance(m, injection.Latched))
    stop_ms = ms_between(began, latched.up_ns)
    return ProbeResult(
        name="stop",
        passed=_KEY in latched.released,
        text=f"a held key was up {stop_ms:.2f} ms after the stop",
        figures={"stop_ms": stop_ms},
    )


def _press(broker: BrokerLink, *kinds: EventKind) -> injection.Receipt:
    """Send events of the check's key; return the broker's receipt."""
    batch = broker.inject(tuple(InputEvent(kind=kind, key=_KEY) for kind in kinds), 0)
    receipt: injection.Receipt = _await(
        broker, lambda m: isinstance(m, injection.Receipt) and m.batch == batch
    )
    refused = next((sent.refused for sent in receipt.events if sent.refused is not None), None)
    if refused is not None:
        raise PitwallError(f"the key was refused ({refused}).", "Click into the game once, then check again.")
    return receipt


def _armed(
    session: GameSession, broker: BrokerLink, probe: Callable[[BrokerLink], ProbeResult]
) -> ProbeResult:
    usual = session.broker_configuration(session.view.window)
    broker.configure(dataclasses.replace(usual, allowed_keys=(_KEY,)))
    broker.focus_target()
    broker.rearm()
    try:
        _await(
            broker,
            lambda m: isinstance(m, injection.FocusChanged) and m.holder is injection.FocusHolder.GAME,
            "the game does not take the keyboard focus.",
        )
        return probe(broker)
    finally:
        broker.disarm()
        broker.configure(usual)


def _await(
    broker: BrokerLink, wanted: Callable[[Any], bool], otherwise: str = "the broker does not answer."
) -> Any:
    until = now_ns() + _WAIT_NS
    while now_ns() < until:
        broker.heartbeat()
        broker.wait(0.05)
        for message in broker.poll():
            if wanted(message):
                return message
    raise PitwallError(otherwise, "Check again with the game in front.")
