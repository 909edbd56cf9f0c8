"""Keeps the last minute of a game: its changed pictures, and the presses meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.core.frames import Pixels

SPAN_S = 60.0
_EVERY_S = 0.1
"""Least time between two kept pictures."""
_MOST_BYTES = 64 << 20
_MOST_PRESSES = 4_000
_FAST = [cv2.IMWRITE_PNG_COMPRESSION, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A picture of the strip, compressed without loss.

    Attributes:
        at_s: seconds on the strip's clock. kept: the operator asked for this picture.
    """

    at_s: float
    png: bytes
    size: tuple[int, int]
    kept: bool = False

    @property
    def pixels(self) -> Pixels:
        """Return the picture: (height, width, 3) uint8, BGR."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.png, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A press or release in the game."""

    at_s: float
    event: InputEvent


class Filmstrip:
    """Takes pictures and presses, and drops those older than its span.

    If they take too much memory, every second picture of the older half is dropped.

    Args:
        most_bytes: limit of all compressed pictures together.
    """

    def __init__(self, *, span_s: float = SPAN_S, most_bytes: int = _MOST_BYTES) -> None:
        self._span_s = span_s
        self._most_bytes = most_bytes
        self._stills: deque[Still] = deque()
        self._presses: deque[Press] = deque(maxlen=_MOST_PRESSES)
        self._last: Pixels | None = None
        self._bytes = 0
        self.looked = 0

    @property
    def stills(self) -> Sequence[Still]:
        """Return the pictures of the newest size, oldest first."""
        newest = self._stills[-1].size if self._stills else None
        return [still for still in self._stills if still.size == newest]

    @property
    def presses(self) -> Sequence[Press]:
        return tuple(self._presses)

    def take(self, at_s: float, pixels: Pixels, *, keep: bool = False) -> bool:
        """Take a picture, (height, width, 4) BGRX; return whether it was added.

        Args:
            keep: the operator wants it, changed or not.
        """
        self.looked += 1
        while self._stills and self._stills[0].at_s < at_s - self._span_s:
            self._bytes -= len(self._stills.popleft().png)
        while self._presses and self._presses[0].at_s < at_s - self._span_s:
            self._presses.popleft()
        if not keep:
            if self._stills and at_s - self._stills[-1].at_s < _EVERY_S:
                return False
            if self._last is not None and np.array_equal(self._last, pixels):
                return False
        self._last = pixels.copy()
        done, data = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), _FAST)
        assert done
        height, width = pixels.shape[:2]
        self._stills.append(Still(at_s=at_s, png=data.tobytes(), size=(width, height), kept=keep))
        self._bytes += len(self._stills[-1].png)
        while self._bytes > self._most_bytes and len(self._stills) > 2:
            stills, half = list(self._stills), len(self._stills) // 2
            self._stills = deque([*(stills[:half:2] if half > 1 else []), *stills[half:]])
            self._bytes = sum(len(still.png) for still in self._stills)
        return True

    def press(self, at_s: float, event: InputEvent) -> None:
        self._presses.append(Press(at_s=at_s, event=event))

    def spread(self, most: int) -> list[Still]:
        """Return at most this many stills, spread evenly, the newest among them."""
        stills = self.stills
        if len(stills) <= most:
            return list(stills)
        return [stills[round(at)] for at in np.linspace(0, len(stills) - 1, most)]
