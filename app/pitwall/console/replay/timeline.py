"""The timeline of a run: signals, score, drivers, model calls and events over time, and the place in it.

Drag or click to go there; the wheel zooms around the pointer, a double click shows the whole run again.
Steps and Events show the same as tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pitwall.console.charts.axes import time_step
from pitwall.console.charts.signal_curve import curve_pen, heights, held, scale_top, threshold_pen
from pitwall.console.kit.theme import GAP, ROUTE_SIGNS, STEP, TINY_PX, Look, route_tone, ui_font
from pitwall.core.clock import NS_PER_S
from pitwall.core.quantities import clock, clock_tenths, score_text
from pitwall.core.signals import WEIGHED, Route
from pitwall.store.run_track import ROUTES, CallSpan, RunTrack

EVENT_TONES = {
    "escalation": "strategic",
    "refusal": "stop",
    "takeover": "human",
    "stopped": "stop",
    "broker": "stop",
    "fault": "stop",
}
"""Colour of an event by its kind."""
_GUTTER = 92
_SIGNAL, _SCORE, _LANE, _AXIS = 21, 24, 10, 16
"""Heights of rows."""
_LEAST_SPAN_S = 1.0
_REACH_PX = 4
_CALL_TONES = {"fast": "reactive", "strategic": "strategic"}


class Timeline(QWidget):
    """Draws one run's track and the place in it.

    Signals:
        moved(at_s): the operator went to a moment.
    """

    moved = Signal(float)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._track: RunTrack | None = None
        self._left_s, self._right_s, self._whole_s = 0.0, 1.0, 1.0
        self._at_s = 0.0
        self._span: tuple[float, float] | None = None
        self._drawn: QPixmap | None = None
        self._font = ui_font(TINY_PX)
        self._routes = ROUTES
        self._signal = _SIGNAL
        self._tops = _tops(ROUTES, self._signal)
        self.setFixedHeight(self.sizeHint().height())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline of the run; Steps and Events show the same as tables")
        look.changed.connect(self._redraw)

    def sizeHint(self) -> QSize:
        return QSize(480, round(self._tops["axis"] + _AXIS))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def show_track(self, track: RunTrack, seconds: float) -> None:
        """Show a run of this length, whole; more of the same run leaves a magnified view where it is."""
        before, self._track = self._track, track
        same = before is not None and before.run.run_id == track.run.run_id
        whole = self._right_s - self._left_s >= self._whole_s
        self._whole_s = max(_LEAST_SPAN_S, seconds)
        if whole or not same:
            self._left_s, self._right_s = 0.0, self._whole_s
        driven = set(track.routes.tolist())
        self._routes = tuple(route for at, route in enumerate(ROUTES) if at in driven)
        self._lay_rows()

    def be_low(self, low: bool) -> None:
        """Leave out the signals' rows, or show them."""
        if low == bool(self._signal):
            self._signal = 0 if low else _SIGNAL
            self._lay_rows()

    def _lay_rows(self) -> None:
        self._tops = _tops(self._routes, self._signal)
        self.setFixedHeight(self.sizeHint().height())
        self._redraw()

    def show_place(self, at_s: float, span: tuple[float, float] | None) -> None:
        """Move the line, and mark the span of a clip; where the line leaves the view, the view follows."""
        self._at_s, self._span = at_s, span
        width = self._right_s - self._left_s
        if not self._left_s <= at_s <= self._right_s:
            self._look_at(at_s - width * (0.05 if at_s > self._right_s else 0.95), width)
        self.update()

    # ---- drawing

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._redraw()

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._drawn is None or self._drawn.devicePixelRatio() != self.devicePixelRatioF():
            self._drawn = self._picture()
        painter.drawPixmap(0, 0, self._drawn)
        bottom = self._tops["axis"]
        if self._span is not None:
            left, right = (min(max(self._x(at), _GUTTER), self.width()) for at in self._span)
            painter.fillRect(QRectF(left, 0, right - left, bottom), self._look.colour("focus", 60))
        if self._track is not None:
            painter.setPen(QPen(self._look.colour("text"), 1.5))
            at = self._x(self._at_s)
            painter.drawLine(QPointF(at, 0), QPointF(at, bottom))
            painter.setBrush(self._look.colour("text"))
            painter.drawPolygon(QPolygonF([QPointF(at - 4, 0), QPointF(at + 4, 0), QPointF(at, 6)]))

    def _redraw(self) -> None:
        self._drawn = None
        self.update()

    def _picture(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._look.colour("panel"))
        if self._track is not None:
            painter = QPainter(picture)
            painter.setFont(self._font)
            self._paint_names(painter)
            self._paint_axis(painter)
            painter.setClipRect(QRectF(_GUTTER, 0, self.width() - _GUTTER, self.height()))
            if self._signal:
                self._paint_signals(painter, self._track)
            self._paint_score(painter, self._track)
            self._paint_routes(painter, self._track)
            self._paint_calls(painter, self._track)
            self._paint_events(painter, self._track)
            painter.end()
        return picture

    def _paint_names(self, painter: QPainter) -> None:
        painter.setPen(self._look.colour("dim"))
        names = [(name, signal.title, self._signal) for name, signal in WEIGHED.items() if self._signal]
        names += [("score", "score", _SCORE), ("calls", "model calls", _LANE + 3), ("events", "events", 12)]
        for key, words, height in names:
            area = QRectF(0, self._tops[key], _GUTTER - GAP, height)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
        for route in self._routes:
            painter.setPen(self._look.colour(route_tone(route)))
            area = QRectF(0, self._tops[route.value] - 2, _GUTTER - GAP, _LANE + 4)
            words = f"{ROUTE_SIGNS[route]} {route.value}"
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(self._look.colour("line"))
        for top in (*(self._tops[name] for name in WEIGHED), self._tops["score"], self._tops["axis"]):
            painter.drawLine(QPointF(_GUTTER, round(top) + 0.5), QPointF(self.width(), round(top) + 0.5))

    def _paint_axis(self, painter: QPainter) -> None:
        painter.setPen(self._look.colour("faint"))
        step = time_step((self._right_s - self._left_s) * 84 / max(84, self.width() - _GUTTER))
        at = np.ceil(self._left_s / step) * step
        while at <= self._right_s:
            words = clock(at) if step >= 1 else clock_tenths(at)
            area = QRectF(self._x(at) + 2, self._tops["axis"], 80, _AXIS)
            if area.left() + painter.fontMetrics().horizontalAdvance(words) <= self.width():
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
            painter.drawLine(QPointF(self._x(at), self._tops["axis"]), QPointF(self._x(at), self.height()))
            at += step

    def _paint_signals(self, painter: QPainter, track: RunTrack) -> None:
        shown = self._shown(track.at_s)
        columns = self._columns(track.at_s[shown])
        x = np.append(columns[_firsts(columns)], self._x(min(track.seconds, self._right_s)))
        for row, (name, signal) in enumerate(WEIGHED.items()):
            limit = track.run.manifest.thresholds.get(signal.setting)
            threshold = float(limit) if isinstance(limit, int | float) else None
            top = scale_top(signal, threshold, track.signals[:, row])
            place = (top, self._tops[name], self._signal)
            if len(columns):
                values = _highest(track.signals[shown, row], columns)
                curve = held(x, heights(np.append(values, values[-1:]), *place))
                painter.setPen(curve_pen(self._look))
                painter.drawPolyline([QPointF(*point) for point in zip(*curve, strict=True)])
            if threshold is not None:
                painter.setPen(threshold_pen(self._look))
                y = float(heights(np.array([threshold]), *place)[0])
                painter.drawLine(QPointF(_GUTTER, y), QPointF(self.width(), y))

    def _paint_score(self, painter: QPainter, track: RunTrack) -> None:
        if not len(track.scores):
            painter.setPen(self._look.colour("faint"))
            area = QRectF(_GUTTER + STEP, self._tops["score"], 400, _SCORE)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, "no score was read")
            return
        low, high = min(0.0, float(track.scores.min())), max(float(track.scores.max()), 1e-6)
        base = self._tops["score"] + _SCORE - 3
        shown = self._shown(track.score_at_s)
        times, scores = _outline(self._columns(track.score_at_s[shown]), track.scores[shown])
        line: list[QPointF] = []
        last = scores[-1:]
        times = np.append(times, np.full(len(last), self._x(self._right_s)))
        for x, score in zip(times.tolist(), np.append(scores, last).tolist(), strict=True):
            y = base - (score - low) / (high - low) * (_SCORE - 7)
            line += [QPointF(x, line[-1].y() if line else y), QPointF(x, y)]
        painter.setPen(QPen(self._look.colour("ok"), 1.5))
        painter.drawPolyline(line)

    def _paint_routes(self, painter: QPainter, track: RunTrack) -> None:
        shown = self._shown(track.at_s)
        columns, ends = self._columns(track.at_s[shown]), self._columns(track.ends_s[shown])
        for route in self._routes:
            mine = track.routes[shown] == ROUTES.index(route)
            colour = self._look.colour(route_tone(route))
            spans = np.stack((columns[mine], ends[mine]), 1)
            for left, right in spans[_firsts(spans)]:
                area = QRectF(left, self._tops[route.value], max(1.0, right - left), _LANE - 2)
                painter.fillRect(area, colour)

    def _paint_calls(self, painter: QPainter, track: RunTrack) -> None:
        top = self._tops["calls"] + 2
        for call in track.calls:
            if call.at_s + call.took_s < self._left_s or call.at_s > self._right_s:
                continue
            left, right = self._x(call.at_s), self._x(call.at_s + call.took_s)
            area = QRectF(left, top, max(2.0, right - left), _LANE - 2)
            colour = self._look.colour(_CALL_TONES.get(call.tier, "layer_l4"))
            if call.outcome == "used":
                painter.fillRect(area, colour)
            else:  # its reply was not used
                painter.setPen(colour)
                painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_events(self, painter: QPainter, track: RunTrack) -> None:
        top = self._tops["events"]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        marks = {
            (round(self._x(event.at_ns / NS_PER_S)), EVENT_TONES.get(event.kind, "dim"))
            for event in track.events
        }
        for x, tone in sorted(marks):
            painter.setBrush(self._look.colour(tone))
            painter.drawPolygon(
                QPolygonF(
                    [
                        QPointF(x, top + 1),
                        QPointF(x + 4, top + 6),
                        QPointF(x, top + 11),
                        QPointF(x - 4, top + 6),
                    ]
                )
            )

    def _shown(self, at_s: NDArray[np.float64]) -> slice:
        """Return the part of rising times that is in view, with the one before it."""
        first = int(np.searchsorted(at_s, self._left_s, "right")) - 1
        return slice(max(0, first), int(np.searchsorted(at_s, self._right_s, "right")))

    def _columns(self, at_s: NDArray[np.float64]) -> NDArray[np.float64]:
        scale = (self.width() - _GUTTER) / (self._right_s - self._left_s)
        return np.round(_GUTTER + (at_s - self._left_s) * scale)

    def _x(self, at_s: float) -> float:
        return _GUTTER + (at_s - self._left_s) / (self._right_s - self._left_s) * (self.width() - _GUTTER)

    def _time(self, x: float) -> float:
        share = (x - _GUTTER) / max(1, self.width() - _GUTTER)
        return self._left_s + share * (self._right_s - self._left_s)

    # ---- the pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseDoubleClickEvent(self, _: QMouseEvent) -> None:
        self._look_at(0.0, self._whole_s)

    def wheelEvent(self, event: QWheelEvent) -> None:
        at, x = self._time(event.position().x()), event.position().x()
        width = (self._right_s - self._left_s) * 0.8 ** (event.angleDelta().y() / 120)
        share = (x - _GUTTER) / max(1, self.width() - _GUTTER)
        self._look_at(at - share * width, width)
        event.accept()

    def _look_at(self, left_s: float, width_s: float) -> None:
        width_s = min(self._whole_s, max(_LEAST_SPAN_S, width_s))
        self._left_s = min(max(0.0, left_s), self._whole_s - width_s)
        self._right_s = self._left_s + width_s
        self._redraw()

    def _go(self, event: QMouseEvent) -> None:
        if self._track is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.moved.emit(min(max(0.0, self._time(event.position().x())), self._whole_s))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.words_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def words_at(self, x: float, y: float) -> str:
        """Describe the drawing at a point."""
        track = self._track
        rows = [key for key, top in self._tops.items() if top <= y]
        if track is None or not rows:
            return ""
        key, at_s = rows[-1], self._time(x)
        row = track.row_at(at_s)
        if signal := WEIGHED.get(key):
            if row < 0 or x < _GUTTER:
                return signal.tip
            value = signal.text(track.signals[row, list(WEIGHED).index(key)])
            return f"{signal.title}: {value} {signal.unit_behind}".rstrip() + f"\n{signal.tip}"
        if key == "score":
            score = track.score_at(at_s)
            source = "the game's own word" if track.true_score else "as read from the screen"
            return "" if score is None else f"score {score_text(score)}, {source}"
        reach_s = _REACH_PX * (self._right_s - self._left_s) / max(1, self.width() - _GUTTER)
        if key == "calls":
            return "\n".join(_call_words(call) for call in _calls_at(track.calls, at_s, reach_s))
        if key == "events":
            near = [event for event in track.events if abs(event.at_ns / NS_PER_S - at_s) <= reach_s]
            return "\n".join(f"{clock_tenths(event.at_ns / NS_PER_S)}  {event.text}" for event in near[:8])
        if (held := track.held_back_at(at_s)) is not None:
            return held.text
        return f"step {track.steps[row]:,}: {ROUTES[track.routes[row]].value} drove" if row >= 0 else ""


