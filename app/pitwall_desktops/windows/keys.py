"""Canonical key names as Windows' scan codes and virtual keys, and back.

Games read scan codes (a key's place), so a press carries one. The layout in force gives a character's place;
named keys are at the same place on every keyboard.
"""

from __future__ import annotations

import ctypes
import string
import sys
from typing import Any, NamedTuple

from pitwall.core.keys import CHARACTER_KEYS

_USER: Any = None
if sys.platform == "win32":
    _USER = ctypes.WinDLL("user32")

_TO_SCAN, _TO_CHARACTER = 0, 2
_VK_CANCEL = 0x03
"""Ctrl+Pause comes as this key of its own."""


class Code(NamedTuple):
    """A key's place: scan code, whether it is one of the extended keys, and its virtual key."""

    scan: int
    extended: bool
    virtual: int


_NAMED = {
    "Escape": Code(0x01, False, 0x1B),
    "Backspace": Code(0x0E, False, 0x08),
    "Tab": Code(0x0F, False, 0x09),
    "Enter": Code(0x1C, False, 0x0D),
    "Control": Code(0x1D, False, 0xA2),
    "Shift": Code(0x2A, False, 0xA0),
    "Alt": Code(0x38, False, 0xA4),
    "AltGraph": Code(0x38, True, 0xA5),
    "Meta": Code(0x5B, True, 0x5B),
    "ContextMenu": Code(0x5D, True, 0x5D),
    "Space": Code(0x39, False, 0x20),
    "CapsLock": Code(0x3A, False, 0x14),
    "NumLock": Code(0x45, True, 0x90),
    "ScrollLock": Code(0x46, False, 0x91),
    "Pause": Code(0x45, False, 0x13),
    "PrintScreen": Code(0x37, True, 0x2C),
    "Home": Code(0x47, True, 0x24),
    "ArrowUp": Code(0x48, True, 0x26),
    "PageUp": Code(0x49, True, 0x21),
    "ArrowLeft": Code(0x4B, True, 0x25),
    "ArrowRight": Code(0x4D, True, 0x27),
    "End": Code(0x4F, True, 0x23),
    "ArrowDown": Code(0x50, True, 0x28),
    "PageDown": Code(0x51, True, 0x22),
    "Insert": Code(0x52, True, 0x2D),
    "Delete": Code(0x53, True, 0x2E),
    "NumpadMultiply": Code(0x37, False, 0x6A),
    "NumpadAdd": Code(0x4E, False, 0x6B),
    "NumpadSubtract": Code(0x4A, False, 0x6D),
    "NumpadDecimal": Code(0x53, False, 0x6E),
    "NumpadDivide": Code(0x35, True, 0x6F),
    "NumpadEnter": Code(0x1C, True, 0x0D),
    **{
        f"Numpad{digit}": Code(scan, False, 0x60 + digit)
        for digit, scan in enumerate((0x52, 0x4F, 0x50, 0x51, 0x4B, 0x4C, 0x4D, 0x47, 0x48, 0x49))
    },
    **{f"F{n}": Code(0x3A + n, False, 0x6F + n) for n in range(1, 11)},
    **{f"F{n}": Code(0x4C + n, False, 0x6F + n) for n in (11, 12)},
    **{f"F{n}": Code(0x57 + n, False, 0x6F + n) for n in range(13, 24)},
    "F24": Code(0x76, False, 0x87),
}
_BY_VIRTUAL = {code.virtual: name for name, code in _NAMED.items() if name != "NumpadEnter"} | {
    0x10: "Shift",
    0xA1: "Shift",
    0x11: "Control",
    0xA3: "Control",
    0x12: "Alt",
    0x5C: "Meta",
    _VK_CANCEL: "Pause",
}
BY_VIRTUAL_ONLY = frozenset(("Pause", "PrintScreen"))
"""Their scan code alone would be another key's."""


def code_of(name: str) -> Code | None:
    """Return the place of a key on the keyboard layout in force; None if it has none."""
    if name not in CHARACTER_KEYS:
        return _NAMED.get(name)
    scanned = int(_USER.VkKeyScanW(ord(name))) & 0xFFFF
    virtual, with_modifiers = scanned & 0xFF, scanned >> 8
    if scanned == 0xFFFF or with_modifiers:
        return None
    return Code(int(_USER.MapVirtualKeyW(virtual, _TO_SCAN)), False, virtual)


def name_of(virtual: int, *, extended: bool) -> str:
    """Return the canonical name of a virtual key; empty if it has none."""
    if virtual == _NAMED["Enter"].virtual:
        return "NumpadEnter" if extended else "Enter"
    if (named := _BY_VIRTUAL.get(virtual)) is not None:
        return named
    if chr(virtual) in string.ascii_uppercase + string.digits:
        return chr(virtual).lower()
    character = chr(int(_USER.MapVirtualKeyW(virtual, _TO_CHARACTER)) & 0xFFFF).lower()
    return character if character in CHARACTER_KEYS else ""
