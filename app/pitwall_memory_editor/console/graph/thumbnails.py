"""The small frames on the cards of the graph's states: asked for when a card is in view, kept meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QWidget

_WIDTH, _HEIGHT = 54, 40
_SHARPEST = 2
"""Most pixels that a saved frame has for each pixel of the screen."""
_STILL_MS = 120
_AT_ONCE = 48
_MOST = 2_000


class Thumbnails(QObject):
    """Keeps the small frames of states by entry id.

    Signals:
        wanted(entry_ids): these states' frames are wanted; answer with `take`. came(): there are more.
    """

    wanted = Signal(object)
    came = Signal()

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self.pictures: dict[int, QPixmap] = {}
        self._asked: set[int] = set()
        self._seen: Sequence[int] = ()
        self._still = QTimer(self, singleShot=True, interval=_STILL_MS)
        self._still.timeout.connect(self._ask)

    def see(self, entry_ids: Sequence[int]) -> None:
        """Request the missing frames of these states' cards once the view is still."""
        self._seen = [entry_id for entry_id in entry_ids if entry_id not in self._asked]
        if self._seen:
            self._still.start()

    def take(self, frames: Mapping[int, QImage]) -> None:
        """Keep small frames; states without one stay as they are."""
        if not (asked := {key: frame for key, frame in frames.items() if key in self._asked}):
            return
        ratio = min(float(_SHARPEST), self._view.devicePixelRatioF())
        for entry_id, frame in asked.items():
            how = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            picture = QPixmap.fromImage(frame.scaled(round(_WIDTH * ratio), round(_HEIGHT * ratio), *how))
            picture.setDevicePixelRatio(ratio)
            self.pictures[entry_id] = picture
        self.came.emit()

    def forget(self) -> None:
        """Drop them all: another game's states come."""
        self.pictures.clear()
        self._asked.clear()

    def _ask(self) -> None:
        if len(self._asked) > _MOST:
            self.forget()
        batch = list(self._seen[:_AT_ONCE])
        self._asked.update(batch)
        self.wanted.emit(batch)
        self.see(self._seen)


def small(frames: Mapping[int, QImage]) -> dict[int, QImage]:
    """Shrink frames to what a card can show at most; in the reading thread."""
    how = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    return {key: frame.scaled(_SHARPEST * _WIDTH, _SHARPEST * _HEIGHT, *how) for key, frame in frames.items()}
