"""A demonstration's lanes: the keys held over time, episodes, trims, the present place, the handles.

Click or drag to go to a moment; drag a handle to choose a part. `pitwall teach show` has the same counts.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.charts.axes import time_step
from pitwall.console.demonstrations.film import Film
from pitwall.console.kit.theme import GAP, STEP, TINY_PX, Look, ui_font
from pitwall.core.quantities import clock, clock_tenths

_GUTTER, _RIGHT = 116, 12
_EPISODES, _LANE, _AXIS = 18, 16, 18
_REACH_PX = 7
_LEAST_PX = 2.0
_LEAST_S = 0.1


class Lanes(QWidget):
    """Draws a film's lanes.

    Signals:
        moved(at_s): the operator went to a moment. chosen(): the handles were moved.
    """

    moved = Signal(float)
    chosen = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._film: Film | None = None
        self._at_s = 0.0
        self.part = (0.0, 0.0)
        self._held = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        look.changed.connect(self.update)
        self.show_film(None)

    def sizeHint(self) -> QSize:
        lanes = len(self._film.lanes) if self._film is not None else 0
        return QSize(480, _EPISODES + max(1, lanes) * _LANE + _AXIS)

    def show_film(self, film: Film | None) -> None:
        """Show a film's lanes with both handles at its ends; None: nothing."""
        self._film, self._at_s = film, 0.0
        self.part = (0.0, film.seconds if film is not None else 0.0)
        self.setFixedHeight(self.sizeHint().height())
        counts = ", ".join(f"{lane.name} {lane.presses}" for lane in film.lanes) if film is not None else ""
        self.setAccessibleName(f"Presses over time: {counts or 'none'}")
        self.update()

    def show_place(self, at_s: float) -> None:
        """Move the line of the present place."""
        self._at_s = at_s
        self.update()

    @property
    def whole(self) -> bool:
        """Return whether the handles are at the ends."""
        return self._film is None or self.part == (0.0, self._film.seconds)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = self._handle_at(event.position().x()) or "place"
        self._drag(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held:
            self._drag(event.position().x())
        else:
            over = self._handle_at(event.position().x())
            self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        self._held = ""

    def _drag(self, x: float) -> None:
        if self._film is None:
            return
        at_s = min(max(self._time(x), 0.0), self._film.seconds)
        start, end = self.part
        if self._held == "start":
            self.part = (min(at_s, end - _LEAST_S), end)
        elif self._held == "end":
            self.part = (start, max(at_s, start + _LEAST_S))
        if self._held != "place":
            self.chosen.emit()
        self.update()
        self.moved.emit(at_s)

    def _handle_at(self, x: float) -> str:
        reach = {"start": abs(x - self._x(self.part[0])), "end": abs(x - self._x(self.part[1]))}
        nearest = min(reach, key=lambda edge: reach[edge])
        return nearest if self._film is not None and reach[nearest] <= _REACH_PX else ""

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._look.colour("panel"))
        painter.setFont(ui_font(TINY_PX))
        film = self._film
        if film is None:
            return
        bottom = self.height() - _AXIS
        self._paint_episodes(painter, film, bottom)
        self._paint_lanes(painter, film)
        for span in film.manifest.trims:
            self._shade(painter, span.from_s, min(span.to_s, film.seconds), "stop", bottom)
        self._paint_axis(painter, film, bottom)
        for at_s, side in zip(self.part, (1, -1), strict=True):
            self._paint_handle(painter, at_s, side, bottom)
        if not self.whole:
            self._shade(painter, *self.part, "focus", bottom)
        painter.setPen(QPen(self._look.colour("text"), 1.5))
        x = self._x(self._at_s)
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom))

    def _paint_episodes(self, painter: QPainter, film: Film, bottom: int) -> None:
        painter.setPen(self._look.colour("dim"))
        painter.drawText(QRectF(GAP, 0, _GUTTER - GAP, _EPISODES), Qt.AlignmentFlag.AlignVCenter, "episodes")
        for number, start, end in film.episodes:
            area = QRectF(self._x(start), 0, max(_LEAST_PX, self._x(end) - self._x(start)), bottom)
            painter.fillRect(area, self._look.colour("raised" if number % 2 == 0 else "hover"))
            painter.setPen(self._look.colour("dim"))
            if area.width() > 20:
                inside = area.adjusted(STEP, 0, 0, _EPISODES - bottom)
                painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, str(number + 1))

    def _paint_lanes(self, painter: QPainter, film: Film) -> None:
        if not film.lanes:
            painter.setPen(self._look.colour("dim"))
            area = QRectF(_GUTTER, _EPISODES, self.width() - _GUTTER, _LANE)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "nothing was pressed")
        metrics = painter.fontMetrics()
        for row, lane in enumerate(film.lanes):
            top = _EPISODES + row * _LANE
            painter.setPen(self._look.colour("text"))
            area = QRectF(GAP, top, _GUTTER - 2 * GAP, _LANE)
            name = f"{lane.name}  {lane.presses:,}"
            words = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, round(area.width()))
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
            painter.setPen(self._look.colour("line"))
            painter.drawLine(QPointF(_GUTTER, top + 0.5), QPointF(self.width() - _RIGHT, top + 0.5))
            for start, end in lane.spans:
                left = self._x(start)
                bar = QRectF(left, top + 3, max(_LEAST_PX, self._x(end) - left), _LANE - 6)
                painter.fillRect(bar, self._look.colour("human"))

    def _paint_axis(self, painter: QPainter, film: Film, bottom: int) -> None:
        painter.setPen(self._look.colour("faint"))
        painter.drawLine(QPointF(_GUTTER, bottom + 0.5), QPointF(self.width() - _RIGHT, bottom + 0.5))
        step = time_step(film.seconds * 84 / max(84, self.width() - _GUTTER))
        for number in range(math.floor(film.seconds / step) + 1):
            at = number * step
            words = clock(at) if step >= 1 else clock_tenths(at)
            if self._x(at) + painter.fontMetrics().horizontalAdvance(words) < self.width() - STEP:
                area = QRectF(self._x(at) + 2, bottom, 80, _AXIS)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
            painter.drawLine(QPointF(self._x(at), bottom), QPointF(self._x(at), bottom + STEP))

    def _paint_handle(self, painter: QPainter, at_s: float, side: int, bottom: int) -> None:
        x = self._x(at_s)
        painter.setPen(QPen(self._look.colour("focus"), 2))
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom))
        painter.setBrush(self._look.colour("focus"))
        corner = [QPointF(x, bottom - 12), QPointF(x + side * 8, bottom), QPointF(x, bottom)]
        painter.drawPolygon(QPolygonF(corner))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _shade(self, painter: QPainter, start: float, end: float, colour: str, bottom: int) -> None:
        area = QRectF(self._x(start), 0, self._x(end) - self._x(start), bottom)
        painter.fillRect(area, self._look.colour(colour, 48))
        if colour == "stop":
            painter.fillRect(area, Qt.BrushStyle.BDiagPattern)

    def _x(self, at_s: float) -> float:
        seconds = self._film.seconds if self._film is not None else 1.0
        return _GUTTER + at_s / seconds * (self.width() - _GUTTER - _RIGHT)

    def _time(self, x: float) -> float:
        seconds = self._film.seconds if self._film is not None else 1.0
        return (x - _GUTTER) / max(1, self.width() - _GUTTER - _RIGHT) * seconds
