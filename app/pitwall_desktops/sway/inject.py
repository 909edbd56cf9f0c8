"""Presses keys and buttons by wlroots' virtual keyboard and virtual pointer."""

from __future__ import annotations

import os

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect
from pitwall.desktops.input_backend import held_name
from pitwall_desktops.sway.keycodes import BUTTON_CODES, KEY_CODES, MODIFIER_BITS, US_KEYMAP
from pitwall_desktops.sway.wayland_connection import WaylandConnection

_KEYBOARDS, _POINTERS = "zwp_virtual_keyboard_manager_v1", "zwlr_virtual_pointer_manager_v1"
_CREATE = 0
_KEYMAP, _KEY, _MODIFIERS = 0, 1, 2
_MOTION, _MOTION_ABSOLUTE, _BUTTON, _FRAME, _AXIS_SOURCE, _AXIS_DISCRETE = 0, 1, 2, 4, 5, 7
_XKB_TEXT, _WHEEL = 1, 0
_VERTICAL, _HORIZONTAL = 0, 1
_NOTCH = 15.0


class VirtualDevices:
    """A keyboard and a pointer of our own; the compositor brings their keys up when this process ends.

    Raises:
        DisplayError: the compositor cannot be reached, or lets no program have such devices; (by every
            method) it was lost.
    """

    def __init__(self) -> None:
        self._wayland = wayland = WaylandConnection()
        seat, keyboards, pointers = (wayland.bind(name, 1) for name in ("wl_seat", _KEYBOARDS, _POINTERS))
        if not (seat and keyboards and pointers):
            raise DisplayError(
                "this Wayland compositor lets no program press keys (virtual keyboard and pointer).",
                "Play in a sway session, or on X11.",
            )
        self._keyboard = wayland.new_id()
        wayland.request(keyboards, _CREATE, "on", seat, self._keyboard)
        self._send_keymap()
        self._pointer = wayland.new_id()
        wayland.request(pointers, _CREATE, "on", seat, self._pointer)
        self._held: set[str] = set()
        wayland.roundtrip()

    def fileno(self) -> int:
        return self._wayland.fileno()

    @property
    def modifiers(self) -> frozenset[str]:
        """Return the modifiers that this keyboard holds down."""
        return frozenset(self._held & MODIFIER_BITS.keys())

    def dispatch(self) -> None:
        """Handle events of the compositor. Never waits."""
        self._wayland.dispatch()

    def emit(self, event: InputEvent, place: tuple[float, float] | None, screen: Rect) -> None:
        """Send one event.

        Args:
            place: where on the screen, in logical units, for a mouse event that has a place.
            screen: all outputs together.
        """
        if event.kind in ("key_down", "key_up"):
            self._key(event.key, down=event.kind == "key_down")
            return
        if event.kind == "wait":
            return
        if place is not None:
            x, y = round(place[0] - screen.x), round(place[1] - screen.y)
            self._point(_MOTION_ABSOLUTE, "uuuuu", _now_ms(), x, y, screen.width, screen.height)
        if event.kind in ("mouse_down", "mouse_up"):
            down = event.kind == "mouse_down"
            (self._held.add if down else self._held.discard)(held_name(event))
            self._point(_BUTTON, "uuu", _now_ms(), BUTTON_CODES[event.button], int(down))
        elif event.kind == "mouse_look":
            self._point(_MOTION, "uff", _now_ms(), float(event.dx), float(event.dy))
        elif event.kind == "scroll":
            self._turn(_VERTICAL, event.dy)
            self._turn(_HORIZONTAL, event.dx)
        self._point(_FRAME)

    def settle(self) -> int:
        """Wait for the compositor to have handled everything sent; returns that monotonic time."""
        self._wayland.roundtrip()
        return now_ns()

    def release_all(self) -> tuple[str, ...]:
        """Release everything that these devices hold, and every button; return the held names."""
        held = tuple(sorted(self._held))
        for name in held:
            if name in KEY_CODES:
                self._key(name, down=False)
        for code in BUTTON_CODES.values():
            self._point(_BUTTON, "uuu", _now_ms(), code, 0)
        self._point(_FRAME)
        self._held.clear()
        self.settle()
        return held

    def close(self) -> None:
        self._wayland.close()

    # ---- inside

    def _key(self, name: str, *, down: bool) -> None:
        (self._held.add if down else self._held.discard)(name)
        self._wayland.request(self._keyboard, _KEY, "uuu", _now_ms(), KEY_CODES[name], int(down))
        if name in MODIFIER_BITS:
            bits = sum(MODIFIER_BITS[modifier] for modifier in self.modifiers)
            self._wayland.request(self._keyboard, _MODIFIERS, "uuuu", bits, 0, 0, 0)

    def _turn(self, axis: int, notches: int) -> None:
        way = 1 if notches > 0 else -1
        for _ in range(abs(notches)):
            self._point(_AXIS_SOURCE, "u", _WHEEL)
            self._point(_AXIS_DISCRETE, "uufi", _now_ms(), axis, _NOTCH * way, way)
            self._point(_FRAME)

    def _point(self, opcode: int, kinds: str = "", *values: float) -> None:
        self._wayland.request(self._pointer, opcode, kinds, *values)

    def _send_keymap(self) -> None:
        raw = US_KEYMAP.encode() + b"\0"
        fd = os.memfd_create("pitwall-keymap", os.MFD_CLOEXEC)
        try:
            os.write(fd, raw)
            self._wayland.request(self._keyboard, _KEYMAP, "uu", _XKB_TEXT, len(raw), fd=fd)
        finally:
            os.close(fd)


def _now_ms() -> int:
    return now_ns() // NS_PER_MS & 0xFFFFFFFF
