"""Settings of input: limits of injection, global hotkeys. Brokers take them as plain `core/injection.py`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pitwall.core.injection import HARD_LIMITS, HotkeyChords, InputLimits
from pitwall.core.keys import DESKTOP_CHORDS, parse_chord
from pitwall.core.validation import bounded_number

_DEFAULTS = InputLimits()
_CHORDS = HotkeyChords()


def _limit(name: str, description: str, unit: str) -> Any:
    return bounded_number(getattr(_DEFAULTS, name), *HARD_LIMITS[name], description, unit)


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


class BrokerSettings(SettingsSection):
    """Limits what may be injected. The bounds of the fields are hard limits."""

    actions_per_second: int = _limit("actions_per_second", "Presses and clicks a second", "1/s")
    held_keys: int = _limit("held_keys", "Keys and buttons held at once", "keys")
    hold_ms: int = _limit("hold_ms", "Longest hold before a key is brought up", "ms")
    observation_age_ms: int = _limit(
        "observation_age_ms", "Presses answering an older frame are refused", "ms"
    )
    heartbeat_ms: int = _limit("heartbeat_ms", "Silence of the engine that counts as a hang", "ms")
    own_seat: bool = Field(
        True, description="The agent gets a keyboard and pointer of its own where the desktop has them"
    )
    takeover: bool = Field(True, description="Human input while the game has the focus pauses the agent")

    def as_limits(self) -> InputLimits:
        """Return the limits as the broker takes them."""
        return InputLimits(**self.model_dump())


class HotkeySettings(SettingsSection):
    """The operator's global keys. The stop key works under any modifiers."""

    stop: str = Field(_CHORDS.stop, description="Emergency stop, with any modifiers held")
    pause: str = Field(_CHORDS.pause, description="Pause or resume the agent")
    start: str = Field(_CHORDS.start, description="Start, or resume, also while the game has the keyboard")
    overlay: str = Field(_CHORDS.overlay, description="Show or hide the overlay on the game")
    clip: str = Field(_CHORDS.clip, description="Keep the last 30 s of the run as a clip")
    keep: str = Field(_CHORDS.keep, description="Keep the picture of a game that is being added")

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

    def as_chords(self) -> HotkeyChords:
        """Return the hotkeys as the broker takes them."""
        return HotkeyChords(**self.model_dump())
