"""Why a run does not play until it is resumed on purpose: a pause, a takeover, a stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ChildDied
from pitwall.core.injection import Latched, Receipt, StopCause
from pitwall.core.runs import RunOutcome
from pitwall.core.telemetry import HICCUP, EngineState
from pitwall.engine.action.broker_link import BrokerLink

_RELEASE_NS = NS_PER_S // 2
_EVENT_KINDS = {"takeover": "takeover", "window_gone": "window", "broker": "broker", "recording": "fault"}
"""Kind of event (core.steps) by the cause; any other cause is a pause."""
_STOP_TEXT = {
    StopCause.HOTKEY: "Emergency stop.",
    StopCause.CONSOLE: "Emergency stop from the console.",
    StopCause.ENGINE_HUNG: "The loop stood still too long; every key was released.",
    StopCause.TAKEOVER: "You took over.",
    StopCause.STAND_IN: "The broker died; the second broker released every key and took its place.",
    StopCause.DISPLAY: "The display is lost.",
    StopCause.UNSAFE: "",
}
_PAUSES = {StopCause.TAKEOVER: "takeover", StopCause.STAND_IN: "broker", StopCause.UNSAFE: "unsafe"}
"""Causes of stops after which the run counts as paused, not as latched."""
ENDED_BY: dict[str, RunOutcome] = {
    StopCause.HOTKEY: "emergency",
    StopCause.CONSOLE: "emergency",
    StopCause.ENGINE_HUNG: "hung",
    StopCause.DISPLAY: "lost_window",
    "window_gone": "lost_window",
    "frozen": "lost_window",
    "dialog": "lost_window",
}
"""Outcome of a run that ends while it is held back, by the cause; otherwise the operator stopped it."""


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

    @property
    def ends_by_itself(self) -> bool:
        """Return whether play goes on without Resume; any other cause of a pause takes its place."""
        return self.cause in (HICCUP, "frozen", "dialog")

    def gives_way(self, cause: StopCause) -> bool:
        """Return whether a later stop counts: a hang is old news, as is a takeover where nobody plays on."""
        return cause is not StopCause.ENGINE_HUNG and (self.ends_by_itself or cause is not StopCause.TAKEOVER)


def held_back_by(cause: StopCause, detail: str = "") -> HeldBack:
    """Return why a run is held back after the broker released every key on its own."""
    text = f"{_STOP_TEXT.get(cause, 'Stopped.')} {detail[:1].upper()}{detail[1:]}".strip()
    state = EngineState.PAUSED if cause in _PAUSES else EngineState.LATCHED
    return HeldBack(state, _PAUSES.get(cause, cause.value), text)


def window_gone(*, opens: bool) -> HeldBack:
    """Return why a run without its window is held back; `opens`: Pitwall can open the game again."""
    fix = "Open it again: the run goes on." if opens else "Start it again: the run goes on."
    return HeldBack(EngineState.PAUSED, "window_gone", "The game's window was closed.", fix)


class Hiccups:
    """Counts the moments in which a busy machine gave the loop no time; play resumes after them."""

    _MOST, _WITHIN_NS, _REST_NS = 5, 60 * NS_PER_S, NS_PER_S

    def __init__(self) -> None:
        self._at_ns: deque[int] = deque(maxlen=self._MOST)

    def held_back_by(self, latched: Latched, now_ns: int) -> HeldBack:
        """Return why a playing run is held back; too many hiccups are left to the operator."""
        held = held_back_by(latched.cause, latched.detail)
        if latched.cause is not StopCause.ENGINE_HUNG:
            return held
        often = len(self._at_ns) == self._MOST and now_ns - self._at_ns[0] < self._WITHIN_NS
        self._at_ns.append(now_ns)
        if often:
            return held
        return HeldBack(EngineState.PAUSED, HICCUP, held.text, "Play goes on in a second.")

    def over(self, held: HeldBack | None, now_ns: int) -> bool:
        """Return whether a hiccup holds the run back and a second has passed since."""
        return held is not None and held.cause == HICCUP and now_ns - self._at_ns[-1] >= self._REST_NS


def wait_for_release(broker: BrokerLink, on_message: Callable[[Any], None]) -> int:
    """Release everything: wait up to half a second for the last answer; return how many keys are still held.

    Args:
        on_message: takes the broker's last messages.
    """
    until = now_ns() + _RELEASE_NS
    try:
        broker.disarm()
        last, answered = broker.inject(()), 0  # answers come in the order of the batches
        while answered < last and now_ns() < until:
            broker.wait(0.02)
            for message in broker.poll():
                on_message(message)
                if isinstance(message, Receipt):
                    answered = message.batch
    except ChildDied:
        return 0  # both brokers are gone, and the last one swept every key up as it went
    return len(broker.held)