def _tops(routes: Sequence[Route], signal: int) -> dict[str, float]:
    tops, at = {}, 8.0
    rows = [(name, signal) for name in WEIGHED]
    rows += [("score", _SCORE), *((route.value, _LANE + 2) for route in routes)]
    for key, height in (*rows, ("calls", _LANE + 4), ("events", 15), ("axis", _AXIS)):
        tops[key] = at
        at += height
    return tops


def _highest(values: NDArray[np.float32], columns: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the highest value of each pixel column; columns rise."""
    if not len(columns):
        return values
    return np.maximum.reduceat(np.nan_to_num(values), _firsts(columns))


def _firsts(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows that differ from the row before: a pixel is drawn once, however many steps it shows."""
    if not len(rows):
        return np.empty(0, np.int64)
    differs = rows[1:] != rows[:-1]
    if differs.ndim > 1:
        differs = differs.any(axis=1)
    return np.flatnonzero(np.append(True, differs))


def _outline(
    columns: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return at most four points of each pixel column: its first, lowest, highest and last value."""
    if not len(columns):
        return columns, values
    starts = _firsts(columns)
    ends = np.append(starts[1:], len(columns)) - 1
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    points = np.stack((values[starts], low, high, values[ends]), 1)
    return np.repeat(columns[starts], 4), points.ravel()


def _calls_at(calls: Sequence[CallSpan], at_s: float, reach_s: float) -> list[CallSpan]:
    return [call for call in calls if call.at_s - reach_s <= at_s <= call.at_s + call.took_s + reach_s][:8]


def _call_words(call: CallSpan) -> str:
    purpose = call.purpose.replace("_", " ")
    return f"step {call.step:,}: {call.tier} model, {purpose}, {call.took_s:.1f} s, {call.outcome}"
