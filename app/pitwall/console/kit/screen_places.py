"""Screen pixels, as telemetry and the window system count them, against Qt's scaled coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QGuiApplication

from pitwall.core.geometry import Rect


@dataclass(frozen=True, slots=True)
class ScreenPlace:
    """Holds one screen: its place in pixels, and the number of pixels in one Qt unit.

    Qt keeps a screen's origin in pixels and scales only coordinates inside it.
    """

    pixels: Rect
    scale: float

    def to_qt(self, x: float, y: float) -> tuple[int, int]:
        """Convert a point from screen pixels to Qt's coordinates."""
        left, top = self.pixels.x, self.pixels.y
        return round(left + (x - left) / self.scale), round(top + (y - top) / self.scale)

    def to_pixels(self, x: float, y: float) -> tuple[int, int]:
        """Convert a point from Qt's coordinates to screen pixels."""
        left, top = self.pixels.x, self.pixels.y
        return round(left + (x - left) * self.scale), round(top + (y - top) * self.scale)


def screen_places() -> list[ScreenPlace]:
    """Return the screens that Qt knows now, the primary one first."""
    places = []
    for screen in QGuiApplication.screens():
        area, scale = screen.geometry(), screen.devicePixelRatio()
        size = round(area.width() * scale), round(area.height() * scale)
        places.append(ScreenPlace(Rect(area.x(), area.y(), *size), scale))
    return places


def rect_to_qt(rect: Rect, places: Sequence[ScreenPlace]) -> QRect:
    """Convert a rectangle to Qt's coordinates, by the screen that holds its centre."""
    middle = rect.x + rect.width / 2, rect.y + rect.height / 2
    place = next((place for place in places if place.pixels.contains(*middle)), places[0])
    left, top = place.to_qt(rect.x, rect.y)
    return QRect(left, top, round(rect.width / place.scale), round(rect.height / place.scale))


def point_to_pixels(point: QPoint, places: Sequence[ScreenPlace]) -> tuple[int, int]:
    """Convert a point from Qt's coordinates to screen pixels, by the screen that holds it."""
    for place in places:
        left, top = place.pixels.x, place.pixels.y
        inside = Rect(
            left, top, round(place.pixels.width / place.scale), round(place.pixels.height / place.scale)
        )
        if inside.contains(point.x(), point.y()):
            return place.to_pixels(point.x(), point.y())
    return places[0].to_pixels(point.x(), point.y())
