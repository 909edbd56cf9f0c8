"""Collects Python's garbage on the window's thread between two events.

Python collects wherever memory is asked for: on a reading thread, or while Qt is inside an object. An object
of Qt that is freed there crashes the program.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_LOOK_MS = 250
_SHARE = 0.02
"""Greatest share of the time that full collections may take (choice)."""


class GarbageCollector(QObject):
    """Takes the place of Python's own times of collection, until the program ends."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._full_at_s = 0.0
        timer = QTimer(self, interval=_LOOK_MS)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is due by Python's own thresholds."""
        full = len(gc.get_threshold()) - 1
        for generation in range(full, -1, -1):
            began_s = time.monotonic()
            waits = generation == full and began_s < self._full_at_s
            if waits or gc.get_count()[generation] <= gc.get_threshold()[generation]:
                continue
            gc.collect(generation)
            if generation == full:
                ended_s = time.monotonic()
                self._full_at_s = ended_s + (ended_s - began_s) / _SHARE
            return
