"""Messages between the engine and the broker: the only way to a key.

They are plain dataclasses, and brokers load no pydantic for them: each play has two brokers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from pitwall.core.actions import InputEvent, SentEvent
from pitwall.core.geometry import WindowRef
from pitwall.core.keys import KeyMeaning


class FocusHolder(StrEnum):
    """Names the holder of the keyboard focus."""

    GAME = "game"
    CONSOLE = "console"
    OTHER = "other"


HotkeyName = Literal["stop", "pause", "start", "overlay", "clip", "keep"]
PLAYING_HOTKEYS: tuple[HotkeyName, ...] = ("stop", "pause", "start", "overlay", "clip")
"""Those that an engine listens to; the last one is for a game that is being added."""


class StopCause(StrEnum):
    """Names why the broker latched: it stays latched until `Rearm`."""

    HOTKEY = "hotkey"
    CONSOLE = "console"
    CONSOLE_GONE = "console_gone"
    TAKEOVER = "takeover"
    ENGINE_GONE = "engine_gone"
    ENGINE_HUNG = "engine_hung"
    STAND_IN = "stand_in"
    """The first broker died and this broker took over."""
    DISPLAY = "display"
    UNSAFE = "unsafe"
    """No agent may play: no stop key is heard, or a key of the game cannot be pressed."""


HARD_LIMITS = {
    "actions_per_second": (1, 50),
    "held_keys": (1, 12),
    "hold_ms": (20, 30_000),
    "observation_age_ms": (10, 5_000),
    "heartbeat_ms": (100, 5_000),
}
"""Least and greatest value of each number of `InputLimits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLimits:
    """Limits what may be injected (`core/input_settings.py` says what each means).

    Raises:
        ValueError: a number is outside its hard limits.
    """

    actions_per_second: int = 20
    held_keys: int = 8
    hold_ms: int = 5_000
    observation_age_ms: int = 250
    heartbeat_ms: int = 250
    own_seat: bool = True
    takeover: bool = True

    def __post_init__(self) -> None:
        for name, (least, most) in HARD_LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is not within {least} and {most}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HotkeyChords:
    """The operator's global keys, each a chord (`core.keys.parse_chord`)."""

    stop: str = "ScrollLock"
    pause: str = "Pause"
    start: str = "F5"
    overlay: str = "Shift+F1"
    clip: str = "Shift+F3"
    keep: str = "Shift+F2"


# ---- engine → broker


@dataclass(frozen=True, slots=True, kw_only=True)
class Configure:
    """Limits, hotkeys and the playable window. Sent first, and again whenever one of them changes.

    Attributes:
        target: the only window that may receive input; None: no window may.
        console_pids: processes whose windows count as the console's.
        allowed_keys: canonical names the role may press; empty allows none.
        allow_mouse: whether mouse events may be sent.
        others_keys: keys of sides that others play in the same window: their presses are no takeover.
        person: a person plays: no press passes, nobody takes over, and the person's input is reported.
        follow: after a takeover, the person's input is reported until the next arming.
        keys_mean: what the game reads of a key.
        listened: the hotkeys to listen to.
    """

    kind: Literal["configure"] = "configure"
    limits: InputLimits
    hotkeys: HotkeyChords
    target: WindowRef | None = None
    console_pids: tuple[int, ...] = ()
    allowed_keys: tuple[str, ...] = ()
    allow_mouse: bool = False
    others_keys: tuple[str, ...] = ()
    person: bool = False
    follow: bool = False
    keys_mean: KeyMeaning = "auto"
    listened: tuple[HotkeyName, ...] = PLAYING_HOTKEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class Inject:
    """A batch of input events to inject now, in order.

    Attributes:
        batch: the batch's number; its receipt carries the same number.
        observed_ns: monotonic time of the frame these events answer to; 0 skips the age check.
    """

    kind: Literal["inject"] = "inject"
    batch: int
    events: tuple[InputEvent, ...]
    observed_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusTarget:
    """Hand the keyboard focus to the game (Start and Resume)."""

    kind: Literal["focus_target"] = "focus_target"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rearm:
    """Allows injection: sent on Start and on Resume, never automatically. Clears the latch.

    Attributes:
        seen: how many `Latched` the engine has received from this broker. A stop that the
            engine does not know yet is never cleared. None: not checked.
    """

    kind: Literal["rearm"] = "rearm"
    seen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disarm:
    """Injection ends (pause, stop): everything comes up and presses are refused."""

    kind: Literal["disarm"] = "disarm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latch:
    """Latch as if the stop key had been pressed (the console's emergency stop through the engine)."""

    kind: Literal["latch"] = "latch"
    cause: StopCause = StopCause.CONSOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """The engine lives. A gap longer than the limit counts as a hang."""

    kind: Literal["heartbeat"] = "heartbeat"


ToBroker = Configure | Inject | FocusTarget | Rearm | Disarm | Latch | Heartbeat


# ---- broker → engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """The reason why no agent may play now.

    Attributes:
        stop_keys: keys that could be the stop key, if it is the stop key that is missing.
    """

    what: str
    fix: str
    stop_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The broker can inject (or waits as the second one).

    Attributes:
        backend: "x11" (XTEST), "sway" (virtual keyboard and pointer) or "pynput".
        configured: it took a `Configure`: its hotkeys work.
        own_seat: it presses with a keyboard and pointer of the agent's own.
        gives_way: the agent's own are away, because the person types in a program that hears one keyboard.
        answers: number of `Configure` that this message answers.
        hotkeys: chords that could be grabbed from the game; the game still receives the others.
        obstacle: why no agent may play now; None: it may.
    """

    kind: Literal["ready"] = "ready"
    pid: int
    backend: str
    standby: bool
    configured: bool = False
    own_seat: bool = False
    gives_way: bool = False
    answers: int = 0
    hotkeys: tuple[str, ...] = ()
    obstacle: Obstacle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Reports one batch: each event sent at a time or refused for a cause."""

    kind: Literal["receipt"] = "receipt"
    batch: int
    events: tuple[SentEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latched:
    """Reports that every key is up and stays up until `Rearm`.

    Attributes:
        detail: one sentence for the operator ("you moved the mouse", "Pause was pressed").
        heard_ns: when the cause was noticed. up_ns: when the last key was up.
    """

    kind: Literal["latched"] = "latched"
    cause: StopCause
    detail: str
    heard_ns: int
    up_ns: int
    released: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusChanged:
    """The keyboard focus moved. Held keys are up when it left the game."""

    kind: Literal["focus_changed"] = "focus_changed"
    holder: FocusHolder
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HotkeyPressed:
    """Reports one of the operator's other hotkeys (never the stop key, which latches)."""

    kind: Literal["hotkey_pressed"] = "hotkey_pressed"
    name: Literal["pause", "start", "overlay", "clip", "keep"]
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonActed:
    """A person pressed, released, clicked, scrolled or moved the pointer in the game (only where
    `Configure.person`, or after a takeover where `Configure.follow`).

    Attributes:
        event: the input; the pointer's place in pixels of the game's client area. Of a move, dx and dy
            are the distance that the device moved.
        at_ns: when it happened, by the desktop's own stamp where its clock is ours.
    """

    kind: Literal["person_acted"] = "person_acted"
    event: InputEvent
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifiersHeld:
    """Reports the modifiers that somebody else holds: no press passes meanwhile, it would mean another."""

    kind: Literal["modifiers_held"] = "modifiers_held"
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Keys and buttons now held down by the broker, and when the last change was made."""

    kind: Literal["held"] = "held"
    keys: tuple[str, ...] = field(default=())
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerFault:
    """Something the operator should read (no XTEST, a grab that failed)."""

    kind: Literal["broker_fault"] = "broker_fault"
    what: str
    fix: str = ""


FromBroker = (
    Ready
    | Receipt
    | Latched
    | FocusChanged
    | HotkeyPressed
    | PersonActed
    | ModifiersHeld
    | Held
    | BrokerFault
)
