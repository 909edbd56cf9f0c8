"""The signals against their thresholds and the route lanes over the last minute, hand-painted.

Rows share one time axis; a line through all of them marks a step that went strategic. A threshold
is the dashed line of its row: drag it to change it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pitwall.console.charts.polyline import polyline
from pitwall.console.kit import format as words
from pitwall.console.kit.theme import PAD, TINY_PX, Look, ui_font
from pitwall.console.live.signals.route_lanes import WORDS, paint_drop, paint_stretch
from pitwall.console.state.signal_history import SPAN_S, DroppedAnswer, Mark, RouteStretch
from pitwall.core.clock import NS_PER_S
from pitwall.core.signals import Reason, Route

LANES = (Route.STRATEGIC, Route.REACTIVE, Route.REFLEX)
HEAD = 12
AXIS = 18
LANE_MIN, LANE_MAX = 16, 22
ROW_MIN, ROW_MAX = 21, 64
_GRIP = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class StripRow:
    """One signal's row.

    Attributes:
        setting: the threshold's name in `core.signals.Thresholds`.
        least, most: bounds of the threshold. whole: whether it is a whole number.
        least_top: the row's scale never ends below this.
    """

    signal: str
    setting: str
    title: str
    least: float
    most: float
    whole: bool
    least_top: float


@dataclass(frozen=True, slots=True)
class Rows:
    """Where rows and lanes lie, in logical pixels: shared with the labels at the left."""

    tops: tuple[float, ...]
    height: float
    lane_tops: tuple[float, ...]
    lane: float
    axis_top: float


def lay_out_rows(height: int, signals: int) -> Rows:
    """Share a height among the head, the signal rows, the lanes and the time axis."""
    lane = min(LANE_MAX, max(LANE_MIN, height * 0.075))
    room = height - HEAD - AXIS - len(LANES) * lane - 6
    each = min(ROW_MAX, max(ROW_MIN, room / signals))
    tops = tuple(HEAD + index * each for index in range(signals))
    first_lane = HEAD + signals * each + 6
    lanes = tuple(first_lane + index * lane for index in range(len(LANES)))
    return Rows(tops, each, lanes, lane, first_lane + len(LANES) * lane)


class StripChart(QWidget):
    """Paints what it was last given; `moved` is called while a threshold is dragged.

    Signals:
        step_wanted(step): a step's mark was clicked.

    Args:
        rows: from top to bottom.
        moved: called with the row's number, the new threshold, and whether the drag has ended.
    """

    step_wanted = Signal(int)

    def __init__(
        self, look: Look, rows: Sequence[StripRow], moved: Callable[[int, float, bool], None]
    ) -> None:
        super().__init__()
        self.setAccessibleName("Signals and routes over the last minute; the table shows the same")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self._look = look
        self._rows = tuple(rows)
        self._moved = moved
        self._ages: NDArray[np.float64] = np.zeros(0)
        self._values: NDArray[np.float32] = np.zeros((0, len(rows)), np.float32)
        self._thresholds: list[float | None] = [None] * len(rows)
        self._marks: list[Mark] = []
        self._stretches: list[RouteStretch] = []
        self._drops: list[DroppedAnswer] = []
        self._now_ns = 0
        self._dragged: int | None = None
        self._font = ui_font(TINY_PX)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(600, HEAD + AXIS + len(self._rows) * 34 + len(LANES) * LANE_MAX + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEAD + AXIS + len(self._rows) * ROW_MIN + len(LANES) * LANE_MIN + 6)

    def set_history(
        self,
        now_ns: int,
        ages: NDArray[np.float64],
        values: NDArray[np.float32],
        marks: Sequence[Mark],
        stretches: Sequence[RouteStretch],
        drops: Sequence[DroppedAnswer] = (),
    ) -> None:
        """Show a minute that ends at `now_ns`; `ages` (n,) and `values` (n, rows) oldest first.

        Of stretches that overlap on a lane the later one is seen.
        """
        self._now_ns, self._ages, self._values = now_ns, ages, values
        begin = now_ns - int(SPAN_S * NS_PER_S)
        self._marks = [mark for mark in marks if mark.at_ns >= begin]
        self._stretches = list(stretches)
        self._drops = [drop for drop in drops if drop.at_ns >= begin]
        self.update()

    def set_threshold(self, row: int, threshold: float | None) -> None:
        """Move a threshold's line, unless it is being dragged."""
        if row != self._dragged and self._thresholds[row] != threshold:
            self._thresholds[row] = threshold
            self.update()

    def rows(self) -> Rows:
        return lay_out_rows(self.height(), len(self._rows))

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._look.colour("panel"))
        rows = self.rows()
        self._paint_axis(painter, rows)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_marks(painter, rows)
        for index in range(len(self._rows)):
            self._paint_row(painter, rows, index)
        self._paint_lanes(painter, rows)

    def _x(self, age_s: float) -> float:
        return (self.width() - PAD) * (1.0 - age_s / SPAN_S)

    def _x_at(self, at_ns: int) -> float:
        return self._x((self._now_ns - at_ns) / NS_PER_S)

    def _top_value(self, index: int) -> float:
        threshold = self._thresholds[index] or 0.0
        seen = float(self._values[:, index].max()) if len(self._values) else 0.0
        return max(self._rows[index].least_top, threshold * 1.4, seen * 1.05)

    def _y(self, rows: Rows, index: int, at: float) -> float:
        bottom = rows.tops[index] + rows.height - 3.5
        return bottom - (rows.height - 9) * min(1.0, at / self._top_value(index))

    def _paint_axis(self, painter: QPainter, rows: Rows) -> None:
        painter.setFont(self._font)
        metrics = QFontMetrics(self._font)
        line, faint = self._look.colour("line"), self._look.colour("faint")
        bottom = round(rows.axis_top)
        for seconds in range(0, int(SPAN_S) + 1, 10):
            x = round(self._x(seconds))
            painter.setPen(line)
            painter.drawLine(x, bottom, x, bottom + 3)
            text = "now" if seconds == 0 else f"−{seconds} s"
            width = metrics.horizontalAdvance(text)
            left = min(max(0, x - width // 2), self.width() - width - 2)
            if seconds % 20 == 0 or self.width() > 560:
                painter.setPen(faint)
                painter.drawText(left, bottom + 4 + metrics.ascent(), text)
        for index in range(len(self._rows)):
            y = round(rows.tops[index] + rows.height) - 1
            painter.setPen(line)
            painter.drawLine(0, y, self.width() - PAD, y)

    def _paint_row(self, painter: QPainter, rows: Rows, index: int) -> None:
        look, threshold = self._look, self._thresholds[index]
        over = False
        if threshold is not None:
            y = round(self._y(rows, index, threshold)) + 0.5
            dragged = index == self._dragged
            pen = QPen(look.colour("text" if dragged else "faint"), 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([3, 4])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(pen)
            painter.drawLine(QPointF(0, y), QPointF(self._x(0), y))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            over = bool(len(self._values)) and float(self._values[-1, index]) >= threshold
        if len(self._ages) < 2:
            return
        bottom = rows.tops[index] + rows.height - 3.5
        scale = (rows.height - 9) / self._top_value(index)
        x = (self.width() - PAD) * (1.0 - self._ages / SPAN_S)
        y_values = bottom - np.minimum(self._values[:, index] * scale, rows.height - 9)
        pen = QPen(look.colour("text"), 1)
        pen.setCosmetic(True)  # one device pixel: anything wider is some seventy times as slow
        painter.setPen(pen)
        line = polyline(np.repeat(x, 2)[1:], np.repeat(y_values, 2)[:-1])  # each value holds until the next
        painter.drawPolyline(line)
        if self.devicePixelRatioF() >= 1.5:
            painter.drawPolyline(line.translated(0, 1 / self.devicePixelRatioF()))
        if over:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("strategic"))
            painter.drawEllipse(QPointF(float(x[-1]), float(y_values[-1])), 3.5, 3.5)

    def _paint_marks(self, painter: QPainter, rows: Rows) -> None:
        bottom = rows.tops[-1] + rows.height
        for mark in self._marks:
            x = round(self._x_at(mark.at_ns)) + 0.5
            tone = "stop" if Reason.FAILURE in mark.reasons else "strategic"
            if mark.reasons == (Reason.REFRESH,):
                tone = "faint"
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(self._look.colour(tone, 110), 1))
            painter.drawLine(QPointF(x, 9), QPointF(x, bottom))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.colour(tone))
            painter.drawPolygon(QPolygonF([QPointF(x - 4, 2), QPointF(x + 4, 2), QPointF(x, 9)]))

    def _paint_lanes(self, painter: QPainter, rows: Rows) -> None:
        right = self._x(0)
        for lane, route in enumerate(LANES):
            top = rows.lane_tops[lane] + 2
            ground = QRectF(0, top, right, rows.lane - 4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.colour("hover", 110))
            painter.drawRoundedRect(ground, 3, 3)
            for stretch in self._stretches:
                if stretch.route is route:
                    left, end = self._x_at(stretch.start_ns), self._x_at(stretch.end_ns)
                    bar = QRectF(left, top, max(2.0, end - left - 1), rows.lane - 4)
                    paint_stretch(painter, self._look, bar, route, stretch.state)
            for drop in self._drops:
                if drop.route is route:
                    centre = QPointF(self._x_at(drop.at_ns), top + (rows.lane - 4) / 2)
                    paint_drop(painter, self._look, centre)

    # ---- dragging and reading

    def _threshold_at(self, y: float) -> int | None:
        rows = self.rows()
        for index, threshold in enumerate(self._thresholds):
            if threshold is not None and abs(self._y(rows, index, threshold) - y) <= _GRIP:
                return index
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            mark = self._mark_at(event.position().toPoint())
            self._dragged = self._threshold_at(event.position().y()) if mark is None else None
            if mark is not None:
                self.step_wanted.emit(mark.step)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        y = event.position().y()
        if self._dragged is None:
            self._show_cursor(event.position().toPoint())
            return
        threshold = self._value_at(self._dragged, y)
        if threshold != self._thresholds[self._dragged]:
            self._thresholds[self._dragged] = threshold
            self._moved(self._dragged, threshold, False)
            self.update()

    def _show_cursor(self, point: QPoint) -> None:
        cursor = Qt.CursorShape.ArrowCursor
        if self._mark_at(point) is not None:
            cursor = Qt.CursorShape.PointingHandCursor
        elif self._threshold_at(point.y()) is not None:
            cursor = Qt.CursorShape.SplitVCursor
        self.setCursor(cursor)

    def _mark_at(self, point: QPoint) -> Mark | None:
        """The mark whose flag at the upper edge is under the pointer."""
        if point.y() > HEAD:
            return None
        near = [mark for mark in self._marks if abs(self._x_at(mark.at_ns) - point.x()) <= _GRIP]
        return near[-1] if near else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index, self._dragged = self._dragged, None
        if index is not None and event.button() == Qt.MouseButton.LeftButton:
            threshold = self._thresholds[index]
            assert threshold is not None
            self._moved(index, threshold, True)
            self.update()

    def _value_at(self, index: int, y: float) -> float:
        rows, row = self.rows(), self._rows[index]
        bottom = rows.tops[index] + rows.height - 3.5
        raw = (bottom - y) / (rows.height - 9) * self._top_value(index)
        raw = min(max(raw, row.least), row.most)
        return float(round(raw)) if row.whole else round(raw, 2)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._words_at(event.pos()), self)
            return True
        return super().event(event)

    def _words_at(self, point: QPoint) -> str:
        rows = self.rows()
        for lane, top in enumerate(rows.lane_tops):
            if top <= point.y() < top + rows.lane:
                return self._lane_words(LANES[lane], point.x())
        for mark in self._marks:
            if abs(self._x_at(mark.at_ns) - point.x()) <= _GRIP:
                click = "\nclick to inspect it" if point.y() <= HEAD else ""
                return f"step {mark.step} went strategic: {words.reasons(mark.reasons)}{click}"
        return ""

    def _lane_words(self, route: Route, x: float) -> str:
        for drop in self._drops:
            if drop.route is route and abs(self._x_at(drop.at_ns) - x) <= _GRIP:
                return f"{drop.what} came too late and was dropped"
        for stretch in reversed(self._stretches):
            left, right = self._x_at(stretch.start_ns), self._x_at(stretch.end_ns)
            if stretch.route is route and left - 1 <= x <= right + 1:
                seconds = (stretch.end_ns - stretch.start_ns) / NS_PER_S
                return f"{route.value} {WORDS[stretch.state]}, {seconds:.1f} s"
        return ""
