"""The Windows back end. The desktop cannot be held still here: the focus is asked right before each event."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from ctypes import wintypes
from typing import Any

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.injection import BrokerFault, Configure, FocusHolder, Obstacle
from pitwall.core.keys import parse_chord
from pitwall.desktops.input_backend import (
    DesktopState,
    FocusMoved,
    Heard,
    TargetGone,
    middle_of,
    no_key,
    no_stop_key,
)
from pitwall.link.wake_queue import WakeSignal
from pitwall_desktops.windows import handles
from pitwall_desktops.windows.focus import Focus
from pitwall_desktops.windows.hooks import Hooks
from pitwall_desktops.windows.inject import Injector, is_down
from pitwall_desktops.windows.input_watch import InputWatch, RawEvent

_USER: Any = None
if sys.platform == "win32":
    _USER = ctypes.WinDLL("user32")

_LOOK_NS = 10 * NS_PER_MS
"""Interval at which focus and game are checked, in addition to Windows' own events."""
_MODIFIER_KEYS = {"Shift": 0x10, "Control": 0x11, "Alt": 0x12, "Meta": 0x5B}


class WindowsInput:
    """See `InputBackend`."""

    name = "windows"
    own_seat = gives_way = False

    def __init__(self) -> None:
        handles.see_true_pixels()
        self._signal = WakeSignal()
        self._focus = Focus()
        self._watch = InputWatch(self._focus)
        self._injector = Injector()
        self._hooks: Hooks | None = None
        self._order: Configure | None = None
        self._holder = FocusHolder.OTHER
        self._look_ns = 0

    def fileno(self) -> int:
        return self._signal.fileno()

    def arm(self, armed: bool) -> list[BrokerFault]:
        del armed
        return []

    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        self._order = order
        self._focus.aim(order.target, order.console_pids)  # the engine reports a window that is gone
        hidden = self._watch.listen(order)
        if self._hooks is None:
            self._hooks = Hooks(self._take, self._signal.set)
        self._holder = self._focus.holder()
        return hidden, []

    @property
    def holder(self) -> FocusHolder:
        return self._holder

    @property
    def has_target(self) -> bool:
        return bool(self._focus.target)

    @property
    def obstacle(self) -> Obstacle | None:
        order = self._order
        if order is None or order.person:
            return None
        stop = parse_chord(order.hotkeys.stop)[1]
        if "stop" in order.listened and not self._has(stop):
            what = f"this keyboard layout has no key {order.hotkeys.stop}, which is to stop the agent."
            return no_stop_key(what, order, self._has)
        strange = [key for key in order.allowed_keys if not self._has(key)]
        return no_key("this keyboard layout", strange) if strange else None

    @property
    def foreign_modifiers(self) -> frozenset[str]:
        return _modifiers() - self._injector.held

    def watch_people(self, watch: bool, *, playing: bool = False) -> None:
        self._watch.look_for_people(watch, playing=playing)

    def hear(self) -> list[Heard]:
        self._signal.clear()
        if self._order is None:
            return []
        if self._hooks is not None:
            self._hooks.check()
        at_ns = now_ns()
        self._look_ns = at_ns
        heard: list[Heard] = []
        if self._focus.lost():
            heard.append(TargetGone(at_ns=at_ns))
        holder = self._focus.holder()
        if holder is not self._holder:
            self._holder = holder
            heard.append(FocusMoved(holder=holder, at_ns=at_ns))
        return heard + self._watch.judge(at_ns)

    def next_deadline_ns(self) -> int | None:
        if self._order is None:
            return None
        look, modifier = self._look_ns + _LOOK_NS, self._watch.next_deadline_ns()
        return look if modifier is None else min(look, modifier)

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        yield

    def desktop_state(self, event: InputEvent) -> DesktopState:
        focused = self._focus.holder() is FocusHolder.GAME
        modifiers, foreign = _modifiers(), self.foreign_modifiers
        if event.kind in ("key_down", "key_up"):
            return DesktopState(focused=focused, modifiers=modifiers, foreign=foreign)
        if event.x is not None and event.y is not None:
            place = self._focus.place(event.x, event.y)
            over_game = self._focus.is_over_game(*place)
            return DesktopState(
                focused=focused,
                modifiers=modifiers,
                foreign=foreign,
                over_game=over_game,
                place=place if over_game else None,
            )
        pointer = wintypes.POINT()
        _USER.GetCursorPos(ctypes.byref(pointer))
        if event.kind == "mouse_look":  # it presses nothing: what covers the game there does not matter
            over_game = self._focus.is_inside(pointer.x, pointer.y)
            if not over_game and (middle := middle_of(self._order)) is not None:
                return self.desktop_state(middle)
        else:
            over_game = event.kind != "mouse_move" and self._focus.is_over_game(pointer.x, pointer.y)
        return DesktopState(focused=focused, modifiers=modifiers, foreign=foreign, over_game=over_game)

    def knows(self, event: InputEvent) -> bool:
        return self._injector.knows(event)

    def emit(self, event: InputEvent, place: tuple[int, int] | None = None) -> None:
        self._injector.emit(event, place)

    def settle(self) -> int:
        return now_ns()  # SendInput returns once the event is in the system's queue

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Release every key that is down: Windows does not reveal who holds it."""
        del everything
        return self._injector.sweep()

    def focus_target(self) -> None:
        self._focus.take()

    def close(self) -> None:
        if self._hooks is not None:
            self._hooks.close()

    def _has(self, key: str) -> bool:
        return self.knows(InputEvent(kind="key_down", key=key))

    def _take(self, event: RawEvent) -> bool:
        hidden = self._watch.take(event)
        if not event.own:
            self._signal.set()
        return hidden


def _modifiers() -> frozenset[str]:
    """Return the modifiers that are down, whoever pressed them."""
    return frozenset(name for name, virtual in _MODIFIER_KEYS.items() if is_down(virtual))
