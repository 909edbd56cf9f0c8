"""Presses and releases by XTEST, and finds the keys and buttons that are down."""

from __future__ import annotations

from typing import Any

from pitwall.core.actions import Button, InputEvent
from pitwall.core.clock import now_ns
from pitwall.desktops.input_backend import BUTTON_NAMES, held_name
from pitwall.desktops.takeover import Expected
from pitwall.desktops.x11.display import (
    BUTTON_PRESS,
    BUTTON_RELEASE,
    KEY_PRESS,
    KEY_RELEASE,
    MOTION,
    Display,
)
from pitwall.desktops.x11.keymap import Keymap

BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7
_KEY_CLASS, _BUTTON_CLASS = 0, 1
_XTEST_POINTER, _XTEST_KEYBOARD = 4, 5
"""The core XTEST devices have these ids on every server (dix/devices.c makes them first)."""
_BUTTON_STATE_BIT = 8
"""Bit of button 1 in the modifier-and-button mask."""
_LAST_STATE_BUTTON = 5


class Injector:
    """XTEST events by canonical names. A release uses the keycode that its press used."""

    def __init__(self, display: Display, keymap: Keymap, expected: Expected) -> None:
        self._display = display
        self._keymap = keymap
        self._expected = expected
        self._pressed: dict[str, int] = {}
        for device in (_XTEST_KEYBOARD, _XTEST_POINTER):
            display.xinput.OpenDevice(device).reply()

    def knows(self, event: InputEvent) -> bool:
        """Return whether the event can be sent on this keyboard layout."""
        if event.kind in ("key_down", "key_up"):
            return event.key in self._pressed or self._keymap.code(event.key) is not None
        return True

    def emit(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        """Send one event, unflushed.

        Args:
            place: where on the root, for a mouse event that has a place.
        """
        if event.kind == "key_down":
            code = self._keymap.code(event.key)
            assert code is not None, "asked to press an unknown key"
            self._pressed[event.key] = code
            self._press(KEY_PRESS, code)
        elif event.kind == "key_up":
            up = self._pressed.pop(event.key, None) or self._keymap.code(event.key)
            if up is not None:
                self._display.fake(KEY_RELEASE, up)
        elif event.kind != "wait":
            self._mouse(event, place)

    def settle(self) -> int:
        """Wait for the server to have handled everything sent; returns that monotonic time."""
        self._display.core.QueryKeymap().reply()
        return now_ns()

    def held_by_xtest(self) -> tuple[list[int], list[int]]:
        """Return keycodes and buttons that are down on the XTEST devices: ours or another injector's."""
        keys = self._device_bits(_XTEST_KEYBOARD, _KEY_CLASS)
        return keys, self._device_bits(_XTEST_POINTER, _BUTTON_CLASS)

    def down_at_all(self) -> tuple[list[int], list[int]]:
        """Return keycodes and buttons that are down on the desktop, whoever pressed them."""
        keys = _bits(bytes(self._display.core.QueryKeymap().reply().keys))
        mask = self._display.core.QueryPointer(self._display.root).reply().mask
        buttons = [n for n in range(1, _LAST_STATE_BUTTON + 1) if mask >> (_BUTTON_STATE_BIT + n - 1) & 1]
        return keys, buttons

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Release what is down on the XTEST devices, or at all; return the names."""
        keys, buttons = self.held_by_xtest()
        if everything:
            more_keys, more_buttons = self.down_at_all()
            keys, buttons = sorted({*keys, *more_keys}), sorted({*buttons, *more_buttons})
        for code in keys:
            self._display.fake(KEY_RELEASE, code)
        for button in buttons:
            self._display.fake(BUTTON_RELEASE, button)
        self._pressed.clear()
        self.settle()
        named = {number: BUTTON_NAMES[button] for button, number in BUTTONS.items()}
        return (
            *(self._keymap.name(code) or f"keycode {code}" for code in keys),
            *(named.get(button, f"button {button}") for button in buttons),
        )

    def _mouse(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        if place is not None:
            self._expected.expect("motion", 0, now_ns())
            self._display.fake(MOTION, 0, *place)
        if event.kind == "mouse_down":
            self._pressed[held_name(event)] = BUTTONS[event.button]
            self._press(BUTTON_PRESS, BUTTONS[event.button])
        elif event.kind == "mouse_up":
            self._pressed.pop(held_name(event), None)
            self._display.fake(BUTTON_RELEASE, BUTTONS[event.button])
        elif event.kind == "scroll":
            self._turn(event.dy, _WHEEL_UP, _WHEEL_DOWN)
            self._turn(event.dx, _WHEEL_LEFT, _WHEEL_RIGHT)

    def _turn(self, notches: int, back: int, forth: int) -> None:
        for _ in range(abs(notches)):
            self._press(BUTTON_PRESS, forth if notches > 0 else back)
            self._display.fake(BUTTON_RELEASE, forth if notches > 0 else back)

    def _press(self, kind: int, detail: int) -> None:
        self._expected.expect("key" if kind == KEY_PRESS else "button", detail, now_ns())
        self._display.fake(kind, detail)

    def _device_bits(self, device: int, wanted_class: int) -> list[int]:
        """Read the bits of one input class from a QueryDeviceState reply, which xcffib cannot decode."""
        cookie: Any = self._display.xinput.QueryDeviceState(device)
        raw = bytes(self._display.connection.wait_for_reply(cookie.sequence).buf)
        at = 32
        for _ in range(raw[8]):
            kind, length = raw[at], raw[at + 1]
            if kind == wanted_class:
                return _bits(raw[at + 4 : at + 36])
            at += length
        return []


def _bits(state: bytes) -> list[int]:
    return [number for number in range(len(state) * 8) if state[number // 8] >> (number % 8) & 1]
