"""Remembers the charts that are there, so that they can be deleted before the windows that hold them."""

from __future__ import annotations

from weakref import WeakSet

import shiboken6
from PySide6.QtWidgets import QWidget

LIVING: WeakSet[QWidget] = WeakSet()


def close_charts() -> None:
    """Delete every chart, before the windows that hold them.

    Where a chart goes as a part of its window, Qt crashes as the chart's scene deletes its axes.
    """
    for canvas in list(LIVING):
        if shiboken6.isValid(canvas):
            shiboken6.delete(canvas)
