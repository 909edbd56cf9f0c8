"""Canonical key names as pynput's, and back."""

from __future__ import annotations

from typing import Any

from pynput import keyboard, mouse

from pitwall.core.actions import Button
from pitwall.core.keys import CHARACTER_KEYS

_NAMED = {
    "Control": "ctrl",
    "Shift": "shift",
    "Alt": "alt",
    "AltGraph": "alt_gr",
    "Meta": "cmd",
    "ArrowLeft": "left",
    "ArrowRight": "right",
    "ArrowUp": "up",
    "ArrowDown": "down",
    "Space": "space",
    "Enter": "enter",
    "Escape": "esc",
    "Tab": "tab",
    "Backspace": "backspace",
    "Delete": "delete",
    "Insert": "insert",
    "Home": "home",
    "End": "end",
    "PageUp": "page_up",
    "PageDown": "page_down",
    "CapsLock": "caps_lock",
    "NumLock": "num_lock",
    "ScrollLock": "scroll_lock",
    "Pause": "pause",
    "PrintScreen": "print_screen",
    "ContextMenu": "menu",
    **{f"F{number}": f"f{number}" for number in range(1, 21)},
}
"""macOS lacks some of these keys; what a system lacks is not known there."""
_SIDES = {
    "ctrl_l": "Control",
    "ctrl_r": "Control",
    "shift_l": "Shift",
    "shift_r": "Shift",
    "alt_l": "Alt",
    "alt_r": "Alt",
    "cmd_l": "Meta",
    "cmd_r": "Meta",
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
