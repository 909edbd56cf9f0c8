"""Numpy arrays as Qt polygons without a Python loop, as pyqtgraph's `arrayToQPolygonF` does it."""

from __future__ import annotations

from typing import Any

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtGui import QPolygonF

_BYTES_A_POINT = 16
_VOID_PTR: Any = shiboken6.VoidPtr
"""Takes an address, a size and whether it may be written; its stub knows of the address only."""


def polyline(x: NDArray[np.floating], y: NDArray[np.floating]) -> QPolygonF:
    """Points (x[i], y[i]) as a polygon.

    Args:
        x, y: (n,) each.
    """
    count = len(x)
    polygon = QPolygonF()
    polygon.resize(count)
    if count:
        memory: Any = _VOID_PTR(polygon.data(), count * _BYTES_A_POINT, True)
        points = np.frombuffer(memory, np.float64).reshape(count, 2)
        points[:, 0] = x
        points[:, 1] = y
    return polygon
