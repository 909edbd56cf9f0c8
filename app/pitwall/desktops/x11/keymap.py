"""Canonical key names and keycodes of the keyboard layout in force."""

from __future__ import annotations

import string
from collections.abc import Iterator

from pitwall.desktops.x11.display import Display

_PLAIN_COLUMNS = (0, 2)
"""Columns of the core mapping that need no Shift or AltGr: of the first and of the second layout."""

_NAMED: dict[str, tuple[int, ...]] = {
    "Control": (0xFFE3, 0xFFE4),
    "Shift": (0xFFE1, 0xFFE2),
    "Alt": (0xFFE9, 0xFFEA),
    "AltGraph": (0xFE03, 0xFF7E),
    "Meta": (0xFFEB, 0xFFEC, 0xFFE7, 0xFFE8),
    "ArrowLeft": (0xFF51,),
    "ArrowUp": (0xFF52,),
    "ArrowRight": (0xFF53,),
    "ArrowDown": (0xFF54,),
    "Space": (0x20,),
    "Enter": (0xFF0D,),
    "Escape": (0xFF1B,),
    "Tab": (0xFF09,),
    "Backspace": (0xFF08,),
    "Delete": (0xFFFF,),
    "Insert": (0xFF63,),
    "Home": (0xFF50,),
    "End": (0xFF57,),
    "PageUp": (0xFF55,),
    "PageDown": (0xFF56,),
    "CapsLock": (0xFFE5,),
    "NumLock": (0xFF7F,),
    "ScrollLock": (0xFF14,),
    "Pause": (0xFF13,),
    "PrintScreen": (0xFF61,),
    "ContextMenu": (0xFF67,),
    "NumpadAdd": (0xFFAB,),
    "NumpadSubtract": (0xFFAD,),
    "NumpadMultiply": (0xFFAA,),
    "NumpadDivide": (0xFFAF,),
    "NumpadEnter": (0xFF8D,),
    "NumpadDecimal": (0xFFAE, 0xFF9F),
}
"""Keysyms (keysymdef.h) of each canonical name, the one to press first."""
_NUMPAD_DIGITS = (0xFF9E, 0xFF9C, 0xFF99, 0xFF9B, 0xFF96, 0xFF9D, 0xFF98, 0xFF95, 0xFF97, 0xFF9A)
"""KP_Insert, KP_End, KP_Down …: keysyms of the number pad's digits without NumLock."""


def _symbols() -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _NAMED.items()
    for number in range(1, 25):
        yield f"F{number}", (0xFFBE + number - 1,)
    for digit, plain in enumerate(_NUMPAD_DIGITS):
        yield f"Numpad{digit}", (0xFFB0 + digit, plain)
    for character in string.ascii_lowercase + string.digits + "-=[];',./\\`":
        yield character, (ord(character),)


_SYMBOLS = dict(_symbols())


class Keymap:
    """The layout in force, read once and again when the server says that it changed."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._mapping: bytes = b""
        self._codes: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self.reload()

    def reload(self) -> bool:
        """Read the keyboard layout; return whether it has changed."""
        setup = self._display.connection.setup
        first, last = setup.min_keycode, setup.max_keycode
        reply = self._display.core.GetKeyboardMapping(first, last - first + 1).reply()
        if reply.keysyms.raw == self._mapping:
            return False
        self._mapping = reply.keysyms.raw
        width = reply.keysyms_per_keycode
        symbols = list(reply.keysyms)
        rows = {
            first + index: symbols[index * width : (index + 1) * width] for index in range(last - first + 1)
        }
        self._codes, self._names = {}, {}
        for name, wanted in _SYMBOLS.items():
            numpad = name.startswith("Numpad")
            for symbol in wanted:
                for code, row in rows.items():
                    columns = [column for column, candidate in enumerate(row) if candidate == symbol]
                    if (numpad and columns) or any(column in _PLAIN_COLUMNS for column in columns):
                        self._codes.setdefault(name, code)
                        self._names.setdefault(code, name)
        return True

    def code(self, name: str) -> int | None:
        """Return the keycode that types a canonical key without Shift; None if there is none."""
        return self._codes.get(name)

    def name(self, code: int) -> str | None:
        """Return the canonical key on a keycode (left and right modifiers are the same key)."""
        return self._names.get(code)

    def codes_of(self, name: str) -> tuple[int, ...]:
        return tuple(code for code, known in self._names.items() if known == name)
