"""Declares the settings that broker and engine share: what may be injected, and the operator's global keys.

They are separate from the other settings because two brokers load them and each megabyte counts twice.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pitwall.core.keys import DESKTOP_CHORDS, parse_chord
from pitwall.core.validation import bounded_number


class SettingsSection(BaseModel):
    """Holds one group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BrokerSettings(SettingsSection):
    """Limits what may be injected. The bounds of the fields are hard limits."""

    actions_per_second: int = bounded_number(20, 1, 50, "Presses and clicks a second", "1/s")
    held_keys: int = bounded_number(8, 1, 12, "Keys and buttons held at once", "keys")
    hold_ms: int = bounded_number(5_000, 20, 30_000, "Longest hold before a key is brought up", "ms")
    observation_age_ms: int = bounded_number(
        250, 10, 5_000, "Presses answering an older frame are refused", "ms"
    )
    heartbeat_ms: int = bounded_number(250, 100, 5_000, "Silence of the engine that counts as a hang", "ms")
    takeover: bool = Field(True, description="Human input while the game has the focus pauses the agent")


class HotkeySettings(SettingsSection):
    """The operator's global keys. The stop key works under any modifiers."""

    stop: str = Field("ScrollLock", description="Emergency stop, with any modifiers held")
    pause: str = Field("Pause", description="Pause or resume the agent")
    start: str = Field("F5", description="Start, or resume, also while the game has the keyboard")
    overlay: str = Field("Shift+F1", description="Show or hide the overlay on the game")
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

    @field_validator("stop", "pause", "start", "overlay", "keep")
    @classmethod
    def _chord(cls, text: str) -> str:
        try:
            modifiers, key = parse_chord(text)
        except KeyError as error:
            raise ValueError(str(error.args[0])) from None
        if {*modifiers, key} in DESKTOP_CHORDS:
            raise ValueError(f"{text} is the desktop's own: choose another combination")
        return "+".join([*sorted(modifiers), key])
