"""A line with the progress of the layout, its duration in seconds, and Cancel."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QProgressBar

from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.theme import PAD, STEP

_TICK_MS = 250
_STEPS = 1_000


class ProgressLine(QFrame):
    """Shows progress; hidden while the layout rests.

    Args:
        name: what is measured, for screen readers. cancel: ends it.
    """

    def __init__(self, name: str, cancel: Callable[[], object]) -> None:
        super().__init__()
        self._words = Label("", "dim")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(140)
        self._bar.setAccessibleName(f"How far {name} is")
        self.cancel = Button("Cancel", cancel, kind="link", name=f"Cancel {name}")
        line = row(self._bar, self._words, self.cancel, None)
        line.setContentsMargins(PAD, 0, PAD, STEP)
        self.setLayout(line)
        self._what = ""
        self._began_s = 0.0
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._say)
        self.hide()

    def show_share(self, what: str, share: float | None) -> None:
        """Show an activity and its share that is done, 0 to 1; None where the share is not known."""
        if self.isHidden():
            self._began_s = time.monotonic()
            self._tick.start()
            self.show()
        self._bar.setRange(0, 0 if share is None else _STEPS)
        if share is not None:
            self._bar.setValue(round(share * _STEPS))
        self._what = what
        self._say()

    def end(self) -> None:
        """Hide the line: the activity has ended."""
        self._tick.stop()
        self.hide()

    def _say(self) -> None:
        self._words.set_text(f"{self._what} … {time.monotonic() - self._began_s:.0f} s")
