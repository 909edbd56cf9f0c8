"""Defines how a desktop hears and presses keys and buttons, and what it reports to the broker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from pitwall.core.actions import Button, InputEvent
from pitwall.core.injection import BrokerFault, Configure, FocusHolder, HotkeyName, Obstacle
from pitwall.core.keys import parse_chord

BUTTON_NAMES: dict[Button, str] = {"left": "MouseLeft", "middle": "MouseMiddle", "right": "MouseRight"}
"""Names of held buttons, beside the canonical names of keys."""
UNKNOWN_KEY = "Unidentified"
"""Stands for a key that has no canonical name."""


def held_name(event: InputEvent) -> str:
    """Return the name of the key or button that a press or release is about."""
    return event.key if event.kind in ("key_down", "key_up") else BUTTON_NAMES[event.button]


def middle_of(order: Configure | None) -> InputEvent | None:
    """Return the move into the middle of the game, for a look while the pointer is elsewhere."""
    if order is None or order.target is None:
        return None
    rect = order.target.rect
    return InputEvent(kind="mouse_move", x=rect.width // 2, y=rect.height // 2)


@dataclass(frozen=True, slots=True)
class Chord:
    """A hotkey of the operator: a key, with the modifiers that must be down."""

    name: HotkeyName
    text: str
    modifiers: frozenset[str]
    key: str

    def fits(self, modifiers: frozenset[str]) -> bool:
        """Return whether a press of the key under these modifiers is meant; the stop key takes any more."""
        return self.modifiers <= modifiers if self.name == "stop" else self.modifiers == modifiers


_STOP_KEYS = ("Pause", "F12", "F11", "F10", "F9", "F8", "F7", "F6", "End", "Insert")
_MOST_OFFERED = 3


def no_stop_key(what: str, order: Configure, usable: Callable[[str], bool]) -> Obstacle:
    """Return the obstacle of a stop key that is not heard, with keys that could take its place.

    Args:
        usable: whether this keyboard has a key, and no other program uses it.
    """
    others = {parse_chord(str(getattr(order.hotkeys, name)))[1] for name in order.listened if name != "stop"}
    free = (key for key in _STOP_KEYS if key not in others and key not in order.allowed_keys and usable(key))
    offered = tuple(itertools.islice(free, _MOST_OFFERED))
    if not offered:
        return Obstacle(what=what, fix="Choose another stop key: Settings, Keys.")
    return Obstacle(
        what=what,
        fix=f"Choose another stop key, for example {offered[0]}: Settings, Keys, or "
        f"pitwall settings set hotkeys.stop {offered[0]}",
        stop_keys=offered,
    )


def no_key(where: str, keys: Iterable[str]) -> Obstacle:
    """Return the obstacle of a game whose keys this keyboard cannot press."""
    return Obstacle(
        what=f"{where} cannot press {', '.join(keys)}, which this game uses.",
        fix='Give its actions other keys, or write keys_mean = "place" under [controls] of its plugin.toml.',
    )


def chords_of(order: Configure) -> list[Chord]:
    """Return the hotkeys that an order asks to hear."""
    texts = [(name, str(getattr(order.hotkeys, name))) for name in order.listened]
    return [Chord(name, text, *parse_chord(text)) for name, text in texts]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """The state of the desktop at the moment of a press.

    Attributes:
        focused: the keyboard's next press reaches the game.
        over_game: the place of a mouse event belongs to the game.
        place: that place on the desktop, if the event names one.
        modifiers: modifiers that are down on the desktop, whoever pressed them.
        foreign: those of them that the broker does not hold.
    """

    focused: bool
    over_game: bool = False
    place: tuple[int, int] | None = None
    modifiers: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusMoved:
    """The keyboard's next press reaches another window than before."""

    holder: FocusHolder
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HotkeyHeard:
    """Reports that one of the operator's keys went down. `text` names it for the operator."""

    name: HotkeyName
    text: str
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanInput:
    """Somebody other than the broker pressed or moved something in the game.

    Attributes:
        event: the input, where a person's play is watched; None for a moved pointer.
    """

    text: str
    at_ns: int
    event: InputEvent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGone:
    """The game's window was destroyed."""

    at_ns: int


Heard = FocusMoved | HotkeyHeard | HumanInput | TargetGone


class InputBackend(Protocol):
    """Drives one desktop. Every call may raise DisplayError: the desktop is gone."""

    name: str

    def fileno(self) -> int: ...

    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        """Aim at the target and start to listen for the hotkeys.

        Returns:
            The chords hidden from the game, and notes for the operator.
        """
        ...

    @property
    def holder(self) -> FocusHolder:
        """Return the keyboard's holder as of the last `configure` or `FocusMoved`."""
        ...

    @property
    def has_target(self) -> bool: ...

    @property
    def own_seat(self) -> bool:
        """Return whether the agent has a keyboard and pointer of its own, apart from the person's."""
        ...

    @property
    def gives_way(self) -> bool:
        """Return whether the agent's own are away, because a program in use would not hear the person's."""
        ...

    def arm(self, armed: bool) -> list[BrokerFault]:
        """Take in whether presses may pass; the agent's own keyboard and pointer exist only then."""
        ...

    @property
    def obstacle(self) -> Obstacle | None:
        """Return why no agent may play, as of the last `configure` or `hear`; None: it may."""
        ...

    @property
    def foreign_modifiers(self) -> frozenset[str]:
        """Return the modifiers that somebody else holds, as of the last `configure` or `hear`."""
        ...

    def watch_people(self, watch: bool, *, playing: bool = False) -> None:
        """Choose whether human input in the game is reported (only while presses may pass).

        Args:
            playing: a person plays: each press, click and release is heard, with the event it was.
        """
        ...

    def hear(self) -> list[Heard]:
        """Return the events since the last call, in order; never waits."""
        ...

    def next_deadline_ns(self) -> int | None:
        """Return when `hear` must be called even if nothing is readable."""
        ...

    def still(self) -> AbstractContextManager[None]:
        """Hold the focus still for the time of the block, so that `desktop_state` stays true."""
        ...

    def desktop_state(self, event: InputEvent) -> DesktopState:
        """Return the state of the desktop now, for this event; inside `still`."""
        ...

    def knows(self, event: InputEvent) -> bool:
        """Return whether an event can be injected: a key needs a place of its own on this keyboard layout."""
        ...

    def emit(self, event: InputEvent, place: tuple[int, int] | None = None) -> None:
        """Inject one known event, at the place that `desktop_state` returned for it."""
        ...

    def settle(self) -> int:
        """Wait until everything emitted has arrived; return that monotonic time."""
        ...

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Release what any injector left down (`everything`: all keys that are down); return the names."""
        ...

    def focus_target(self) -> None:
        """Ask for the keyboard focus for the game; a `FocusMoved` reports the result."""
        ...

    def close(self) -> None: ...
