"""Declares what a demonstration holds: an event of the person's, a moment of the game's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

from pitwall.core.actions import EventKind, wheel_name

KINDS: tuple[str, ...] = get_args(EventKind)
PRESSES = ("key_down", "mouse_down", "scroll")
"""Kinds of events that begin something: a press is counted by them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemonstratedEvent:
    """One thing that the person did.

    Attributes:
        at_ns: monotonic. kind: as an input event's. x, y: fractions of the window; None without a place.
        dx, dy: wheel notches. action: text of the game's action that the press matches; "" for none.
        would: in corrections, what the agent was about to do.
    """

    at_ns: int
    kind: EventKind
    key: str = ""
    button: str = ""
    x: float | None = None
    y: float | None = None
    dx: int = 0
    dy: int = 0
    action: str = ""
    would: str = ""

    @property
    def pressed(self) -> str:
        """Name of the key, button or wheel."""
        return self.key or (wheel_name(self.dx, self.dy) if self.kind == "scroll" else f"mouse {self.button}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What was known of the game when a picture was kept; `episode` is −1 outside of play."""

    at_ns: int
    episode: int
    status: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
