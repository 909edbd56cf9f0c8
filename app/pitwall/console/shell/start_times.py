"""Measures a start: from the program's beginning to the window, the first live picture, the first action."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from pitwall.console.services.bridge import Bridge
from pitwall.core.clock import BEGAN, since_start_s
from pitwall.core.telemetry import StepNote


class StartTimes(QObject):
    """Follows one start.

    Args:
        painted: returns how many live pictures were painted so far.
        first_action: called once the agent has acted for the first time.

    Attributes:
        seconds: seconds until "window", "first frame" and "first action".
    """

    def __init__(
        self,
        window: QWidget,
        bridge: Bridge,
        painted: Callable[[], int],
        first_action: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self.seconds: dict[str, float] = {}
        self._window, self._bridge = window, bridge
        self._painted, self._first_action = painted, first_action
        window.installEventFilter(self)
        bridge.frame.connect(self._frame)
        bridge.received.connect(self._told)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self, lambda: self._reached("window"))
        return super().eventFilter(watched, event)

    def _frame(self, _frame: object) -> None:
        if self._painted():
            self._bridge.frame.disconnect(self._frame)
            self._reached("first frame")

    def _told(self, record: Any) -> None:
        if isinstance(record, StepNote):
            self._bridge.received.disconnect(self._told)
            self._reached("first action")
            self._first_action()

    def _reached(self, milestone: str) -> None:
        self.seconds[milestone] = seconds = since_start_s()
        if BEGAN in os.environ:
            sys.stderr.write(f"pitwall: {seconds:6.1f} s in all  {_WORDS[milestone]}\n")


_WORDS = {
    "window": "the console's window",
    "first frame": "the game's first picture in it",
    "first action": "the agent plays",
}
