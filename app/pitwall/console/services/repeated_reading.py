"""Reads something again and again in the background, at once where it is asked, never twice at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError

_LIVE_MS, _QUIET_MS = 700, 2_500


class RepeatedReading(QObject):
    """Calls a function on a background worker.

    Args:
        read: called on the worker's thread.

    Signals:
        took(value): it was read. failed(error): a PitwallError that reading met.

    Attributes:
        reading: whether it is just being read.
    """

    took = Signal(object)
    failed = Signal(object)

    def __init__(self, worker: BackgroundWorker, read: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._worker, self._read = worker, read
        self.reading = False
        self._again = False
        self._timer = QTimer(self, interval=_QUIET_MS)
        self._timer.timeout.connect(self.now)

    def start(self) -> None:
        """Read at once, and again and again from now on."""
        self._timer.start()
        self.now()

    def stop(self) -> None:
        """Read no more until it is asked."""
        self._timer.stop()

    def now(self) -> None:
        """Read at once; once more where one reading is on its way."""
        if self.reading:
            self._again = True
            return
        self.reading = True
        self._worker.ask(self._read, self._took, self._failed)

    def be_live(self, live: bool) -> None:
        """Read more often while something changes by itself."""
        wanted = _LIVE_MS if live else _QUIET_MS
        if self._timer.interval() != wanted:
            self._timer.setInterval(wanted)

    def _took(self, value: object) -> None:
        self.reading = False
        self.took.emit(value)
        if self._again:
            self._again = False
            self.now()

    def _failed(self, error: PitwallError) -> None:
        self.reading = False
        self.failed.emit(error)
