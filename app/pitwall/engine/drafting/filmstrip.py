"""Keeps the last minute of a game: the pictures that changed, and what was pressed meanwhile."""

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
"""Pictures are kept no closer than this."""
_MOST_BYTES = 64 << 20
_MOST_PRESSES = 4_000
_FAST = [cv2.IMWRITE_PNG_COMPRESSION, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """Holds one picture of the strip, without loss.

    Attributes:
        at_s: seconds on the strip's clock. kept: somebody asked for just this one.
    """

    at_s: float
    png: bytes
    size: tuple[int, int]
    kept: bool = False

    @property
    def pixels(self) -> Pixels:
        """Decode it: (height, width, 3) uint8, BGR."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.png, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Holds one thing that was pressed or let go in the game."""

    at_s: float
    event: InputEvent


class Filmstrip:
    """Takes pictures and presses as they come, and forgets what is older than its span.

    Where they take too much memory, every second picture of the older half goes.

    Args:
        most_bytes: of all pictures together, as they are kept.
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
        """The pictures of the size seen last, oldest first."""
        newest = self._stills[-1].size if self._stills else None
        return [one for one in self._stills if one.size == newest]

    @property
    def presses(self) -> Sequence[Press]:
        return tuple(self._presses)

    @property
    def held_bytes(self) -> int:
        """Memory that the pictures take."""
        return self._bytes

    def take(self, at_s: float, pixels: Pixels, *, keep: bool = False) -> bool:
        """Take in one picture, (height, width, 4) BGRX; whether it was another than before, or to be kept.

        Args:
            keep: as asked by the operator, even where nothing changed.
        """
        self.looked += 1
        self._forget(at_s - self._span_s)
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
            self._thin()
        return True

    def press(self, at_s: float, event: InputEvent) -> None:
        self._presses.append(Press(at_s=at_s, event=event))

    def spread(self, most: int) -> list[Still]:
        """So many stills at most, spread evenly over what there is; the newest is always one."""
        stills = self.stills
        if len(stills) <= most:
            return list(stills)
        return [stills[round(at)] for at in np.linspace(0, len(stills) - 1, most)]

    def _forget(self, before_s: float) -> None:
        while self._stills and self._stills[0].at_s < before_s:
            self._bytes -= len(self._stills.popleft().png)
        while self._presses and self._presses[0].at_s < before_s:
            self._presses.popleft()

    def _thin(self) -> None:
        half = len(self._stills) // 2
        older = [one for at, one in enumerate(self._stills) if at < half]
        left = older[::2] if len(older) > 1 else []
        self._stills = deque([*left, *list(self._stills)[half:]])
        self._bytes = sum(len(one.png) for one in self._stills)
