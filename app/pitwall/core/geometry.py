"""Rectangles and windows, in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in pixels; each use names the frame of reference."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @classmethod
    def around(cls, rects: Sequence[Rect]) -> Rect:
        """Return the smallest rectangle around these."""
        left, top = min(rect.x for rect in rects), min(rect.y for rect in rects)
        right, bottom = max(rect.right for rect in rects), max(rect.bottom for rect in rects)
        return cls(left, top, right - left, bottom - top)

    def moved(self, x: int, y: int) -> Rect:
        """Return the same rectangle, x to the right and y down."""
        return Rect(self.x + x, self.y + y, self.width, self.height)

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def scaled(self, sx: float, sy: float) -> Rect:
        """Return the rectangle in another unit, `sx` by `sy` pixels for each; never empty."""
        x, y = round(self.x * sx), round(self.y * sy)
        return Rect(x, y, max(1, round(self.right * sx) - x), max(1, round(self.bottom * sy) - y))

    def clipped(self, width: int, height: int) -> Rect:
        """Return the part inside a `width` × `height` picture (may be empty)."""
        x, y = min(max(self.x, 0), width), min(max(self.y, 0), height)
        return Rect(x, y, max(0, min(self.right, width) - x), max(0, min(self.bottom, height) - y))


class WindowHealth(StrEnum):
    """Whether a window's pixels can be trusted now."""

    VISIBLE = "visible"
    MINIMISED = "minimised"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRef:
    """Names one top-level window of the desktop.

    Attributes:
        native_id: X11 window id of the client window (Windows: HWND).
        pid: process that owns it, 0 where unknown.
        rect: client area in screen pixels.
        guard: the anti-cheat service that guards its game; empty for none, or where nobody asked.
    """

    native_id: int
    pid: int
    title: str
    wm_class: str
    rect: Rect
    guard: str = ""
