"""A cache of the painted graph as square pixmaps, so that panning is little more than blitting.

At a new scale, or after a change, the old squares are shown (stretched) until new ones exist. A few are
painted in each frame, so that no frame takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap

SIDE = 256
"""Logical pixels of a square."""
_MOST_BYTES = 96 * 2**20
_BESIDE = 1
"""Squares painted beyond the edge of the view when there is time."""

Key = tuple[int, int]
PaintArea = Callable[[QPainter, QRectF], None]
"""Paints an area of the scaled scene into a painter whose origin is the area's corner."""


class Tiles:
    """Squares of one picture.

    Args:
        paint_area: paints at the scale last given to `renew`.
    """

    def __init__(self, paint_area: PaintArea) -> None:
        self._paint_area = paint_area
        self._ground = QColor()
        self._ratio = 1.0
        self._scale = 1.0
        self._tiles: dict[Key, QPixmap] = {}
        self._old: dict[Key, QPixmap] = {}
        self._old_scale = 1.0
        self.painted = 0
        """Squares painted since it was made."""

    def renew(self, scale: float, ground: QColor, ratio: float) -> None:
        """Discard every square, for painting at this scale and pixel ratio."""
        if self._tiles:
            self._old, self._old_scale = self._tiles, self._scale
        self._tiles = {}
        self._scale, self._ground, self._ratio = scale, ground, ratio

    def forget_old(self) -> None:
        """Drop the squares of the picture before: another one comes."""
        self._old = {}

    def show(self, painter: QPainter, view: QRectF, budget_s: float) -> bool:
        """Blit the painted squares and paint missing ones within a time budget.

        Args:
            view: the part of the scaled scene that the painter's device shows, in whole pixels.

        Returns:
            Whether everything in view is painted.
        """
        whole = self._fill(self._in_view(view), budget_s, least=1)
        if not whole:
            self._show_old(painter, view)
        for key in self._in_view(view):
            tile = self._tiles.get(key)
            if tile is not None:
                painter.drawPixmap(QPointF(key[0] * SIDE - view.x(), key[1] * SIDE - view.y()), tile)
        if whole:
            self._old = {}
        return whole

    def show_at(self, painter: QPainter, view: QRectF, scale: float) -> None:
        """Blit the painted squares stretched to another scale, while the wheel turns."""
        grow = scale / self._scale
        painter.save()
        painter.scale(grow, grow)
        seen = QRectF(view.topLeft() / grow, view.size() / grow)
        for key in self._in_view(seen):
            tile = self._tiles.get(key)
            if tile is not None:
                painter.drawPixmap(QPointF(key[0] * SIDE - seen.x(), key[1] * SIDE - seen.y()), tile)
        painter.restore()

    def prepare(self, view: QRectF, budget_s: float) -> bool:
        """Paint squares just outside the view; returns whether they are all there."""
        side = _BESIDE * SIDE
        done = self._fill(self._in_view(view.adjusted(-side, -side, side, side)), budget_s, least=0)
        self._drop_far(view)
        return done

    def _show_old(self, painter: QPainter, view: QRectF) -> None:
        if not self._old:
            return
        grow = self._scale / self._old_scale
        painter.save()
        painter.translate(-view.topLeft())
        painter.scale(grow, grow)
        for (column, row), tile in self._old.items():
            painter.drawPixmap(QPointF(column * SIDE, row * SIDE), tile)
        painter.restore()

    def _fill(self, keys: Iterator[Key], budget_s: float, *, least: int) -> bool:
        until = time.perf_counter() + budget_s
        count = 0
        for key in keys:
            if key in self._tiles:
                continue
            if count >= least and time.perf_counter() > until:
                return False
            self._tiles[key] = self._painted(key)
            count += 1
        return True

    def _painted(self, key: Key) -> QPixmap:
        side = round(SIDE * self._ratio)
        tile = QPixmap(side, side)
        tile.setDevicePixelRatio(self._ratio)
        tile.fill(self._ground)
        painter = QPainter(tile)
        self._paint_area(painter, QRectF(key[0] * SIDE, key[1] * SIDE, SIDE, SIDE))
        painter.end()
        self.painted += 1
        return tile

    def _in_view(self, view: QRectF) -> Iterator[Key]:
        """Return the squares that a part of the scene touches, from its middle outwards."""
        columns = range(int(view.left() // SIDE), int(-(-view.right() // SIDE)))
        rows = range(int(view.top() // SIDE), int(-(-view.bottom() // SIDE)))
        middle = view.center() / SIDE
        keys = [(column, row) for column in columns for row in rows]
        keys.sort(key=lambda key: abs(key[0] + 0.5 - middle.x()) + abs(key[1] + 0.5 - middle.y()))
        return iter(keys)

    def _drop_far(self, view: QRectF) -> None:
        most = max(16, int(_MOST_BYTES / (4 * (SIDE * self._ratio) ** 2)))
        if len(self._tiles) > most:
            middle = view.center() / SIDE
            far = sorted(self._tiles, key=lambda key: abs(key[0] - middle.x()) + abs(key[1] - middle.y()))
            for key in far[most * 3 // 4 :]:
                del self._tiles[key]
