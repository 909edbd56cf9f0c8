"""Thousands of lines or little pictures in one call: numpy rows handed to QPainter as they lie in memory.

PySide turns a list of QLineF into an array by itself, but making that list takes longer than drawing it;
a pointer to the first one and their number is taken as well, as pyqtgraph does it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QPainter, QPixmap

_wrap: Any = shiboken6.wrapInstance
_FRAGMENT = 10
"""Doubles of a QPainter.PixmapFragment: x, y, source left, top, width, height, scale x, y, turn, opacity."""


def draw_lines(painter: QPainter, ends: NDArray[np.float64]) -> None:
    """Lines with the painter's pen.

    Args:
        ends: (n, 4): x, y of the one end and of the other.
    """
    if len(ends):
        memory = np.ascontiguousarray(ends, np.float64)
        draw: Any = painter.drawLines
        draw(_wrap(memory.ctypes.data, QLineF), len(memory))


def draw_stamps(painter: QPainter, places: NDArray[np.float64], stamp: QPixmap) -> None:
    """The same little picture at many places.

    Args:
        places: (n, 2), of its middle.
    """
    if len(places):
        ratio = stamp.devicePixelRatio()
        memory = np.zeros((len(places), _FRAGMENT))
        memory[:, :2] = places
        memory[:, 4], memory[:, 5] = stamp.width(), stamp.height()
        memory[:, 6:8] = 1.0 / ratio
        memory[:, 9] = 1.0
        draw: Any = painter.drawPixmapFragments
        draw(_wrap(memory.ctypes.data, QPainter.PixmapFragment), len(memory), stamp)
