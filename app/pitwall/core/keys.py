"""Canonical key names (the DOM's names) and their aliases (SPEC §5)."""

from __future__ import annotations

import string

from pitwall.core.errors import nearest

MODIFIERS = ("Control", "Alt", "AltGraph", "Shift", "Meta")

NAMED_KEYS = frozenset(
    {
        *MODIFIERS,
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "Space",
        "Enter",
        "Escape",
        "Tab",
        "Backspace",
        "Delete",
        "Insert",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "CapsLock",
        "NumLock",
        "ScrollLock",
        "Pause",
        "PrintScreen",
        "ContextMenu",
        *(f"F{n}" for n in range(1, 25)),
        *(f"Numpad{n}" for n in range(10)),
        "NumpadAdd",
        "NumpadSubtract",
        "NumpadMultiply",
        "NumpadDivide",
        "NumpadEnter",
        "NumpadDecimal",
    }
)
CHARACTER_KEYS = frozenset(string.ascii_lowercase + string.digits + "-=[];',./\\`")
KEYS = NAMED_KEYS | CHARACTER_KEYS

_ALIASES = {
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "ctrl": "Control",
    "control_l": "Control",
    "ctrl_l": "Control",
    "alt_l": "Alt",
    "option": "Alt",
    "altgr": "AltGraph",
    "alt_gr": "AltGraph",
    "shift_l": "Shift",
    "super": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "esc": "Escape",
    "return": "Enter",
    "spacebar": "Space",
    " ": "Space",
    "del": "Delete",
    "ins": "Insert",
    "bksp": "Backspace",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "page_up": "PageUp",
    "page_down": "PageDown",
    "prior": "PageUp",
    "next": "PageDown",
    "caps_lock": "CapsLock",
    "num_lock": "NumLock",
    "scroll_lock": "ScrollLock",
    "break": "Pause",
    "print": "PrintScreen",
    "menu": "ContextMenu",
    "minus": "-",
    "equal": "=",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "apostrophe": "'",
    "grave": "`",
    "bracketleft": "[",
    "bracketright": "]",
}
_BY_LOWER = {name.lower(): name for name in KEYS} | _ALIASES


def canonical_key(name: str) -> str:
    """The canonical name of a key, case-insensitive and alias-aware; "KeyW" and "Digit1" too.

    Raises:
        KeyError: `name` is no key; the message carries the nearest valid name.
    """
    low = name.lower() if name == " " else name.strip().lower()
    if len(low) == 4 and low.startswith("key"):
        low = low[3:]
    elif len(low) == 6 and low.startswith("digit"):
        low = low[5:]
    try:
        return _BY_LOWER[low]
    except KeyError:
        near = nearest(low, _BY_LOWER)
        hint = f"; did you mean {_BY_LOWER[near]!r}?" if near else ""
        raise KeyError(f"unknown key {name!r}{hint}") from None


def parse_chord(text: str) -> tuple[frozenset[str], str]:
    """`"ctrl+shift+o"` → ({"Control", "Shift"}, "o").

    Raises:
        KeyError: a part is no key, or a part before the last is no modifier.
    """
    *before, last = text.split("+")
    modifiers = frozenset(canonical_key(part) for part in before)
    for modifier in modifiers:
        if modifier not in MODIFIERS:
            raise KeyError(f"{modifier!r} in {text!r} is no modifier (one of {MODIFIERS})")
    return modifiers, canonical_key(last)
