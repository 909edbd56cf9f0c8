"""What every plot of results does alike: read under the pointer, gone through with keys, opened."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.charts.readout import Reading, ReadOut
from pitwall.console.kit.theme import Look

FIRST_INK = 1
"""Ink of the first agent (see `lab.ink`): the one before it is the reflexes' own."""
_REACH_PX = 28.0
HOW = "Arrow keys go through it; Enter opens the runs."


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A place that can be read.

    Attributes:
        area: where it is; a small one is also read from near it.
        head: what it is. rows: what is read there. key: what opens with it; empty: nothing.
    """

    area: QRectF
    head: str
    rows: Sequence[Reading]
    key: str = ""


class Plot(QWidget):
    """A painted plot with places to read.

    Class attributes:
        how: how keys go through it and what Enter opens, for screen readers.

    Signals: opened(key): what is behind a place is wanted.
    """

    how: ClassVar[str] = HOW
    opened = Signal(str)

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self._at: int | None = None
        self._spots: Sequence[Hotspot] | None = None
        self._box: ReadOut | None = None
        self.setAccessibleName(name)
        self.setAccessibleDescription(self.how)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        look.changed.connect(self.update)

    @property
    def spots(self) -> Sequence[Hotspot]:
        """The places, as they lie at this size."""
        if self._spots is None:
            self._spots = self.lay_out()
        return self._spots

    @property
    def read_spot(self) -> Hotspot | None:
        """The place that is read now."""
        return self.spots[self._at] if self._at is not None and self._at < len(self.spots) else None

    @property
    def read_text(self) -> str:
        """What is read now, as a screen reader says it; empty where nothing is."""
        return self._box.text() if self._at is not None and self._box is not None else ""

    def renew(self) -> None:
        """Other values are shown: lay out and paint anew; what is read stays where it is."""
        self._spots = None
        if self._at is not None:
            self.read(self._at)
        self.updateGeometry()
        self.update()

    def read(self, at: int | None) -> None:
        """Read a place by its number; None: none."""
        self._at = at if at is not None and 0 <= at < len(self.spots) else None
        spot = self.read_spot
        if spot is None:
            if self._box is not None:
                self._box.hide()
            self.setAccessibleDescription(self.how)
        else:
            self._show_box(spot)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if spot is not None and spot.key else Qt.CursorShape.ArrowCursor
        )
        self.update()

    # ---- what a plot says

    @abstractmethod
    def lay_out(self) -> Sequence[Hotspot]:
        """The places at this size."""

    @abstractmethod
    def draw(self, painter: QPainter) -> None:
        """Paint it."""

    # ---- Qt's own

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter)
        spot = self.read_spot
        if spot is not None and self.hasFocus():
            painter.setPen(QPen(self._look.colour("focus"), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(spot.area.adjusted(-2, -2, 2, 2), 4, 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spots = None
        self.read(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.read(self._near(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.read(self._near(event.position()))
        self._open()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.read(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._at is None and self.spots and event.reason() != Qt.FocusReason.MouseFocusReason:
            self.read(0)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.read(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ways = {
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Down: (0, 1),
            Qt.Key.Key_Up: (0, -1),
        }
        key = Qt.Key(event.key())
        if key in ways and self.spots:
            self.read(self._beside(*ways[key]))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and self.spots:
            self.read(0 if key == Qt.Key.Key_Home else len(self.spots) - 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.read(None)

    # ---- inside

    def _show_box(self, spot: Hotspot) -> None:
        """Beside the place, over whatever of the window lies there."""
        window = self.window()
        if self._box is None or self._box.parentWidget() is not window:
            if self._box is not None:
                self._box.deleteLater()
            self._box = ReadOut(self._look, window)
        corner = spot.area.center() if spot.area.height() < 24 else spot.area.topRight() + QPointF(-16, 0)
        self._box.show_at(self.mapTo(window, corner.toPoint()), spot.head, spot.rows)
        self.setAccessibleDescription(self._box.text())

    def _open(self) -> None:
        spot = self.read_spot
        if spot is not None and spot.key:
            self.opened.emit(spot.key)

    def _near(self, place: QPointF) -> int | None:
        best, found = _REACH_PX, None
        for at, spot in enumerate(self.spots):
            if spot.area.contains(place):
                return at
            reach = QPointF(spot.area.center() - place)
            distance = (reach.x() ** 2 + reach.y() ** 2) ** 0.5
            if spot.area.height() < 24 and distance < best:
                best, found = distance, at
        return found

    def _beside(self, right: int, down: int) -> int:
        """The nearest place that way, or the one where we are."""
        now = self.read_spot
        if now is None or self._at is None:
            return 0
        here, best, found = now.area.center(), float("inf"), self._at
        for at, spot in enumerate(self.spots):
            reach = spot.area.center() - here
            along = reach.x() * right + reach.y() * down
            across = abs(reach.x() * down) + abs(reach.y() * right)
            if along > 0.5 and along + 2 * across < best:
                best, found = along + 2 * across, at
        return found


def point_area(centre: QPointF, size: float = 5.0) -> QRectF:
    """The area of a marker."""
    return QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size)
