"""Key names and their aliases (SPEC §5), and the settings of input: limits of injection, global hotkeys."""

from __future__ import annotations

import string
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pitwall.core.errors import nearest
from pitwall.core.validation import bounded_number

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


class SettingsSection(BaseModel):
    """Holds one group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*")
    @classmethod
    def _unicode(cls, value: object) -> object:
        """Refuse a text that UTF-8 cannot hold: the settings' file could not be read again."""
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError("it holds characters that are no Unicode") from None
        return value


# These settings are apart from core.settings because two brokers load them: each megabyte counts twice.


class BrokerSettings(SettingsSection):
    """Limits what may be injected. The bounds of the fields are hard limits."""

    actions_per_second: int = bounded_number(20, 1, 50, "Presses and clicks a second", "1/s")
    held_keys: int = bounded_number(8, 1, 12, "Keys and buttons held at once", "keys")
    hold_ms: int = bounded_number(5_000, 20, 30_000, "Longest hold before a key is brought up", "ms")
    observation_age_ms: int = bounded_number(
        250, 10, 5_000, "Presses answering an older frame are refused", "ms"
    )
    heartbeat_ms: int = bounded_number(250, 100, 5_000, "Silence of the engine that counts as a hang", "ms")
    own_seat: bool = Field(
        True, description="The agent gets a keyboard and pointer of its own where the desktop has them"
    )
    takeover: bool = Field(True, description="Human input while the game has the focus pauses the agent")


class HotkeySettings(SettingsSection):
    """The operator's global keys. The stop key works under any modifiers."""

    stop: str = Field("ScrollLock", description="Emergency stop, with any modifiers held")
    pause: str = Field("Pause", description="Pause or resume the agent")
    start: str = Field("F5", description="Start, or resume, also while the game has the keyboard")
    overlay: str = Field("Shift+F1", description="Show or hide the overlay on the game")
    clip: str = Field("Shift+F3", description="Keep the last 30 s of the run as a clip")
    keep: str = Field("Shift+F2", description="Keep the picture of a game that is being added")

    @model_validator(mode="before")
    @classmethod
    def _earlier_defaults(cls, given: object) -> object:
        """Files that name one of two keys were written when their defaults were the other way round."""
        if isinstance(given, dict):
            for name, other in (("stop", "pause"), ("pause", "stop")):
                if other not in given and given.get(name) == cls.model_fields[other].default:
                    return {**given, other: cls.model_fields[name].default}
        return given

    @field_validator("stop", "pause", "start", "overlay", "clip", "keep")
    @classmethod
    def _chord(cls, text: str) -> str:
        try:
            modifiers, key = parse_chord(text)
        except KeyError as error:
            raise ValueError(str(error.args[0])) from None
        if {*modifiers, key} in DESKTOP_CHORDS:
            raise ValueError(f"{text} is the desktop's own: choose another combination")
        return "+".join([*sorted(modifiers), key])
