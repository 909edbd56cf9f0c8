"""pyqtgraph's axes with few round ticks, and numbers as the console writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from pitwall.console.charts.axes import nice_step, tick_text

_PX = {"left": 30, "right": 30, "top": 88, "bottom": 88}
"""Pixels between two ticks at least."""
_END_PX = 12


class CalmAxis(pg.AxisItem):  # type: ignore[misc]
    """Draws an axis with one level of round ticks.

    Args:
        text: writes a tick's value.
    """

    def __init__(self, side: str, text: Callable[[float], str] | None = None) -> None:
        super().__init__(side)
        self._side, self.text = side, text
        self.enableAutoSIPrefix(False)

    def boundingRect(self) -> QRectF:
        """Return the rectangle with room for tick labels at both ends; pyqtgraph drops labels beyond it."""
        return QRectF(super().boundingRect()).adjusted(-_END_PX, -_END_PX, _END_PX, _END_PX)

    def most(self, pixels: float) -> int:
        """Return the number of ticks that fit into this length."""
        return max(2, int(pixels / _PX[self._side]))

    def tickSpacing(self, low: float, high: float, pixels: float) -> list[tuple[float, float]]:
        return [(nice_step((high - low) / self.most(pixels)), 0.0)]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        """Move words along the bottom or the top that would be cut off by the widget's edge."""
        specs = super().generateDrawSpecs(painter)
        if specs is not None and self._side in ("top", "bottom"):
            edges = self.mapRectFromScene(self.getViewWidget().sceneRect())
            for area, _, _ in specs[2]:
                area.moveLeft(max(edges.left(), min(area.left(), edges.right() - area.width())))
        return specs

    def tickStrings(self, values: Sequence[float], _scale: float, spacing: float) -> list[str]:
        return [self.text(value) if self.text else tick_text(value, spacing) for value in values]
