"""Decides from telemetry what the overlay says and whether it shows at all. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from pitwall.core import telemetry
from pitwall.core.actions import NO_OP
from pitwall.core.geometry import Rect, WindowHealth
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord

_SHOWN_IN = frozenset(
    {
        telemetry.EngineState.PLAYING,
        telemetry.EngineState.WAITING,
        telemetry.EngineState.PAUSED,
        telemetry.EngineState.LATCHED,
    }
)
_MOST_KEYS = 6


class Tone(Enum):
    """The meaning of a pill: the drawing gives it a colour and a sign, the text a word."""

    STRATEGIC = "strategic"
    REACTIVE = "reactive"
    REFLEX = "reflex"
    STOP = "stop"
    PAUSE = "pause"
    HUMAN = "human"
    PLAIN = "plain"
    KEY = "key"
    KEY_DOWN = "key_down"


@dataclass(frozen=True, slots=True)
class Pill:
    """Holds a rounded label of the overlay; a key's text is its canonical name."""

    text: str
    tone: Tone


_ROUTES = {
    Route.STRATEGIC: Pill("strategic", Tone.STRATEGIC),
    Route.REACTIVE: Pill("reactive", Tone.REACTIVE),
    Route.REFLEX: Pill("reflex", Tone.REFLEX),
    Route.PERSON: Pill("person", Tone.HUMAN),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayState:
    """Everything the overlay knows.

    Attributes:
        wanted: the operator's switch (setting, then the overlay key).
        rect: the game's client area in screen pixels; None while it is not in view.
        keys: keys of the last action, in the order they were pressed.
    """

    wanted: bool = True
    engine: telemetry.EngineState = telemetry.EngineState.OPENING
    cause: str = ""
    text: str = ""
    rect: Rect | None = None
    route: Route | None = None
    badge: str = ""
    last_action: str = ""
    held: tuple[str, ...] = ()
    keys: tuple[str, ...] = field(default=())

    @property
    def shown(self) -> bool:
        """Return whether a game with a run is in view and the operator wants the overlay."""
        return self.wanted and self.rect is not None and self.engine in _SHOWN_IN

    def after(self, message: telemetry.Telemetry) -> OverlayState:
        """Return the state after a telemetry message; the same object where nothing changed."""
        match message:
            case telemetry.WindowSeen(window=window, health=health):
                in_view = window is not None and health is WindowHealth.VISIBLE
                return replace(self, rect=window.rect if window is not None and in_view else None)
            case telemetry.StateChanged(state=state, cause=cause, text=text):
                return replace(self, engine=state, cause=cause, text=text)
            case telemetry.FrameNote():
                return self._after_frame(message)
            case telemetry.StepNote(step=step):
                return replace(self, keys=_keys_of(step), last_action=str(step.action))
            case telemetry.OverlayToggled():
                return replace(self, wanted=not self.wanted)
        return self

    def without_engine(self) -> OverlayState:
        """Return what remains without an engine: the operator's switch and the window's place."""
        return OverlayState(wanted=self.wanted, rect=self.rect)

    def pills(self) -> tuple[Pill, ...]:
        """Return the labels from left to right."""
        if self.engine is telemetry.EngineState.LATCHED:
            return (Pill("stopped", Tone.STOP), Pill(self.text or "press Resume to continue", Tone.PLAIN))
        if self.engine is telemetry.EngineState.PAUSED:
            tone = Tone.HUMAN if self.cause == "takeover" else Tone.PAUSE
            word = "you drive" if tone is Tone.HUMAN else "paused"
            return (Pill(word, tone), *_plain(self.text))
        if self.engine is telemetry.EngineState.WAITING:
            return (Pill("waiting", Tone.PAUSE), *_plain(self.text or "the game has not the focus"))
        route = (_ROUTES[self.route],) if self.route else (Pill("watching", Tone.PLAIN),)
        action = "" if self.last_action == str(NO_OP) else self.last_action
        badge = "" if self.route is Route.PERSON else self.badge
        return (*route, *_plain(badge), *_plain(action), *self._caps())

    def _after_frame(self, note: telemetry.FrameNote) -> OverlayState:
        seen = (note.route, note.badge, note.last_action or self.last_action, note.held)
        if seen == (self.route, self.badge, self.last_action, self.held):
            return self
        return replace(self, route=seen[0], badge=seen[1], last_action=seen[2], held=seen[3])

    def _caps(self) -> tuple[Pill, ...]:
        names = [*self.keys, *(key for key in self.held if key not in self.keys)][:_MOST_KEYS]
        return tuple(Pill(key, Tone.KEY_DOWN if key in self.held else Tone.KEY) for key in names)


def _plain(text: str) -> tuple[Pill, ...]:
    return (Pill(text, Tone.PLAIN),) if text else ()


def _keys_of(step: StepRecord) -> tuple[str, ...]:
    pressed: dict[str, None] = {}
    for sent in step.sent:
        if sent.refused is None and sent.event.kind == "key_down":
            pressed[sent.event.key] = None
        elif sent.refused is None and sent.event.kind == "mouse_down":
            pressed[f"{sent.event.button} button"] = None
    return tuple(pressed)
