"""Plots of results: places that are read under the pointer, gone through with keys, and opened."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPen

from pitwall.console.charts.canvas import Canvas
from pitwall.console.charts.readout import Reading
from pitwall.console.kit.theme import Look

FIRST_INK = 1
"""Series of the first agent (see `series_style`); the series before it is the reflexes'."""
_REACH_PX = 28.0
HOW = "Arrow keys go through it; Enter opens the runs."


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A place of a plot that can be read.

    Attributes:
        area: where it is; the pointer need only be near a small one.
        head: its title. rows: its texts. key: identifies what it opens; empty: nothing.
    """

    area: QRectF
    head: str
    rows: Sequence[Reading]
    key: str = ""


class Plot(Canvas):
    """A plot with places to read; it is drawn again when its values or its size change.

    Class attributes:
        how: how keys move through it and what Enter opens, for screen readers.
        in_pixels: its coordinates are widget pixels from the upper left corner.

    Signals: opened(key): the operator opened a place.
    """

    how: ClassVar[str] = HOW
    in_pixels: ClassVar[bool] = True
    opened = Signal(str)

    def __init__(
        self, look: Look, name: str, *, axes: dict[str, Any] | None = None, ground: str = "raised"
    ) -> None:
        self._at: int | None = None
        self._spots: Sequence[Hotspot] | None = None
        self._focus: Any = None
        super().__init__(look, name, axes=axes, ground=ground)
        self.setAccessibleDescription(self.how)
        self.box.setMouseEnabled(x=False, y=False)
        if self.in_pixels:
            self.box.invertY(True)
        self.box.sigTransformChanged.connect(self._forget_places)

    @property
    def spots(self) -> Sequence[Hotspot]:
        """Return the places at the present size."""
        if self._spots is None:
            self._spots = self.lay_out()
        return self._spots

    @property
    def read_spot(self) -> Hotspot | None:
        """Return the hotspot chosen by the pointer or the arrow keys, whose values the read-out shows."""
        return self.spots[self._at] if self._at is not None and self._at < len(self.spots) else None

    @property
    def read_text(self) -> str:
        """Return the present reading as a screen reader says it; empty while nothing is read."""
        return self._reading.words if self._at is not None and self._reading is not None else ""

    def redraw(self) -> None:
        """Lay out and draw again; the read place stays."""
        self._spots = None
        self.wipe()
        if self.in_pixels:
            self.box.setRange(xRange=(0, max(1, self.width())), yRange=(0, max(1, self.height())), padding=0)
        self.draw()
        if self._at is not None:
            self.read(self._at)
        self.updateGeometry()

    def read(self, at: int | None) -> None:
        """Read a place by its number; None: none."""
        self._at = at if at is not None and 0 <= at < len(self.spots) else None
        spot = self.read_spot
        if spot is None:
            self.hide_reading()
            self.setAccessibleDescription(self.how)
        else:
            small = spot.area.height() < 24
            corner = spot.area.center() if small else spot.area.topRight() + QPointF(-16, 0)
            self.show_reading(corner, spot.head, spot.rows)
        self._frame(spot if self.hasFocus() else None)
        opens = spot is not None and bool(spot.key)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor)

    # ---- what a plot says

    @abstractmethod
    def lay_out(self) -> Sequence[Hotspot]:
        """Return the places at the present size, in widget pixels."""

    @abstractmethod
    def draw(self) -> None:
        """Draw it."""

    # ---- Qt's own

    def refit(self) -> None:
        self._at = None
        self.hide_reading()
        self.redraw()

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
            event.ignore()
            return
        event.accept()

    # ---- inside

    def _forget_places(self, *_: object) -> None:
        self._spots = None

    def _frame(self, spot: Hotspot | None) -> None:
        """Frame the place that is read with the keys."""
        if self._focus is not None:
            self.scene().removeItem(self._focus)
            self._focus = None
        if spot is not None:
            area = spot.area.adjusted(-2, -2, 2, 2)
            self._focus = self.scene().addRect(area, QPen(self.look.colour("focus"), 1.6))

    def _open(self) -> None:
        spot = self.read_spot
        if spot is not None and spot.key:
            self.opened.emit(spot.key)

    def _near(self, place: QPointF) -> int | None:
        best, nearest = _REACH_PX, None
        for at, spot in enumerate(self.spots):
            if spot.area.contains(place):
                return at
            reach = QPointF(spot.area.center() - place)
            distance = (reach.x() ** 2 + reach.y() ** 2) ** 0.5
            if spot.area.height() < 24 and distance < best:
                best, nearest = distance, at
        return nearest

    def _beside(self, right: int, down: int) -> int:
        """Return the nearest place in a direction, or the present one."""
        now = self.read_spot
        if now is None or self._at is None:
            return 0
        here, best, nearest = now.area.center(), float("inf"), self._at
        for at, spot in enumerate(self.spots):
            reach = spot.area.center() - here
            along = reach.x() * right + reach.y() * down
            across = abs(reach.x() * down) + abs(reach.y() * right)
            if along > 0.5 and along + 2 * across < best:
                best, nearest = along + 2 * across, at
        return nearest


def point_area(centre: QPointF, size: float = 5.0) -> QRectF:
    """Return the area of a marker."""
    return QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size)
