"""The signals against their thresholds and the route lanes over the last minute.

Rows share one time axis; a line through all of them marks a step that went strategic. A threshold
is the dashed line of its row: drag it to change it. The plot's coordinates are seconds along, and
pixels from the top downwards: its range is fixed, so that a redraw costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QToolTip

from pitwall.console.charts.canvas import Canvas
from pitwall.console.charts.data import columns_as_csv
from pitwall.console.charts.signal_curve import (
    ROOM_PX,
    curve_pen,
    heights,
    held,
    scale_top,
    threshold_pen,
)
from pitwall.console.kit import format as words
from pitwall.console.kit.theme import PAD, Look
from pitwall.console.live.signals.route_lanes import WORDS
from pitwall.console.state.histories import SPAN_S, DroppedAnswer, Mark, RouteActivity, RouteStretch
from pitwall.core.clock import NS_PER_S
from pitwall.core.signals import Reason, Route, TriggerSignal

LANES = (Route.STRATEGIC, Route.REACTIVE, Route.REFLEX)
HEAD = 12
AXIS = 18
LANE_MIN, LANE_MAX = 16, 22
ROW_MIN, ROW_MAX = 21, 64
_GRIP = 6
_TONES = ("stop", "strategic", "faint")
_FLAG_Y = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StripRow:
    """Holds one signal's row.

    Attributes:
        least, most: bounds of the threshold. whole: whether it is a whole number.
    """

    signal: TriggerSignal
    least: float
    most: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Places rows and lanes, in logical pixels, for the strips and the labels at the left."""

    tops: tuple[float, ...]
    height: float
    lane_tops: tuple[float, ...]
    lane: float


def lay_out_rows(height: int, signals: int) -> Rows:
    """Share a height among the head, the signal rows, the lanes and the time axis."""
    lane = min(LANE_MAX, max(LANE_MIN, height * 0.075))
    room = height - HEAD - AXIS - len(LANES) * lane - 6
    each = min(ROW_MAX, max(ROW_MIN, room / signals))
    tops = tuple(HEAD + index * each for index in range(signals))
    first_lane = HEAD + signals * each + 6
    lanes = tuple(first_lane + index * lane for index in range(len(LANES)))
    return Rows(tops, each, lanes, lane)


