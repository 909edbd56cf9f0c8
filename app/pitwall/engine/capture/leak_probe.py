"""The leak probe: does anything shown over the game enter its captured frames?

A marker of a colour that the game does not show is laid over the game for a moment. A frame taken then
must not hold that colour; a picture of the screen taken at the same moment must, or nothing was proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pitwall.core.errors import WindowLost
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.desktops.contract import CaptureSource, Colour
from pitwall.desktops.here import this_desktop

_COLOURS: tuple[Colour, ...] = ((254, 1, 253), (1, 254, 139), (253, 140, 1), (139, 1, 254))
_LARGEST_MARKER_PX = 64
_PAINT_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakResult:
    """Holds the probe's counts of marker pixels.

    Attributes:
        pixels: marker-coloured pixels in the captured frame; 0 means a clean frame.
        control_pixels: marker-coloured pixels on the screen at the same time; 0 proves nothing.
    """

    pixels: int
    control_pixels: int

    @property
    def passed(self) -> bool:
        """Return whether the marker was on the screen and not in the frame."""
        return self.pixels == 0 and self.control_pixels > 0


def leak_pixels(source: CaptureSource, marker_rect: Rect, marker_colour: Colour) -> int:
    """Count the pixels of a fresh frame that show the colour where a marker covers the game.

    Args:
        marker_colour: a colour that the game does not show there.

    Raises:
        WindowLost: the game's window is minimised or gone.
    """
    return _count(_part(_fresh(source), marker_rect), marker_colour)


def probe_leak(source: CaptureSource) -> LeakResult:
    """Lay a marker over the middle of the game and look for it in a captured frame.

    Raises:
        WindowLost: the game's window is minimised or gone.
        DisplayError: as `Desktop.show_marker`.
    """
    frame = _fresh(source)
    rect = _middle(frame.window)
    colour = _unseen_colour(_part(frame, rect))
    with this_desktop().show_marker(rect, colour) as marker:
        control = _wait_for(lambda: _count(marker.screen_pixels(), colour))
        leaked = leak_pixels(source, rect, colour)
        still_there = _count(marker.screen_pixels(), colour)
    return LeakResult(pixels=leaked, control_pixels=min(control, still_there))


def _fresh(source: CaptureSource) -> Frame:
    frame = source.fresh()
    if frame is None:
        raise WindowLost(f"the window {source.window.title!r} is {source.health}.", "Bring it back first.")
    return frame


def _part(frame: Frame, rect: Rect) -> Pixels:
    place = Rect(rect.x - frame.window.x, rect.y - frame.window.y, rect.width, rect.height)
    place = place.clipped(frame.width, frame.height)
    return frame.pixels[place.y : place.bottom, place.x : place.right]


def _middle(window: Rect) -> Rect:
    width = max(1, min(_LARGEST_MARKER_PX, window.width // 2))
    height = max(1, min(_LARGEST_MARKER_PX, window.height // 2))
    return Rect(
        window.x + (window.width - width) // 2, window.y + (window.height - height) // 2, width, height
    )


def _unseen_colour(pixels: Pixels) -> Colour:
    return min(_COLOURS, key=lambda colour: _count(pixels, colour))


def _count(pixels: Pixels, colour: Colour) -> int:
    return int(np.count_nonzero((pixels[..., :3] == np.array(colour[::-1], np.uint8)).all(axis=-1)))


def _wait_for(count: Callable[[], int]) -> int:
    """Wait until the count is more than 0; return it, or 0 after the time-out."""
    deadline = time.monotonic() + _PAINT_TIMEOUT_S
    while not (pixels := count()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return pixels
