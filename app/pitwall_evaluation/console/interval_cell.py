"""Draws a share with its 95 % interval at the left of a table cell's text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from pitwall.console.kit.row_drawing import font_of
from pitwall.console.kit.theme import GAP, SMALL_PX, Look

R = TypeVar("R")
_BAR_LEAST, _BAR_MOST = 16, 120


def interval_cell(
    of: Callable[[R], tuple[float, float, float]], widest: str
) -> Callable[[QPainter, QRect, R, Look], QRect]:
    """Return a function that draws a row's share, for `kit.table.model.Column.draw`.

    Args:
        of: share, low and high of a row, NaN where there is none. widest: the longest text beside a bar, so
            that bars have the same width in every row.
    """

    def draw(painter: QPainter, room: QRect, row: R, look: Look) -> QRect:
        share, low, high = of(row)
        painter.setFont(font_of(SMALL_PX, True))
        words = painter.fontMetrics().horizontalAdvance(widest) + GAP
        wide = min(_BAR_MOST, room.width() - words)
        if not math.isfinite(share) or wide < _BAR_LEAST:
            return room
        painter.save()
        ground = QRectF(room.left(), room.center().y() - 2, wide, 5)
        draw_interval_bar(painter, look, ground, share, low, high)
        painter.restore()
        return room.adjusted(wide + GAP, 0, 0, 0)

    return draw


def draw_interval_bar(
    painter: QPainter, look: Look, ground: QRectF, of: float, low: float, high: float, colour: str = "ok"
) -> None:
    """Draw a share as a bar with its interval as a line over it."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("line"))
    painter.drawRoundedRect(ground, 2, 2)
    full = QRectF(ground)
    full.setWidth(ground.width() * of)
    painter.setBrush(look.colour(colour, 190))
    if full.width() >= 1:
        painter.drawRoundedRect(full, 2, 2)
    if not math.isfinite(low):
        return
    left, right = (ground.left() + ground.width() * share for share in (low, high))
    y = ground.center().y()
    painter.setPen(QPen(look.colour("text"), 1.3))
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    for x in (left, right):
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
