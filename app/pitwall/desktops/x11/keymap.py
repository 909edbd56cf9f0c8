"""Which key types a canonical key on the keyboard layout in force, and which canonical key a keycode is."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import xcffib

from pitwall.core.keys import KeyMeaning
from pitwall.desktops.x11.display import XTEST_KEYBOARD, Display
from pitwall.desktops.x11.xkb import (
    CORE_KEYBOARD,
    LEVEL_THREE,
    SHIFT,
    KeyboardChanged,
    KeyboardMap,
    KeyStateChanged,
    listen_to_keyboard,
    read_keyboard,
)

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

_ROWS = {"AE": "1234567890-=", "AD": "qwertyuiop[]", "AC": "asdfghjkl;'", "AB": "zxcvbnm,./"}
_PLACES = {
    **{key: f"{row}{number:02}" for row, keys in _ROWS.items() for number, key in enumerate(keys, start=1)},
    "`": "TLDE",
    "\\": "BKSL",
    "Control": "LCTL",
    "Shift": "LFSH",
    "Alt": "LALT",
    "AltGraph": "RALT",
    "CapsLock": "CAPS",
    "Escape": "ESC",
    "Tab": "TAB",
    "Space": "SPCE",
    "Enter": "RTRN",
    "Backspace": "BKSP",
}
"""XKB's names of the places that these keys have on a US keyboard."""
_CAPS_LOCK = 2
"""Bit of Caps Lock in a mask of modifiers."""
_PRESSED_WITH = ((SHIFT, "Shift"), (LEVEL_THREE, "AltGraph"))


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key press: the keycode, and the modifiers to hold while it goes down."""

    code: int
    modifiers: tuple[str, ...] = ()


@dataclass(slots=True)
class _Layout:
    """The keys of a keyboard in one group of its layout.

    Attributes:
        typed: keycode → the canonical key that it types without a modifier; plain: the other way round.
        shifted: characters that need Shift or AltGr.
        placed: canonical key → the keycode at its place of a US keyboard.
    """

    typed: dict[int, str]
    plain: dict[str, int]
    shifted: dict[str, Stroke]
    placed: dict[str, int]


class Keymap:
    """The layout in force. Each keyboard is read once, and again after the server says that it changed.

    Args:
        device: the keyboard that presses.

    Attributes:
        group: the layout's group in force. caps_lock: whether Caps Lock is on.
    """

    def __init__(self, display: Display, device: int = XTEST_KEYBOARD) -> None:
        self._display = display
        self.device = device
        self._maps: dict[int, KeyboardMap] = {}
        self._layouts: dict[tuple[int, int], _Layout] = {}
        self._keys: tuple[str, ...] = ()
        self._meaning: KeyMeaning = "auto"
        self.caps_lock = False
        for keyboard in (CORE_KEYBOARD, device):
            listen_to_keyboard(display.xkb, keyboard)
        state = display.xkb.GetState(CORE_KEYBOARD).reply()
        self._core_keyboard, self.group = int(state.deviceID), int(state.group)

    def use(self, device: int) -> None:
        """Press with another keyboard from now on; its own Caps Lock counts."""
        listen_to_keyboard(self._display.xkb, device)
        self.device = device
        of = CORE_KEYBOARD if device == XTEST_KEYBOARD else device
        self.caps_lock = bool(self._display.xkb.GetState(of).reply().lockedMods & _CAPS_LOCK)

    @property
    def where(self) -> str:
        """Name the layout in force for people."""
        return f"the keyboard layout {self.layout_name}" if self.layout_name else "this keyboard layout"

    def aim(self, keys: Iterable[str], meaning: KeyMeaning = "auto") -> None:
        """Take the keys of a game, and what the game reads of them."""
        self._keys, self._meaning = tuple(keys), meaning

    def notice(self, change: KeyboardChanged | KeyStateChanged) -> bool:
        """Take a change in; return whether other keys may type the same letters now."""
        if isinstance(change, KeyStateChanged):
            before = self.group
            if change.device == self._core_keyboard:
                self.group = change.group
            return self.group != before
        self._maps.pop(change.device, None)
        self._layouts = {key: known for key, known in self._layouts.items() if key[0] != change.device}
        return change.device in (self.device, XTEST_KEYBOARD)

    @property
    def layout_name(self) -> str:
        """Return the name of the layout in force ("French"); empty if the server has none."""
        names = self._map(self.device).names
        return names[self.group] if self.group < len(names) else ""

    def stroke(self, name: str) -> Stroke | None:
        """Return how to press a canonical key in the layout in force; None if it cannot be pressed."""
        layout = self._layout(self.device, self.group)
        if self.caps_lock and self._meaning == "letter" and name in layout.plain and name.islower():
            return Stroke(layout.plain[name], ("Shift",))  # which undoes Caps Lock
        place = layout.placed.get(name)
        if self._meaning == "place" and place is not None:
            return Stroke(place)
        if name in layout.plain:
            return Stroke(layout.plain[name])
        if self._meaning == "auto" and place is not None and len(name) == 1:
            other = layout.typed.get(place)
            if other is None or other not in self._keys:
                return Stroke(place)
        return layout.shifted.get(name)

    def code(self, name: str) -> int | None:
        """Return the keycode that presses a canonical key; None if there is none."""
        stroke = self.stroke(name)
        return stroke.code if stroke is not None else None

    def name(self, code: int, *, source: int = 0, modifiers: frozenset[str] = frozenset()) -> str | None:
        """Return the canonical key on a keycode (left and right modifiers are the same key).

        Args:
            source: the keyboard that it was pressed on; 0: the one that presses.
            modifiers: that were down.
        """
        own = self._layout(self.device, self.group)
        if source in (0, self.device) or self._layout(source, self.group) == own:
            strokes = ((key, self.stroke(key)) for key in self._keys)
            fitting = [
                (len(stroke.modifiers), key)
                for key, stroke in strokes
                if stroke is not None and stroke.code == code and modifiers.issuperset(stroke.modifiers)
            ]
            if fitting:
                return max(fitting)[1]
        layout = self._layout(source or self.device, self.group)
        places = {place: key for key, place in layout.placed.items()}
        if self._meaning == "place" and code in places:
            return places[code]
        return layout.typed.get(code) or places.get(code)

    def codes_of(self, name: str) -> tuple[int, ...]:
        """Return the keycodes with which a person types a key without a modifier, in any group."""
        groups = range(max(1, len(self._map(XTEST_KEYBOARD).names)))
        layouts = [self._layout(XTEST_KEYBOARD, group) for group in groups]
        codes = {code for layout in layouts for code, key in layout.typed.items() if key == name}
        if not codes and len(name) == 1:
            codes = {layout.placed[name] for layout in layouts if name in layout.placed}
        return tuple(sorted(codes))

    def _map(self, device: int) -> KeyboardMap:
        if device not in self._maps:
            self._maps[device] = read_keyboard(self._display.core, self._display.xkb, device)
        return self._maps[device]

    def _layout(self, device: int, group: int) -> _Layout:
        if (device, group) not in self._layouts:
            try:
                keyboard = self._map(device)
            except xcffib.Error:  # unplugged since
                keyboard, device = self._map(self.device), self.device
            self._layouts[device, group] = _layout_of(keyboard, group)
        return self._layouts[device, group]


def _layout_of(keyboard: KeyboardMap, group: int) -> _Layout:
    typed: dict[int, str] = {}
    plain: dict[str, int] = {}
    shifted: dict[str, Stroke] = {}
    by_symbol = keyboard.by_symbol(group)
    for name, symbols in _SYMBOLS.items():
        for code, level, modifiers in (key for symbol in symbols for key in by_symbol.get(symbol, ())):
            if level == 0 or name.startswith("Numpad"):
                plain.setdefault(name, code)
                typed.setdefault(code, name)
            elif len(name) == 1 and modifiers is not None:
                needed = tuple(key for bit, key in _PRESSED_WITH if modifiers & bit)
                shifted.setdefault(name, Stroke(code, needed))
    placed = {key: keyboard.places[place] for key, place in _PLACES.items() if place in keyboard.places}
    return _Layout(typed, plain, shifted, placed)
