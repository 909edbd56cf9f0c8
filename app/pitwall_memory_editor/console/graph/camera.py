"""The camera of the graph: a scale, and the corner of the view in the scaled scene."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize

from pitwall_memory_editor.console.graph.layout.forces import Points

LEAST_SCALE, MOST_SCALE = 0.004, 4.0
_FIT_MOST = 1.15
_MARGIN_X, _MARGIN_TOP, _MARGIN_BOTTOM = 84.0, 36.0, 60.0
"""Room for the words of the outermost states, and for the legend at the foot."""
_SIGHT_X, _SIGHT_Y = 90, 50
"""Margins in pixels that a state keeps to the view's edge when it is brought into sight."""


class Camera:
    """Turns places of the scene into points of the view, and back.

    Attributes:
        scale: pixels a world unit. corner: upper left corner of the view, in scaled pixels, whole ones.
        fitted: whether the whole scene is shown and nobody moved or zoomed since.
    """

    def __init__(self) -> None:
        self.scale = 1.0
        self.corner = QPointF()
        self.fitted = True
        self.size = QSize(1, 1)

    def view(self) -> QRectF:
        """Return the visible rectangle of the scaled scene."""
        return QRectF(self.corner.x(), self.corner.y(), self.size.width(), self.size.height())

    def fit(self, places: Points) -> None:
        """Show all places."""
        self.fitted = True
        if not len(places):
            return
        low, high = places.min(axis=0), places.max(axis=0)
        room = np.array(
            [
                max(80.0, self.size.width() - 2 * _MARGIN_X),
                max(60.0, self.size.height() - _MARGIN_TOP - _MARGIN_BOTTOM),
            ]
        )
        self.scale = min(_FIT_MOST, max(LEAST_SCALE, float((room / np.maximum(high - low, 1.0)).min())))
        lower = np.array([0.0, (_MARGIN_BOTTOM - _MARGIN_TOP) / 2])
        self._centre((low + high) / 2 * self.scale + lower)

    def zoom(self, factor: float, about: QPointF | None = None) -> bool:
        """Zoom about a point of the view (its middle); returns whether anything changed."""
        point = about if about is not None else QPointF(self.size.width() / 2, self.size.height() / 2)
        scale = min(MOST_SCALE, max(LEAST_SCALE, self.scale * factor))
        if scale == self.scale:
            return False
        world = (self.corner + point) / self.scale
        self.scale, self.fitted = scale, False
        self._put(world * scale - point)
        return True

    def pan(self, dx: float, dy: float) -> None:
        """Move the view by so many pixels."""
        self.fitted = False
        self._put(self.corner - QPointF(dx, dy))

    def bring(self, place: Points) -> bool:
        """Return the centre a place unless it is well in sight; returns whether that was needed."""
        sight = QRectF(0, 0, self.size.width(), self.size.height())
        sight.adjust(_SIGHT_X, _SIGHT_Y, -_SIGHT_X, -_SIGHT_Y)
        if sight.contains(self.on_screen(place)):
            return False
        self.fitted = False
        self._centre(place * self.scale)
        return True

    def on_screen(self, place: Points) -> QPointF:
        return QPointF(float(place[0]) * self.scale, float(place[1]) * self.scale) - self.corner

    def world(self, point: QPointF) -> Points:
        """Return the place under a point of the view, as an array (2,)."""
        at = (self.corner + point) / self.scale
        return np.array([at.x(), at.y()])

    def _centre(self, scaled: Points) -> None:
        half = QPointF(self.size.width() / 2, self.size.height() / 2)
        self._put(QPointF(float(scaled[0]), float(scaled[1])) - half)

    def _put(self, corner: QPointF) -> None:
        self.corner = QPointF(round(corner.x()), round(corner.y()))
