"""Draws thousands of lines or small pictures in one call, from numpy rows that QPainter reads in place.

PySide converts a list of QLineF itself, but building that list takes longer than drawing it. A pointer to the
first line and their number are accepted as well; pyqtgraph does the same.
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
    """Draw lines with the painter's pen.

    Args:
        ends: (n, 4): x, y of both ends.
    """
    if len(ends):
        memory = np.ascontiguousarray(ends, np.float64)
        draw: Any = painter.drawLines
        draw(_wrap(memory.ctypes.data, QLineF), len(memory))


def draw_stamps(painter: QPainter, places: NDArray[np.float64], stamp: QPixmap) -> None:
    """Draw the same small picture at many places.

    Args:
        places: (n, 2) of its centre.
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
