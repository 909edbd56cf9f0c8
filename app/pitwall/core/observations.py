"""Defines what perception reads from a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pitwall.core.geometry import Rect

Value = bool | int | float | str | None


class GameStatus(StrEnum):
    """The phase a game is in (SPEC §6)."""

    LOADING = "loading"
    MENU = "menu"
    READY = "ready"
    PLAYING = "playing"
    PAUSED = "paused"
    TERMINAL = "terminal"


DECIDABLE = frozenset({GameStatus.MENU, GameStatus.READY, GameStatus.PLAYING, GameStatus.TERMINAL})
"""Statuses in which an agent may decide: menus and end screens are played with skills as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Holds one state-reader field as read from one frame.

    Attributes:
        value: the reading; None where the field could not be read.
        unit: unit of `value` ("%", "px", …), empty for none.
        confidence: 0 … 1.
        box: where it was read, in frame pixels (None: whole frame).
        found: where the object itself is inside the box, in frame pixels.
        age_ms: how old the reading is (text is read at its own slower rate).
    """

    name: str
    value: Value
    unit: str = ""
    confidence: float = 1.0
    box: Rect | None = None
    found: Rect | None = None
    age_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """A thing that a detector found ([[detectors]] of the manifest).

    Attributes:
        confidence: 0 … 1.
        box: in frame pixels.
        age_ms: how old the frame is that it was found in (a model answers later than its frame came).
    """

    detector: str
    label: str
    confidence: float
    box: Rect
    age_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Holds everything that perception read from one frame."""

    frame_id: int
    captured_ns: int
    status: GameStatus
    readings: dict[str, Reading] = field(default_factory=dict)
    detections: tuple[Detection, ...] = ()
