"""Key names, their aliases and chords (SPEC §5)."""

from __future__ import annotations

import string
from typing import Literal

from pitwall.core.errors import nearest

QT_WITHOUT_DEVICES = "QT_XCB_NO_XI2"
"""Environment variable: Qt 6 hears nothing of input devices, and survives that the agent's go.

Qt takes any value; ours is the number of the process that set it for itself.
"""
KeyMeaning = Literal["auto", "letter", "place"]
"""Whether a game reads a key's letter or its place on a US keyboard; auto: the letter, if a key types it."""
MODIFIERS = ("Control", "Alt", "AltGraph", "Shift", "Meta")

DESKTOP_CHORDS = tuple(frozenset(("Alt", key)) for key in ("F4", "Tab", "Escape", "Space", "PrintScreen"))
"""Close the window, switch windows, the window's menu, and what the desktop does with Print."""
_PLAIN_KEYS = """
ArrowLeft ArrowRight ArrowUp ArrowDown Space Enter Escape Tab Backspace Delete Insert Home End
PageUp PageDown CapsLock NumLock ScrollLock Pause PrintScreen ContextMenu
"""
NAMED_KEYS = frozenset(
    {
        *MODIFIERS,
        *_PLAIN_KEYS.split(),
        *(f"F{n}" for n in range(1, 25)),
        *(f"Numpad{n}" for n in range(10)),
        *(f"Numpad{name}" for name in ("Add", "Subtract", "Multiply", "Divide", "Enter", "Decimal")),
    }
)
CHARACTER_KEYS = frozenset(string.ascii_lowercase + string.digits + "-=[];',./\\`")
KEYS = NAMED_KEYS | CHARACTER_KEYS

_ALIASES_OF = {
    "ArrowLeft": "left",
    "ArrowRight": "right",
    "ArrowUp": "up",
    "ArrowDown": "down",
    "Control": "ctrl control_l ctrl_l",
    "Alt": "alt_l option",
    "AltGraph": "altgr alt_gr",
    "Shift": "shift_l",
    "Meta": "super win windows cmd command",
    "Escape": "esc",
    "Enter": "return",
    "Space": "spacebar",
    "Delete": "del",
    "Insert": "ins",
    "Backspace": "bksp",
    "PageUp": "pgup page_up prior",
    "PageDown": "pgdn page_down next",
    "CapsLock": "caps_lock",
    "NumLock": "num_lock",
    "ScrollLock": "scroll_lock",
    "Pause": "break",
    "PrintScreen": "print",
    "ContextMenu": "menu",
}
_SIGN_NAMES = "minus equal comma period slash backslash semicolon apostrophe grave bracketleft bracketright"
_SIGNS = dict(zip(_SIGN_NAMES.split(), "-=,./\\;'`[]", strict=True))
_ALIASES = {alias: key for key, aliases in _ALIASES_OF.items() for alias in aliases.split()}
_BY_LOWER = {name.lower(): name for name in KEYS} | _ALIASES | _SIGNS | {" ": "Space"}


def canonical_key(name: str) -> str:
    """Return the canonical name of a key; aliases and any case are understood, "KeyW" and "Digit1" too.

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
    """Split a chord: `"ctrl+shift+o"` → ({"Control", "Shift"}, "o").

    Raises:
        KeyError: a part is no key, or a part before the last is no modifier.
    """
    *before, last = text.split("+")
    modifiers = frozenset(canonical_key(part) for part in before)
    for modifier in modifiers:
        if modifier not in MODIFIERS:
            raise KeyError(f"{modifier!r} in {text!r} is no modifier (one of {MODIFIERS})")
    return modifiers, canonical_key(last)
