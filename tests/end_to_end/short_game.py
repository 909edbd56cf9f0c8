"""A game whose round ends two seconds after Enter began it; then its title is back, and Space is unused."""

from __future__ import annotations

import json
import sys

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

_ROUND_MS = 2_000


class ShortGame(QWidget):
    """The window: a dark title, or a bright round in which Space moves a square."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Short")
        self.setFixedSize(400, 300)
        self._hops = -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Return and self._hops < 0:
            self._hops = 0
            QTimer.singleShot(_ROUND_MS, self._end)
        elif event.key() == Qt.Key.Key_Space and self._hops >= 0:
            self._hops += 1
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        painter = QPainter(self)
        if self._hops < 0:
            painter.fillRect(self.rect(), QColor(20, 20, 60))
            painter.fillRect(QRect(100, 60, 200, 60), QColor(230, 200, 40))
        else:
            painter.fillRect(self.rect(), QColor(90, 180, 220))
            painter.fillRect(QRect(20 + 70 * (self._hops % 5), 180, 60, 60), QColor(160, 30, 30))

    def _end(self) -> None:
        self._hops = -1
        self.update()


if __name__ == "__main__":
    application = QApplication(sys.argv)
    game = ShortGame()
    game.show()
    sys.stdout.write(json.dumps({"window": int(game.winId())}) + "\n")
    sys.stdout.flush()
    sys.exit(application.exec())
