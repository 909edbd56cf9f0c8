"""Presses keys and moves the mouse by SendInput. Each event carries a mark that the hooks know."""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any

from pitwall.core.actions import Button, InputEvent
from pitwall.core.errors import DisplayError
from pitwall.core.keys import KEYS
from pitwall.desktops.input_backend import held_name
from pitwall_desktops.windows import handles
from pitwall_desktops.windows.keys import BY_VIRTUAL_ONLY, Code, code_of

OWN = 0x50495457
"""Marks our own input: the dwExtraInfo of everything that a broker sends."""
PROBE_KEY = 0xE8
"""A virtual key that no keyboard has."""
_USER: Any = None
if sys.platform == "win32":
    _USER = ctypes.WinDLL("user32")
    _USER.GetAsyncKeyState.restype = ctypes.c_short

_MOUSE, _KEYBOARD = 0, 1
_KEY_EXTENDED, _KEY_UP, _KEY_SCAN = 0x1, 0x2, 0x8
_MOVE, _WHEEL, _SIDEWAYS, _WHOLE_DESKTOP, _ABSOLUTE = 0x1, 0x800, 0x1000, 0x4000, 0x8000
_BUTTONS: dict[Button, tuple[int, int, int]] = {
    "left": (0x2, 0x4, 0x01),
    "right": (0x8, 0x10, 0x02),
    "middle": (0x20, 0x40, 0x04),
}
"""Flags for down and up, and the virtual key of the button."""
_SWAPPED = 23
"""GetSystemMetrics: whether the left and the right button are swapped."""
_NOTCH = 120
_FULL = 65_536


class _MouseInput(ctypes.Structure):
    """MOUSEINPUT."""

    _fields_ = (
        ("dx", wintypes.LONG),
        ("dy", wintypes.LONG),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("mark", ctypes.c_size_t),
    )


class _KeyInput(ctypes.Structure):
    """KEYBDINPUT."""

    _fields_ = (
        ("virtual", wintypes.WORD),
        ("scan", wintypes.WORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("mark", ctypes.c_size_t),
    )


class _Either(ctypes.Union):
    _fields_ = (("mouse", _MouseInput), ("key", _KeyInput))


class _Input(ctypes.Structure):
    """INPUT."""

    _fields_ = (("kind", wintypes.DWORD), ("event", _Either))


class Injector:
    """Sends events, and knows which keys it holds."""

    def __init__(self) -> None:
        self._pressed: dict[str, Code] = {}
        keys_down()  # the first look loads the layout: no time for that when another broker has died

    def knows(self, event: InputEvent) -> bool:
        """Return whether the event can be sent on this keyboard layout."""
        if event.kind in ("key_down", "key_up"):
            return event.key in self._pressed or code_of(event.key) is not None
        return True

    @property
    def held(self) -> frozenset[str]:
        """Return the keys that it holds."""
        return frozenset(self._pressed)

    def emit(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        """Send one event.

        Args:
            place: where on the screen, for a mouse event that has a place.

        Raises:
            DisplayError: Windows takes no input now (a locked screen, a prompt for an administrator).
        """
        if event.kind == "key_down":
            code = code_of(event.key)
            assert code is not None, "asked to press an unknown key"
            self._pressed[event.key] = code
            _send_key(event.key, code, up=False)
        elif event.kind == "key_up":
            up = self._pressed.pop(event.key, None) or code_of(event.key)
            if up is not None:
                _send_key(event.key, up, up=True)
        elif event.kind != "wait":
            self._emit_mouse(event, place)

    def sweep(self) -> tuple[str, ...]:
        """Release every key and button that is down, whoever pressed it; return the names."""
        names = []
        for name, code in keys_down():
            _send_key(name, code, up=True)
            names.append(name)
        for button, (_down, up, virtual) in _BUTTONS.items():
            if is_down(virtual):
                _send_mouse(up)
                names.append(held_name(InputEvent(kind="mouse_down", button=button)))
        self._pressed.clear()
        return tuple(names)

    def _emit_mouse(self, event: InputEvent, place: tuple[int, int] | None) -> None:
        if place is not None:
            _send_mouse(_MOVE | _ABSOLUTE | _WHOLE_DESKTOP, *_in_units(place))
        if event.kind == "mouse_look":
            _send_mouse(_MOVE, event.dx, event.dy)
        elif event.kind == "mouse_down":
            _send_mouse(_physical(event.button)[0])
        elif event.kind == "mouse_up":
            _send_mouse(_physical(event.button)[1])
        elif event.kind == "scroll":
            _turn(_WHEEL, -event.dy)
            _turn(_SIDEWAYS, event.dx)


def send_probe() -> None:
    """Send the release of a key that no keyboard has, for the hooks to hear.

    Raises:
        DisplayError: as `Injector.emit`.
    """
    _send(_Input(kind=_KEYBOARD, event=_Either(key=_KeyInput(virtual=PROBE_KEY, flags=_KEY_UP, mark=OWN))))


def is_down(virtual: int) -> bool:
    """Return whether a key or button is down now, whoever pressed it."""
    return bool(_USER.GetAsyncKeyState(virtual) & 0x8000)


def keys_down() -> list[tuple[str, Code]]:
    """List the keys that are down now, whoever pressed them."""
    codes = ((name, code_of(name)) for name in sorted(KEYS))
    return [(name, code) for name, code in codes if code is not None and is_down(code.virtual)]


def _physical(button: Button) -> tuple[int, int, int]:
    """Return the button to press for a game to get this button: left-handed mice have them swapped."""
    if _USER.GetSystemMetrics(_SWAPPED) and button != "middle":
        button = "right" if button == "left" else "left"
    return _BUTTONS[button]


def _in_units(place: tuple[int, int]) -> tuple[int, int]:
    """Convert a pixel of the desktop to SendInput's absolute units, which no acceleration changes."""
    area = handles.virtual_screen()
    x, y = place[0] - area.x, place[1] - area.y
    return (
        (x * _FULL + _FULL // 2) // max(1, area.width),
        (y * _FULL + _FULL // 2) // max(1, area.height),
    )


def _turn(wheel: int, notches: int) -> None:
    for _ in range(abs(notches)):
        _send_mouse(wheel, data=_NOTCH if notches > 0 else -_NOTCH)


def _send_key(name: str, code: Code, *, up: bool) -> None:
    flags = (_KEY_EXTENDED if code.extended else 0) | (_KEY_UP if up else 0)
    virtual = code.virtual if name in BY_VIRTUAL_ONLY else 0
    flags |= 0 if virtual else _KEY_SCAN
    key = _KeyInput(virtual=virtual, scan=code.scan, flags=flags, mark=OWN)
    _send(_Input(kind=_KEYBOARD, event=_Either(key=key)))


def _send_mouse(flags: int, x: int = 0, y: int = 0, *, data: int = 0) -> None:
    mouse = _MouseInput(dx=x, dy=y, data=data & 0xFFFFFFFF, flags=flags, mark=OWN)
    _send(_Input(kind=_MOUSE, event=_Either(mouse=mouse)))


def _send(entry: _Input) -> None:
    if not _USER.SendInput(1, ctypes.byref(entry), ctypes.sizeof(entry)):
        raise DisplayError(
            "Windows takes no input from programs now.",
            "Unlock the screen, or answer the prompt for an administrator, and start again.",
        )
