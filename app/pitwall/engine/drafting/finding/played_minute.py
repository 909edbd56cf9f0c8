"""Prepares a filmstrip for the finders: where the picture changed, a small copy of each still, text."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.drafting.field_reading import Recogniser
from pitwall.engine.drafting.filmstrip import Filmstrip, Press
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.profile import Screen
from pitwall.models.host_requests import TextLine

_MOST_STILLS = 240
"""Four a second for a whole minute: stills further apart show no speed."""
_SMALL_SIDE = 320
_MOVED = 40
"""Least difference of a channel, in levels, that is a change."""
_CUT = 0.4
"""Share of the picture that changes at once when the screen is replaced."""
_TEXT_STILLS = 7


class PlayedMinute:
    """The stills of a minute for the finders; `prepare` it first.

    Attributes:
        at_s: (n,) time of each still. small: (n, h, w, 3) uint8, at `scale` of the screen.
        changes: (height, width) uint16, how often each pixel changed from one still to the next, without
            changes of the screen. cuts: number of those.
        lines: number of a still → its lines of text, in screen pixels.
    """

    def __init__(self, strip: Filmstrip, screen: Screen) -> None:
        self._stills = strip.spread(_MOST_STILLS)
        self.screen = screen
        self.presses: Sequence[Press] = strip.presses
        self.at_s = np.array([still.at_s for still in self._stills])
        self.scale = min(1.0, _SMALL_SIDE / max(screen.width, screen.height))
        self.small: Pixels = np.zeros((0, 1, 1, 3), np.uint8)
        self.changes: NDArray[np.uint16] = np.zeros((screen.height, screen.width), np.uint16)
        self.cuts = 0
        self.lines: dict[int, tuple[TextLine, ...]] = {}
        self.frame = lru_cache(maxsize=6)(self._frame)

    def __len__(self) -> int:
        return len(self._stills)

    def prepare(self, recogniser: Recogniser | None) -> Iterator[None]:
        """Examine each still once, and yield after each."""
        small: list[Pixels] = []
        before: Pixels | None = None
        for at in range(len(self)):
            now = self.frame(at)
            height, width = (max(1, round(side * self.scale)) for side in now.shape[:2])
            small.append(_sized(now, width, height))
            if before is not None:
                moved = np.asarray(cv2.absdiff(now, before)).max(axis=-1) > _MOVED
                if moved.mean() < _CUT:
                    self.changes += moved
                else:
                    self.cuts += 1
            before = now
            yield
        self.small = np.stack(small) if small else self.small
        if recogniser is None:
            return
        for at in self.text_stills():
            with contextlib.suppress(PitwallError):
                self.lines[at] = recogniser.look(self.frame(at)).lines
            yield

    def text_stills(self) -> list[int]:
        """Return the stills whose text is read: some spread over the minute, and the longest shown."""
        if not len(self):
            return []
        stood = np.diff(self.at_s, append=self.at_s[-1])
        longest = [int(at) for at in np.argsort(-stood)[:_TEXT_STILLS] if stood[at] >= 0.6]
        spread = [round(at) for at in np.linspace(0, len(self) - 1, min(len(self), _TEXT_STILLS))]
        return sorted({*spread, *longest})

    def to_small(self, rect: Rect) -> Rect:
        return rect.scaled(self.scale, self.scale).clipped(self.small.shape[2], self.small.shape[1])

    def clipped(self, left: float, top: float, right: float, bottom: float) -> Rect:
        """Return a rectangle, clipped to the screen."""
        x, y = max(0, round(left)), max(0, round(top))
        width = min(self.screen.width, round(right)) - x
        return Rect(x, y, width, min(self.screen.height, round(bottom)) - y)

    def view(self, at: int) -> FrameView:
        """Return a still as a view for the readers of fields."""
        pixels = np.asarray(cv2.cvtColor(self.frame(at), cv2.COLOR_BGR2BGRA), np.uint8)
        return FrameView(pixels, None, self.screen)

    def _frame(self, at: int) -> Pixels:
        """Return a still at the size of the screen, (height, width, 3) BGR."""
        return _sized(self._stills[at].pixels, self.screen.width, self.screen.height)


def _sized(pixels: Pixels, width: int, height: int) -> Pixels:
    if pixels.shape[:2] == (height, width):
        return pixels
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def rect_box(rect: Rect) -> tuple[int, int, int, int]:
    return rect.x, rect.y, rect.width, rect.height
