"""Canonical key names as the kernel's key codes on a US keyboard, and as sway's names for its bindings."""

from __future__ import annotations

_ROWS = {2: "1234567890-=", 16: "qwertyuiop[]", 30: "asdfghjkl;'`", 43: "\\zxcvbnm,./"}
_NAMED = {
    "Escape": 1,
    "Backspace": 14,
    "Tab": 15,
    "Enter": 28,
    "Control": 29,
    "Shift": 42,
    "NumpadMultiply": 55,
    "Alt": 56,
    "Space": 57,
    "CapsLock": 58,
    "NumLock": 69,
    "ScrollLock": 70,
    "NumpadSubtract": 74,
    "NumpadAdd": 78,
    "NumpadDecimal": 83,
    "F11": 87,
    "F12": 88,
    "NumpadEnter": 96,
    "NumpadDivide": 98,
    "PrintScreen": 99,
    "AltGraph": 100,
    "Home": 102,
    "ArrowUp": 103,
    "PageUp": 104,
    "ArrowLeft": 105,
    "ArrowRight": 106,
    "End": 107,
    "ArrowDown": 108,
    "PageDown": 109,
    "Insert": 110,
    "Delete": 111,
    "Pause": 119,
    "Meta": 125,
    "ContextMenu": 127,
}
_NUMPAD = dict(zip("7894561230", (71, 72, 73, 75, 76, 77, 79, 80, 81, 82), strict=True))
KEY_CODES: dict[str, int] = {
    **_NAMED,
    **{key: first + at for first, row in _ROWS.items() for at, key in enumerate(row)},
    **{f"F{n}": 58 + n for n in range(1, 11)},
    **{f"F{n}": 170 + n for n in range(13, 25)},
    **{f"Numpad{digit}": code for digit, code in _NUMPAD.items()},
}
BUTTON_CODES = {"left": 0x110, "right": 0x111, "middle": 0x112}

MODIFIER_BITS = {"Shift": 1, "Control": 4, "Alt": 8, "Meta": 64, "AltGraph": 128}
"""Bits of the modifiers of `US_KEYMAP`."""
US_KEYMAP = (
    'xkb_keymap { xkb_keycodes { include "evdev+aliases(qwerty)" }; xkb_types { include "complete" }; '
    'xkb_compat { include "complete" }; xkb_symbols { include "pc+us+inet(evdev)" }; };'
)

SWAY_MODIFIERS = {"Shift": "Shift", "Control": "Ctrl", "Alt": "Mod1", "Meta": "Mod4", "AltGraph": "Mod5"}
_SYMBOLS = {
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "ArrowUp": "Up",
    "ArrowDown": "Down",
    "Enter": "Return",
    "Space": "space",
    "Backspace": "BackSpace",
    "PageUp": "Prior",
    "PageDown": "Next",
    "CapsLock": "Caps_Lock",
    "NumLock": "Num_Lock",
    "ScrollLock": "Scroll_Lock",
    "PrintScreen": "Print",
    "ContextMenu": "Menu",
    "-": "minus",
    "=": "equal",
    ",": "comma",
    ".": "period",
    "/": "slash",
    "\\": "backslash",
    ";": "semicolon",
    "'": "apostrophe",
    "`": "grave",
    "[": "bracketleft",
    "]": "bracketright",
}


def sway_symbol(key: str) -> str:
    """Return the name by which sway binds a key."""
    if key.startswith("Numpad"):
        return f"KP_{key.removeprefix('Numpad')}"
    return _SYMBOLS.get(key, key)
