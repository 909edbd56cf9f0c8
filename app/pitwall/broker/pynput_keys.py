"""Canonical key names as pynput's, and back."""

from __future__ import annotations

import re
from typing import Any

from pynput import keyboard, mouse

from pitwall.core.actions import Button
from pitwall.core.keys import CHARACTER_KEYS, NAMED_KEYS

_OTHERWISE = {
    "Control": "ctrl",
    "AltGraph": "alt_gr",
    "Meta": "cmd",
    "Escape": "esc",
    "ContextMenu": "menu",
    **{f"Arrow{way.title()}": way for way in ("left", "right", "up", "down")},
}
_NAMED = {
    name: _OTHERWISE.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    for name in NAMED_KEYS
    if not name.startswith("Numpad") and name not in ("F21", "F22", "F23", "F24")
}
"""macOS lacks some of these keys; what a system lacks is not known there."""
_SIDES = {
    f"{name}_{side}": canonical
    for name, canonical in (("ctrl", "Control"), ("shift", "Shift"), ("alt", "Alt"), ("cmd", "Meta"))
    for side in "lr"
}
_CANONICAL = {name: canonical for canonical, name in _NAMED.items()} | _SIDES
BUTTONS: dict[Button, Any] = {
    "left": mouse.Button.left,
    "middle": mouse.Button.middle,
    "right": mouse.Button.right,
}


def to_pynput(name: str) -> Any:
    """pynput's key for a canonical name; None where this system has none."""
    if name in CHARACTER_KEYS:
        return keyboard.KeyCode.from_char(name)
    return keyboard.Key.__members__.get(_NAMED.get(name, ""))


def from_pynput(key: Any) -> str:
    """The canonical name of a key that pynput heard; empty where it has none."""
    if isinstance(key, keyboard.Key):
        return _CANONICAL.get(key.name, "")
    character = (getattr(key, "char", None) or "").lower()
    return character if character in CHARACTER_KEYS else ""
