"""Presses and releases by XTEST, and finds the keys and buttons that are down."""

from __future__ import annotations

from pitwall.core.actions import InputEvent
from pitwall.core.clock import now_ns
from pitwall.desktops.input_backend import BUTTON_NAMES, held_name
from pitwall.desktops.takeover import Expected, Kind
from pitwall.desktops.x11.display import (
    BUTTON_PRESS,
    BUTTON_RELEASE,
    KEY_PRESS,
    KEY_RELEASE,
    MOTION,
    RELATIVE,
    Display,
)
from pitwall.desktops.x11.keymap import Keymap, Stroke
from pitwall.desktops.x11.pointer_map import BUTTONS, PointerMap
from pitwall.desktops.x11.seat import SharedSeat, bits

_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7
_BUTTON_STATE_BIT = 8
"""Bit of button 1 in the modifier-and-button mask."""
_LAST_STATE_BUTTON = 5


class Injector:
    """XTEST events by canonical names. A release uses the keycode or button that its press used.

    Attributes:
        seat: the keyboard and pointer to press with.
    """

    def __init__(
        self,
        display: Display,
        keymap: Keymap,
        pointer_map: PointerMap,
        expected: Expected,
        seat: SharedSeat,
    ) -> None:
        self._display = display
        self._keymap = keymap
        self._pointer_map = pointer_map
        self._expected = expected
        self._pressed: dict[str, int] = {}
        self.seat = seat

    def knows(self, event: InputEvent) -> bool:
        """Return whether the event can be sent with the keyboard layout and pointer mapping in force."""
        if event.kind in ("key_down", "key_up"):
            return event.key in self._pressed or self._keymap.stroke(event.key) is not None
        if event.kind == "mouse_down":
            return self._pointer_map.physical(BUTTONS[event.button]) is not None
        return True

    @property
    def held(self) -> frozenset[str]:
        """Return the keys and buttons that these devices hold."""
        return frozenset(self._pressed)

    def emit(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        """Send one event, unflushed.

        Args:
            place: where on the root, for a mouse event that has a place.
        """
        if event.kind == "key_down":
            stroke = self._keymap.stroke(event.key)
            assert stroke is not None, "asked to press an unknown key"
            self._pressed[event.key] = stroke.code
            self._strike(stroke)
        elif event.kind == "key_up":
            up = self._pressed.pop(event.key, None) or self._keymap.code(event.key)
            if up is not None:
                self.seat.fake(KEY_RELEASE, up)
        elif event.kind != "wait":
            self._mouse(event, place)

    def settle(self) -> int:
        """Wait for the server to have handled everything sent; returns that monotonic time."""
        self._display.core.QueryKeymap().reply()
        return now_ns()

    def down_at_all(self) -> tuple[list[int], list[int]]:
        """Return keycodes and buttons that are down on the desktop, whoever pressed them."""
        keys = bits(bytes(self._display.core.QueryKeymap().reply().keys))
        mask = self._display.core.QueryPointer(self._display.root).reply().mask
        buttons = [n for n in range(1, _LAST_STATE_BUTTON + 1) if mask >> (_BUTTON_STATE_BIT + n - 1) & 1]
        return keys, buttons

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        """Release what is down on the XTEST devices, or at all; return the names."""
        keys, buttons = self.seat.held()
        if everything:
            more_keys, more_buttons = self.down_at_all()
            keys, buttons = sorted({*keys, *more_keys}), sorted({*buttons, *more_buttons})
        for code in keys:
            self.seat.fake(KEY_RELEASE, code)
        for button in buttons:
            self.seat.fake(BUTTON_RELEASE, button)
        self._pressed.clear()
        self.settle()
        named = {number: BUTTON_NAMES[button] for button, number in BUTTONS.items()}
        logical = (self._pointer_map.logical(button, self.seat.xtest_pointer) for button in buttons)
        return (
            *(self._keymap.name(code) or f"keycode {code}" for code in keys),
            *(named.get(button, f"button {button}") for button in logical),
        )

    def _strike(self, stroke: Stroke) -> None:
        """Press a key; the modifiers that choose its letter are down only as it goes down."""
        added = [name for name in stroke.modifiers if name not in self._pressed]
        codes = [code for name in added if (code := self._keymap.code(name)) is not None]
        for code in (*codes, stroke.code):
            self._press(KEY_PRESS, code)
        for code in reversed(codes):
            self.seat.fake(KEY_RELEASE, code)

    def _mouse(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        if place is not None:
            self._expect("motion", 0)
            self.seat.fake(MOTION, 0, *place)
        if event.kind == "mouse_look":
            self._expect("motion", 0)
            self.seat.fake(MOTION, RELATIVE, event.dx, event.dy)
        elif event.kind == "mouse_down":
            button = self._pointer_map.physical(BUTTONS[event.button])
            assert button is not None, "asked to press a button that the pointer's mapping lacks"
            self._pressed[held_name(event)] = button
            self._press(BUTTON_PRESS, button)
        elif event.kind == "mouse_up":
            up = self._pressed.pop(held_name(event), None) or self._pointer_map.physical(
                BUTTONS[event.button]
            )
            if up is not None:
                self.seat.fake(BUTTON_RELEASE, up)
        elif event.kind == "scroll":
            self._turn(event.dy, _WHEEL_UP, _WHEEL_DOWN)
            self._turn(event.dx, _WHEEL_LEFT, _WHEEL_RIGHT)

    def _turn(self, notches: int, back: int, forth: int) -> None:
        button = self._pointer_map.physical(forth if notches > 0 else back)
        if button is None:
            return
        for _ in range(abs(notches)):
            self._press(BUTTON_PRESS, button)
            self.seat.fake(BUTTON_RELEASE, button)

    def _press(self, kind: int, detail: int) -> None:
        self._expect("key" if kind == KEY_PRESS else "button", detail)
        self.seat.fake(kind, detail)

    def _expect(self, kind: Kind, detail: int) -> None:
        if not self.seat.own:  # the devices of an own seat tell whose an event is
            self._expected.expect(kind, detail, now_ns())
