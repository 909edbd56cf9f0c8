"""Reads from the server which symbols each key of one keyboard has, in each group and level (XKB)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import xcffib.xkb

CORE_KEYBOARD = 0x100
"""XKB's name for the keyboard that clients see: its group is the group in force."""
SHIFT, LEVEL_THREE = 1, 128
"""Bits of the modifiers that choose a level: Shift, and AltGr (Mod5 in XKB's usual maps)."""

_TYPES, _SYMBOLS = int(xcffib.xkb.MapPart.KeyTypes), int(xcffib.xkb.MapPart.KeySyms)
_KEY_NAMES = int(xcffib.xkb.NameDetail.KeyNames)
_GROUP_NAMES = int(xcffib.xkb.NameDetail.GroupNames)
_CLAMP, _REDIRECT = 0x40, 0x80
_NOTHING_PARTIAL = (0,) * 16
_CHANGES = (
    xcffib.xkb.EventType.NewKeyboardNotify | xcffib.xkb.EventType.MapNotify | xcffib.xkb.EventType.StateNotify
)
_STATE = int(xcffib.xkb.StatePart.GroupState | xcffib.xkb.StatePart.ModifierState)
_MAP_PARTS = _TYPES | _SYMBOLS
_NEW_KEYBOARD = 7
"""Any new keyboard: its codes, its shape, its device."""
_UNICODE = 0x1000000


@dataclass(frozen=True, slots=True)
class KeyboardChanged:
    """The symbols of a keyboard's keys changed."""

    device: int


@dataclass(frozen=True, slots=True)
class KeyStateChanged:
    """Another group of a keyboard's layout came into force, or other modifiers are down."""

    device: int
    group: int


@dataclass(frozen=True, slots=True)
class Level:
    """A symbol that a key types, and the modifiers that select it.

    Attributes:
        modifiers: bits of the modifiers that choose it; None if others than Shift and AltGr do.
    """

    symbol: int
    modifiers: int | None


@dataclass(frozen=True, slots=True)
class KeyboardMap:
    """The symbols and places of one keyboard's keys.

    Attributes:
        groups: keycode → group → its levels; a key has the groups that its layout gives it.
        places: XKB's name of a key's place ("AD01") → keycode.
        names: each group's name for people ("French").
    """

    groups: dict[int, tuple[tuple[Level, ...], ...]]
    wraps: dict[int, int]
    places: dict[str, int]
    names: tuple[str, ...]

    def levels(self, code: int, group: int) -> tuple[Level, ...]:
        """Return the symbols of a key while a group of the keyboard is in force."""
        groups = self.groups.get(code, ())
        if group < len(groups):
            return groups[group]
        if not groups:
            return ()
        wrap = self.wraps[code]
        if wrap & _REDIRECT:
            other = wrap >> 4 & 3
            return groups[other if other < len(groups) else 0]
        return groups[-1 if wrap & _CLAMP else group % len(groups)]

    def by_symbol(self, group: int) -> dict[int, list[tuple[int, int, int | None]]]:
        """Return symbol → (keycode, level, the level's modifiers) while a group is in force."""
        places: dict[int, list[tuple[int, int, int | None]]] = {}
        for code in self.groups:
            for number, level in enumerate(self.levels(code, group)):
                places.setdefault(level.symbol, []).append((code, number, level.modifiers))
        return places


def listen_to_keyboard(xkb: Any, device: int) -> None:
    """Ask for `KeyboardChanged` and `KeyStateChanged` of a keyboard."""
    details = [_NEW_KEYBOARD, _NEW_KEYBOARD, _STATE, _STATE]
    xkb.SelectEvents(device, _CHANGES, 0, 0, _MAP_PARTS, _MAP_PARTS, details)


def read_change(event: bytes) -> KeyboardChanged | KeyStateChanged | None:
    """Return what an XKB event of 32 bytes reports."""
    kind, device = event[1], event[8]
    if kind in (xcffib.xkb.NewKeyboardNotifyEvent.event_number, xcffib.xkb.MapNotifyEvent.event_number):
        return KeyboardChanged(device)
    if kind == xcffib.xkb.StateNotifyEvent.event_number:
        return KeyStateChanged(device, event[13])
    return None


def read_keyboard(core: Any, xkb: Any, device: int) -> KeyboardMap:
    """Read the symbols of a keyboard's keys.

    Raises:
        xcffib.Error: there is no such keyboard.
    """
    layout = xkb.GetMap(device, _TYPES | _SYMBOLS, *_NOTHING_PARTIAL)
    named = xkb.GetNames(device, _KEY_NAMES | _GROUP_NAMES).reply()
    layout = layout.reply()
    types = [_type_levels(kind) for kind in layout.types_rtrn]
    groups, wraps = {}, {}
    for code, key in enumerate(layout.syms_rtrn, start=layout.firstKeySym):
        count, symbols = key.groupInfo & 0xF, list(key.syms)
        rows = (symbols[group * key.width : (group + 1) * key.width] for group in range(count))
        groups[code] = tuple(
            tuple(
                Level(_plain(symbol), types[key.kt_index[group]].get(level))
                for level, symbol in enumerate(row)
            )
            for group, row in enumerate(rows)
        )
        wraps[code] = key.groupInfo
    places = {}
    for code, name in enumerate(named.keyNames, start=named.firstKey):
        places[b"".join(name.name).rstrip(b"\0").decode("ascii", "replace")] = code
    names = [core.GetAtomName(atom) if atom else None for atom in named.groups]
    return KeyboardMap(
        groups, wraps, places, tuple(name.reply().name.to_string() if name else "" for name in names)
    )


def _type_levels(kind: Any) -> dict[int, int]:
    """Return level → the fewest of Shift and AltGr that choose it, for one type of key."""
    levels = {0: 0}
    entries = {entry.mods_mask: entry.level for entry in kind.map if entry.active}
    for modifiers in (SHIFT, LEVEL_THREE, SHIFT | LEVEL_THREE):
        level = entries.get(modifiers & kind.mods_mask, 0)
        if modifiers & ~kind.mods_mask == 0:
            levels.setdefault(level, modifiers)
    return levels


def _plain(symbol: int) -> int:
    """Return a symbol's older code where it has two (Unicode's and Latin-1's)."""
    return symbol - _UNICODE if _UNICODE < symbol < _UNICODE + 0x100 else symbol
