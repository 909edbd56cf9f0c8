"""Places the console beside the game's window, however the game came into view; the game is never moved."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QRect, QSize

from pitwall.console.kit.screen_places import rect_to_qt, screen_places
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.window import LEAST, MainWindow
from pitwall.core.telemetry import WindowSeen
from pitwall.desktops.here import this_desktop

_STRIP_LEAST = (220, 104)
"""Least width of a strip at a side of the game, least height of one above or below it."""
_STRIP_MOST = (360, 150)
_TITLE_BAR = 32
_GAP = 8


class Placement(QObject):
    """Looks once at each window that comes into view: chosen, started by a command, picked, or restarted."""

    def __init__(self, bridge: Bridge, window: MainWindow) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._window = window
        self._placed = 0
        self._made_room: tuple[QRect, QSize] | None = None
        """Its place before it made room for a game, and the size that it took then."""
        bridge.received.connect(self._receive)

    def _receive(self, record: Any) -> None:
        if not isinstance(record, WindowSeen):
            return
        if record.window is None:
            self._grow_back()
            self._window.keep_clear_of_game()
        elif record.window.native_id != self._placed and not self._window.isFullScreen():
            self._placed = record.window.native_id
            self._grow_back()
            self._place_beside(rect_to_qt(record.window.rect, screen_places()))
            self._window.keep_clear_of_game()

    def _place_beside(self, game: QRect) -> None:
        window = self._window
        area = window.screen().availableGeometry()
        if not this_desktop().free_placement or not window.frameGeometry().intersects(game):
            return
        place, compact = place_beside(game, area)
        if place.isNull() or (compact and not self._bridge.settings.console.strip):
            return
        self._made_room = window.geometry(), place.size()
        window.showNormal()
        window.show_strip(compact)
        window.setGeometry(place)

    def _grow_back(self) -> None:
        """Take the place from before the last game, unless the operator has changed the size since."""
        made_room, self._made_room = self._made_room, None
        if made_room is None or self._window.size() != made_room[1]:
            return
        self._window.show_strip(False)
        self._window.setGeometry(made_room[0])


def place_beside(game: QRect, area: QRect) -> tuple[QRect, bool]:
    """Return the console's place on the screen, and whether only its strip has room there.

    The wider side of the game that holds the whole console; else the biggest strip of a side, or above or
    below. A null rectangle: the game leaves no room, and the console stays where it is.
    """
    top, height = area.top() + _TITLE_BAR, area.height() - _TITLE_BAR - _GAP
    right = QRect(game.right() + _GAP, top, area.right() - game.right() - 2 * _GAP, height)
    left = QRect(area.left() + _GAP, top, game.left() - area.left() - 2 * _GAP, height)
    side = max(right, left, key=QRect.width)
    if side.width() >= LEAST[0]:
        return side, height < LEAST[1]
    if side.width() >= _STRIP_LEAST[0]:
        width = min(side.width(), _STRIP_MOST[0])
        return QRect(side.left(), top, width, height), True
    above = QRect(area.left() + _GAP, top, area.width() - 2 * _GAP, game.top() - top - _TITLE_BAR)
    below_top = game.bottom() + _TITLE_BAR
    below = QRect(above.left(), below_top, above.width(), area.bottom() - below_top - _GAP)
    across = max(above, below, key=QRect.height)
    if across.height() >= _STRIP_LEAST[1]:
        return QRect(across.topLeft(), across.size()), True
    return QRect(), False
