"""A field to search with; Esc empties it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

_RESTED_MS = 180


class SearchField(QLineEdit):
    """A line for words to search for.

    Args:
        hint: shown while it is empty.
        name: what is searched, for screen readers.

    Signals:
        searched(words): what was typed, once typing rests.
    """

    searched = Signal(str)

    def __init__(self, hint: str, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setToolTip("Esc empties it")
        rested = QTimer(self, singleShot=True, interval=_RESTED_MS)
        rested.timeout.connect(lambda: self.searched.emit(self.text()))
        self.textChanged.connect(rested.start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            event.accept()
        else:
            super().keyPressEvent(event)
