"""Preflight checks of capture, leak, input and stop, run for real on the game that is in view.

Input and stop press Shift, or another modifier that the game does not use; nothing else is pressed.
"""

from __future__ import annotations

from pitwall.core import injection
from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ProbeResult
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.capture.leak_probe import probe_leak
from pitwall.engine.loop.aimed_broker import AimedBroker
from pitwall.engine.loop.seat_check import try_own_seat
from pitwall.engine.loop.trial_press import Take, TrialPress
from pitwall.engine.session.game_session import GameSession

_CAPTURE_LOOKS = 20


def run_preflight_check(
    name: str, session: GameSession, broker: AimedBroker | None, data: DataFolder, take: Take
) -> ProbeResult:
    """Run one check; a check that cannot run fails and says why.

    Args:
        take: gets the broker's messages.
    """
    try:
        if session.view.source is None:
            raise PitwallError("the game is not in view.", "Wait for its window, then check again.")
        if name == "capture":
            return _capture(session)
        if name == "leak":
            return _leak(session)
        if broker is None:
            raise PitwallError("no broker runs.", "Open the game again.")
        note = try_own_seat(session, broker, data, take) if name == "input" else ""
        trial = TrialPress(session, broker.link, take)
        with trial.armed():
            return _input(trial, broker.link, note) if name == "input" else _stop(trial, broker.link)
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


def _input(trial: TrialPress, broker: BrokerLink, note: str) -> ProbeResult:
    began = now_ns()
    receipt = trial.press("key_down", "key_up")
    sent_ms = ms_between(began, receipt.events[0].sent_ns or began)
    figures = {"sent_ms": sent_ms, "round_trip_ms": ms_between(began, now_ns())}
    arrived = trial.arrives()
    if arrived is False:
        return ProbeResult(
            name="input",
            passed=False,
            text="the press was sent, but the game's program was not given it",
            fix="Choose the window in which the game is played.",
            figures=figures,
        )
    by_own = ", by the agent's own keyboard" if broker.own_seat else ""
    went = "reached the game's window" if arrived else "went to the game's window"
    text = f"{trial.key} down and up {went} in {sent_ms:.2f} ms{by_own}"
    return ProbeResult(name="input", passed=True, text=f"{text}. {note}" if note else text, figures=figures)


def _stop(trial: TrialPress, broker: BrokerLink) -> ProbeResult:
    trial.press("key_down")
    began = now_ns()
    broker.latch(injection.StopCause.CONSOLE)
    latched = trial.wait_for(lambda message: isinstance(message, injection.Latched))
    stop_ms = ms_between(began, latched.up_ns)
    return ProbeResult(
        name="stop",
        passed=trial.key in latched.released,
        text=f"a held key was up {stop_ms:.2f} ms after the stop",
        figures={"stop_ms": stop_ms},
    )
