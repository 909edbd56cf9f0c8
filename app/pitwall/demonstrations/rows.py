"""Declares the three tables of a demonstration, and how a picture is compressed without loss.

A picture is its BGR bytes under zstd level 1. Measured on 150 pictures of flappy and crafter, milliseconds of
processor time and KiB a picture: 84 × 84 0.02 ms and 1.5, 0.04 ms and 5.5 (PNG level 1: 0.26 ms and 1.9,
0.30 ms and 6.3); 640 × 480 0.27 ms and 7.2, 1.1 ms and 55 (PNG: 5.8 ms and 15, 8.1 ms and 87). Lossless
WebP took 5 to 60 times PNG's time at its own settings; differences to the last picture saved a fifth
with crafter and nothing with flappy, and no picture could be read alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from pitwall.core.actions import EventKind, wheel_name
from pitwall.core.frames import Pixels

PICTURES = pa.schema([("at_ns", pa.int64()), ("pixels", pa.binary())])
EVENTS = pa.schema(
    [
        ("at_ns", pa.int64()),
        ("kind", pa.string()),
        ("key", pa.string()),
        ("button", pa.string()),
        ("x", pa.float32()),
        ("y", pa.float32()),
        ("dx", pa.int32()),
        ("dy", pa.int32()),
        ("action", pa.string()),
        ("would", pa.string()),
    ]
)
MOMENTS = pa.schema(
    [("at_ns", pa.int64()), ("episode", pa.int32()), ("status", pa.string()), ("fields", pa.string())]
)
SCHEMAS = {"pictures": PICTURES, "events": EVENTS, "moments": MOMENTS}
KINDS: tuple[str, ...] = get_args(EventKind)
PRESSES = ("key_down", "mouse_down", "scroll")
"""Kinds of events that begin something: a press is counted by them."""
_ZSTD = pa.Codec("zstd", compression_level=1)


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


def compressed(pixels: Pixels) -> bytes:
    """Compress a (height, width, 3) picture."""
    return bytes(_ZSTD.compress(np.ascontiguousarray(pixels).reshape(-1), asbytes=True))


def decompressed(content: bytes, size: tuple[int, int]) -> Pixels:
    """Return a (height, width, 3) BGR picture, read-only.

    Args:
        size: width and height.

    Raises:
        ValueError: the bytes are no picture of this size.
    """
    width, height = size
    try:
        raw = _ZSTD.decompress(content, decompressed_size=width * height * 3, asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"is no compressed picture of {width} × {height} pixels") from error
    if len(raw) != width * height * 3:
        raise ValueError(f"is no picture of {width} × {height} pixels")
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3)
