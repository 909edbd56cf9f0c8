"""Finds the lines that come near an area, for every square that is painted."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from pitwall_memory_editor.console.graph.layout.forces import Points
from pitwall_memory_editor.console.graph.model import Bools, Ints


class LineIndex:
    """An index of lines for hit tests.

    Args:
        ends: (b, 4): x, y of both ends.
    """

    def __init__(self, ends: Points) -> None:
        self._low = np.minimum(ends[:, :2], ends[:, 2:])
        self._high = np.maximum(ends[:, :2], ends[:, 2:])
        self._middle = (self._low + self._high) / 2
        way = ends[:, 2:] - ends[:, :2]
        length = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)
        self._across = np.stack([-way[:, 1], way[:, 0]], axis=1) / length[:, None]

    def touching(self, area: QRectF, wider: float = 10.0) -> Ints:
        """Return the numbers of the lines that come as near as this to an area, rising."""
        low = (area.left() - wider, area.top() - wider)
        high = (area.right() + wider, area.bottom() + wider)
        boxes: Bools = (self._low[:, 0] < high[0]) & (self._high[:, 0] > low[0])
        boxes &= (self._low[:, 1] < high[1]) & (self._high[:, 1] > low[1])
        some = np.flatnonzero(boxes)
        centre = np.array([area.center().x(), area.center().y()])
        off = np.abs(((centre - self._middle[some]) * self._across[some]).sum(axis=1))
        reach = np.hypot(area.width(), area.height()) / 2 + wider
        return np.asarray(some[off < reach])