class StripChart(Canvas):
    """Draws the signals' last minute; thresholds can be dragged.

    Signals:
        step_wanted(step): a step's mark was clicked.

    Args:
        rows: from top to bottom.
        moved: called during a drag with the row's number, the new threshold, and whether the drag has ended.
    """

    step_wanted = Signal(int)

    def __init__(
        self, look: Look, rows: Sequence[StripRow], moved: Callable[[int, float, bool], None]
    ) -> None:
        self._rows = tuple(rows)
        self._moved = moved
        self._ages: NDArray[np.float64] = np.zeros(0)
        self._values: NDArray[np.float32] = np.zeros((0, len(rows)), np.float32)
        self._thresholds: list[float | None] = [None] * len(rows)
        self._marks: list[Mark] = []
        self._stretches: list[RouteStretch] = []
        self._drops: list[DroppedAnswer] = []
        self._holding: Sequence[int] = ()
        self._now_ns = 0
        self._dragged: int | None = None
        self._curves: list[Any] = []
        super().__init__(
            look, "Signals and routes over the last minute; the table shows the same", ground="panel"
        )
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.show_axes(bottom=AXIS)
        self.box.setMouseEnabled(x=False, y=False)
        self.box.invertY(True)
        axis = self.axes["bottom"]
        axis.setStyle(tickLength=-3, hideOverlappingLabels=PAD)
        axis.setPen(QPen(Qt.PenStyle.NoPen))
        self.csv = self._as_csv
        self._add_items()
        self.redraw()

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
        holding: Sequence[int] = (),
    ) -> None:
        """Show a minute that ends at `now_ns`; `ages` (n,) and `values` (n, rows) oldest first.

        Of stretches that overlap on a lane the later one is seen. `holding` are the rows whose signal is a
        reason to plan now.
        """
        self._holding = holding
        self._now_ns, self._ages, self._values = now_ns, ages, values
        begin = now_ns - int(SPAN_S * NS_PER_S)
        self._marks = [mark for mark in marks if mark.at_ns >= begin]
        self._stretches = list(stretches)
        self._drops = [drop for drop in drops if drop.at_ns >= begin]
        self._draw()

    def set_threshold(self, row: int, threshold: float | None) -> None:
        """Move a threshold's line, unless it is being dragged."""
        if row != self._dragged and self._thresholds[row] != threshold:
            self._thresholds[row] = threshold
            self._draw()

    def rows(self) -> Rows:
        return lay_out_rows(self.height(), len(self._rows))

    # ---- drawing

    def _add_items(self) -> None:
        """Add the items that every redraw refills."""

        def added(item: Any, z: int) -> Any:
            item.setZValue(z)
            self.box.addItem(item, ignoreBounds=True)
            return item

        self._grounds = added(pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=None), 0)
        self._floors = added(pg.PlotCurveItem(connect="pairs", antialias=False), 0)
        self._lines = added(pg.PlotCurveItem(connect="pairs", antialias=False), 1)
        self._stems = [added(pg.PlotCurveItem(connect="pairs", antialias=False), 1) for _ in _TONES]
        self._flags = [added(pg.ScatterPlotItem(symbol="t", size=8, pen=None), 2) for _ in _TONES]
        self._curves = [added(pg.PlotCurveItem(antialias=False), 3) for _ in self._rows]
        self._over = added(pg.ScatterPlotItem(symbol="o", size=7, pen=None), 4)
        self._stretch_bars = {
            (route, state): added(pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[]), 3)
            for route in LANES
            for state in WORDS
        }
        self._crosses = added(pg.ScatterPlotItem(symbol="x", size=9, pen=None), 4)

    def redraw(self) -> None:
        """Take the theme's colours and the size, and draw."""
        if not self._curves:  # still being built
            return
        look = self.look
        self._grounds.setOpts(brush=look.colour("hover", 110))
        self._floors.setPen(_pen(look.colour("line")))
        self._lines.setPen(threshold_pen(look))
        for tone, stems, flags in zip(_TONES, self._stems, self._flags, strict=True):
            stems.setPen(_pen(look.colour(tone, 110)))
            flags.setBrush(look.colour(tone))
        for curve in self._curves:
            curve.setPen(curve_pen(look))
        self._over.setBrush(look.colour("strategic"))
        self._crosses.setBrush(look.colour("stop"))
        for (route, state), bars in self._stretch_bars.items():
            bars.setOpts(brush=_brush(look, route, state), pen=_pen(look.colour(route.value)))
        self._fit()
        self._draw()

    def _fit(self) -> None:
        """Lay rows, lanes and the time axis out for the size."""
        rows = self.rows()
        seconds = SPAN_S * PAD / max(1, self.width() - PAD)
        self.box.setRange(xRange=(-SPAN_S, seconds), yRange=(0, max(1, self.height() - AXIS)), padding=0)
        every = 10 if self.width() > 560 else 20
        ticks = [(-float(at), f"−{at} s" if at else "now") for at in range(0, int(SPAN_S) + 1, every)]
        self.axes["bottom"].setTicks([ticks])
        floors = [top + rows.height - 1 for top in rows.tops]
        self._floors.setData(np.tile([-SPAN_S, 0.0], len(floors)), np.repeat(floors, 2))
        _fill(self._grounds, [QRectF(-SPAN_S, top + 2, SPAN_S, rows.lane - 4) for top in rows.lane_tops])

    def refit(self) -> None:
        if self._curves:
            self._fit()
            self._draw()

    def _draw(self) -> None:
        rows = self.rows()
        for index in range(len(self._rows)):
            self._draw_row(rows, index)
        self._draw_thresholds(rows)
        self._draw_marks(rows)
        self._draw_lanes(rows)

    def _draw_row(self, rows: Rows, index: int) -> None:
        if len(self._ages) < 2:
            self._curves[index].setData([], [])
            return
        y = heights(self._values[:, index], self._top_value(index), rows.tops[index], rows.height)
        self._curves[index].setData(*held(-self._ages, y))

    def _draw_thresholds(self, rows: Rows) -> None:
        known = [(at, value) for at, value in enumerate(self._thresholds) if value is not None]
        heights = [self._y(rows, at, value) for at, value in known]
        self._lines.setData(np.tile([-SPAN_S, 0.0], len(heights)), np.repeat(heights, 2))
        over = [at for at, _ in known if at in self._holding] if len(self._values) > 1 else []
        places = [self._y(rows, at, float(self._values[-1, at])) for at in over]
        self._over.setData([-float(self._ages[-1]) for _ in over], places)

    def _draw_marks(self, rows: Rows) -> None:
        bottom = rows.tops[-1] + rows.height
        for tone, stems, flags in zip(_TONES, self._stems, self._flags, strict=True):
            seconds = [self._seconds(mark.at_ns) for mark in self._marks if _tone(mark) == tone]
            stems.setData(np.repeat(seconds, 2), np.tile([9.0, bottom], len(seconds)))
            flags.setData(seconds, [_FLAG_Y] * len(seconds))

    def _draw_lanes(self, rows: Rows) -> None:
        gap = SPAN_S / max(1, self.width() - PAD)
        areas: dict[tuple[Route, RouteActivity], list[QRectF]] = {key: [] for key in self._stretch_bars}
        for stretch in self._stretches:
            if (stretch.route, stretch.state) in areas:
                left, end = max(-SPAN_S, self._seconds(stretch.start_ns)), self._seconds(stretch.end_ns)
                top = rows.lane_tops[LANES.index(stretch.route)] + 2
                bar = QRectF(left, top, max(2 * gap, end - left - gap), rows.lane - 4)
                areas[stretch.route, stretch.state].append(bar)
        for key, bars in self._stretch_bars.items():
            _fill(bars, areas[key])
        drops = [drop for drop in self._drops if drop.route in LANES]
        middles = [rows.lane_tops[LANES.index(drop.route)] + rows.lane / 2 for drop in drops]
        self._crosses.setData([self._seconds(drop.at_ns) for drop in drops], middles)

    def _seconds(self, at_ns: int) -> float:
        return (at_ns - self._now_ns) / NS_PER_S

    def _x_at(self, at_ns: int) -> float:
        return float((self.width() - PAD) * (1.0 + self._seconds(at_ns) / SPAN_S))

    def _top_value(self, index: int) -> float:
        return scale_top(self._rows[index].signal, self._thresholds[index], self._values[:, index])

    def _y(self, rows: Rows, index: int, at: float) -> float:
        return float(heights(np.array([at]), self._top_value(index), rows.tops[index], rows.height)[0])

    def _as_csv(self) -> str:
        titles = ["seconds ago", *(row.signal.title for row in self._rows)]
        return columns_as_csv(titles, np.column_stack((self._ages, self._values)))

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
            self._draw()

    def _show_cursor(self, point: QPoint) -> None:
        cursor = Qt.CursorShape.ArrowCursor
        if self._mark_at(point) is not None:
            cursor = Qt.CursorShape.PointingHandCursor
        elif self._threshold_at(point.y()) is not None:
            cursor = Qt.CursorShape.SplitVCursor
        self.viewport().setCursor(cursor)

    def _mark_at(self, point: QPoint) -> Mark | None:
        """Return the mark whose flag at the upper edge is under the pointer."""
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
            self._draw()

    def _value_at(self, index: int, y: float) -> float:
        rows, row = self.rows(), self._rows[index]
        bottom = rows.tops[index] + rows.height - 3.5
        raw = (bottom - y) / (rows.height - ROOM_PX) * self._top_value(index)
        raw = min(max(raw, row.least), row.most)
        return float(round(raw)) if row.whole else round(raw, 2)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._words_at(event.pos()), self)
            return True
        return bool(super().viewportEvent(event))

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
                return f"{drop.late_answer} came too late and was dropped"
        for stretch in reversed(self._stretches):
            left, right = self._x_at(stretch.start_ns), self._x_at(stretch.end_ns)
            if stretch.route is route and left - 1 <= x <= right + 1:
                seconds = (stretch.end_ns - stretch.start_ns) / NS_PER_S
                return f"{route.value} {WORDS[stretch.state]}, {seconds:.1f} s"
        return ""


def _tone(mark: Mark) -> str:
    if mark.reasons == (Reason.REFRESH,):
        return "faint"
    return "stop" if Reason.FAILURE in mark.reasons else "strategic"


def _pen(colour: QColor) -> QPen:
    pen = QPen(colour, 1)
    pen.setCosmetic(True)  # one device pixel: anything wider is some seventy times as slow
    return pen


def _brush(look: Look, route: Route, state: RouteActivity) -> QBrush:
    """Driving is filled, thinking wide stripes, waiting hatched."""
    styles = {"thinking": Qt.BrushStyle.BDiagPattern, "waiting": Qt.BrushStyle.DiagCrossPattern}
    return QBrush(look.colour(route.value), styles.get(state, Qt.BrushStyle.SolidPattern))


def _fill(bars: Any, areas: Sequence[QRectF]) -> None:
    """Give a bar graph other rectangles."""
    bars.setOpts(
        x0=[area.left() for area in areas],
        x1=[area.right() for area in areas],
        y0=[area.top() for area in areas],
        y1=[area.bottom() for area in areas],
    )
