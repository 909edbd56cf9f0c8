"""Draws a signal's curve and threshold, on the Live page and in the replay alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPen

from pitwall.console.kit.theme import Look
from pitwall.core.signals import TriggerSignal

ROOM_PX = 9
"""Pixels of a row's height that its curve leaves free."""
_FOOT_PX = 3.5

Floats = NDArray[Any]


def scale_top(signal: TriggerSignal, threshold: float | None, values: Floats) -> float:
    """Return the value at the upper end of a signal's row."""
    seen = float(np.nanmax(values, initial=0.0))
    return max(signal.chart_top, (threshold or 0.0) * 1.4, seen * 1.05)


def heights(values: Floats, top: float, row_top: float, row_height: float) -> Floats:
    """Return the places of values in a row, in pixels from above; values above its scale stand at its end."""
    room = max(ROOM_PX, row_height - ROOM_PX)
    y: Floats = row_top + row_height - _FOOT_PX - np.minimum(np.nan_to_num(values) * (room / top), room)
    return y


def held(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the points of a curve on which each value holds until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def curve_pen(look: Look) -> QPen:
    """Return the pen of a signal's curve."""
    pen = QPen(look.colour("text"), 1)
    pen.setCosmetic(True)  # one device pixel: anything wider is some seventy times as slow
    return pen


def threshold_pen(look: Look) -> QPen:
    """Return the pen of a threshold's line."""
    pen = QPen(look.colour("faint"), 1)
    pen.setCosmetic(True)
    pen.setDashPattern([3, 4])
    return pen
