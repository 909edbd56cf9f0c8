"""Says why a run does not play until it is resumed on purpose: a pause, a takeover, a stop."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.injection import StopCause
from pitwall.core.telemetry import EngineState

_EVENT_KINDS = {"takeover": "takeover", "window_gone": "window", "broker": "broker", "recording": "fault"}
"""Kinds of events (core.steps) by what holds a run back; a pause where none is named."""
_STOP_TEXT = {
    StopCause.HOTKEY: "Emergency stop.",
    StopCause.CONSOLE: "Emergency stop from the console.",
    StopCause.ENGINE_HUNG: "The loop stood still too long; everything was released.",
    StopCause.TAKEOVER: "You took over.",
    StopCause.STAND_IN: "The broker died; the second one released every key and stands in.",
    StopCause.DISPLAY: "The display is lost.",
}
_PAUSES = {StopCause.TAKEOVER: "takeover", StopCause.STAND_IN: "broker"}
"""Stops after which nobody is in danger: the run counts as paused."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Holds the reason why a run does not play until it is resumed on purpose."""

    state: EngineState
    cause: str
    text: str
    fix: str = "Press Resume to go on."

    @property
    def event(self) -> str:
        """Return the kind of event (core.steps) that it is recorded as."""
        if self.state is EngineState.LATCHED:
            return "stopped"
        return _EVENT_KINDS.get(self.cause, "paused")


def held_back_by(cause: StopCause, detail: str = "") -> HeldBack:
    """Return what holds a run back after the broker brought everything up by itself."""
    text = f"{_STOP_TEXT.get(cause, 'Stopped.')} {detail}".rstrip()
    state = EngineState.PAUSED if cause in _PAUSES else EngineState.LATCHED
    return HeldBack(state, _PAUSES.get(cause, cause.value), text)
