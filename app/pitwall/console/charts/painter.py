"""What a chart paints: grid, axis, lines thinned to pixels, evaluations with whiskers, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

from pitwall.console.charts.axes import Axis, Scale, axis_text, axis_ticks, tick_texts
from pitwall.console.charts.data import Line, Reference, Whiskers
from pitwall.console.charts.polyline import polyline
from pitwall.console.charts.series import Numbers, thin
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import share
from pitwall.console.kit.theme import STEP, TINY_PX, Look, ui_font

FOOT = 18
HEAD = 7
SIDE = 10
_LEAST_LEFT = 34
_WHISKERS_PX = 10
"""Evaluations nearer to one another are left out of the drawing, never the best."""
_TICK_HEIGHT, _TICK_WIDTH = 40, 88
"""Pixels between two ticks at least."""
_FAINT = 0.4
"""How much of a run's colour its raw values have; the rest is the card's ground."""
_FAINT_EVERY_PX = 2
"""Raw values share columns of so many pixels where they lie denser."""
_SPREAD_PX = 0.7
_COPIES = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""A strong line is some hair lines side by side: a pen wider than a pixel takes a hundred times as long."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a chart draws: its plot in pixels, and what lies on its two axes.

    Attributes:
        left, right: x at the plot's edges.
    """

    plot: QRectF
    axis: Axis
    left: float
    right: float
    scale: Scale
    ticks: tuple[float, ...]
    texts: tuple[str, ...]

    def x(self, values: Numbers) -> Numbers:
        """Pixels of places on the axis."""
        return self.plot.left() + (values - self.left) * (self.plot.width() / (self.right - self.left))

    def y(self, values: Numbers) -> Numbers:
        """Pixels of values."""
        return self.plot.bottom() - self.scale.share(values) * self.plot.height()

    def x_of(self, value: float) -> float:
        return float(self.x(np.asarray([value]))[0])

    def y_of(self, value: float) -> float:
        return float(self.y(np.asarray([value]))[0])

    def place(self, pixel: float) -> float:
        """The place on the axis at a pixel."""
        return self.left + (pixel - self.plot.left()) / self.plot.width() * (self.right - self.left)


def frame_of(
    scale_of: Callable[[float, float, int], Scale], axis: Axis, stretch: tuple[float, float], area: QRectF
) -> Frame:
    """Share an area among the plot and its axes.

    Args:
        scale_of: (left, right, most ticks) → the scale of what is in view.
    """
    left, right = stretch
    height = max(10.0, area.height() - HEAD - FOOT)
    most = max(3, min(6, int(height / _TICK_HEIGHT)))
    scale = scale_of(left, right, most)
    ticks = scale.ticks(most)
    texts = [share(tick) for tick in ticks] if scale.percent else tick_texts(ticks)
    metrics = QFontMetrics(ui_font(TINY_PX))
    margin = max([_LEAST_LEFT, *(metrics.horizontalAdvance(text) + 10 for text in texts)])
    width = max(10.0, area.width() - margin - SIDE)
    plot = QRectF(area.left() + margin, area.top() + HEAD, width, height)
    return Frame(plot, axis, left, right, scale, tuple(ticks), tuple(texts))


class ChartPainter:
    """Paints one picture into one frame."""

    def __init__(self, painter: QPainter, look: Look, frame: Frame) -> None:
        self.painter = self._painter = painter
        self._look = look
        self._frame = frame
        self._font = ui_font(TINY_PX)
        self._metrics = QFontMetrics(self._font)
        painter.setFont(self._font)

    def grid(self) -> None:
        """Lines across, numbers at the left, places along the bottom."""
        painter, plot = self._painter, self._frame.plot
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for tick, text in zip(self._frame.ticks, self._frame.texts, strict=True):
            y = round(self._frame.y_of(tick))
            painter.setPen(self._look.colour("line"))
            painter.drawLine(round(plot.left()), y, round(plot.right()), y)
            painter.setPen(self._look.colour("faint"))
            width = self._metrics.horizontalAdvance(text)
            painter.drawText(QPointF(plot.left() - 7 - width, y + self._metrics.ascent() / 2 - 1.5), text)
        self._places()

    def _places(self) -> None:
        frame, plot = self._frame, self._frame.plot
        base = plot.bottom() + 4 + self._metrics.ascent()
        ticks = axis_ticks(frame.axis, frame.left, frame.right, max(1, int(plot.width() / _TICK_WIDTH)))
        end = -1e9
        for tick in ticks:
            text = axis_text(frame.axis, tick, frame.right - frame.left)
            width = self._metrics.horizontalAdvance(text)
            x = frame.x_of(tick)
            left = min(max(plot.left() - 2, x - width / 2), plot.right() + SIDE - 2 - width)
            if left < end + GAP_BETWEEN:
                continue
            end = left + width
            self._painter.setPen(self._look.colour("line"))
            self._painter.drawLine(QPointF(round(x), plot.bottom()), QPointF(round(x), plot.bottom() + 3))
            self._painter.setPen(self._look.colour("faint"))
            self._painter.drawText(QPointF(left, base), text)

    def references(self, references: Sequence[Reference]) -> None:
        """Dashed lines with their words; one beyond the scale is an arrow and its words at the edge."""
        plot, taken = self._frame.plot, list[float]()
        for one in references:
            y = round(self._frame.y_of(one.value)) + 0.5
            if y < plot.top() - 1:
                self._reference_words(f"↑ {one.text}", plot.top() + self._metrics.ascent(), taken)
            elif y > plot.bottom() + 1:
                self._reference_words(f"↓ {one.text}", plot.bottom() - 4, taken)
            else:
                self._reference_line(y)
                above = y - plot.top() > self._metrics.height() + 2
                self._reference_words(one.text, y - 4 if above else y + 2 + self._metrics.ascent(), taken)

    def _reference_line(self, y: float) -> None:
        pen = QPen(self._look.colour("dim"), 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([4, 4])
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._painter.setPen(pen)
        self._painter.drawLine(QPointF(self._frame.plot.left(), y), QPointF(self._frame.plot.right(), y))

    def _reference_words(self, text: str, base: float, taken: list[float]) -> None:
        if any(abs(base - other) < self._metrics.height() for other in taken):
            return
        taken.append(base)
        plot = self._frame.plot
        text = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, round(plot.width() - 8))
        width = self._metrics.horizontalAdvance(text)
        ground = QRectF(plot.right() - width - 6, base - self._metrics.ascent(), width + 4, 14)
        self._painter.fillRect(ground, self._look.colour("raised", 190))
        self._painter.setPen(self._look.colour("dim"))
        self._painter.drawText(QPointF(plot.right() - width - 4, base), text)

    def lines(self, lines: Sequence[Line]) -> None:
        """Raw values faint, smoothed ones strong over them; the first run lies on top."""
        painter = self._painter
        painter.save()
        painter.setClipRect(self._frame.plot.adjusted(-1, -2, SIDE, 2))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in reversed(lines):
            if line.smooth is not None:
                self._stroke(line.x, line.raw, self._faint(line.ink))
        for line in reversed(lines):
            colour = ink(self._look, line.ink)
            self._stroke(line.x, line.strong, colour, bridge=line.bridge, strong=True)
            self._end(line, colour)
        painter.restore()

    def _faint(self, index: int) -> QColor:
        """A run's colour faded into the card: a see-through pen takes ten times as long."""
        colour, ground = ink(self._look, index), self._look.colour("raised")
        shares = (
            (colour.redF(), ground.redF()),
            (colour.greenF(), ground.greenF()),
            (colour.blueF(), ground.blueF()),
        )
        return QColor.fromRgbF(*(_FAINT * over + (1 - _FAINT) * under for over, under in shares))

    def _stroke(
        self, x: Numbers, y: Numbers, colour: QColor, *, bridge: int = 0, strong: bool = False
    ) -> None:
        frame, painter = self._frame, self._painter
        first, end = (int(at) for at in np.searchsorted(x, (frame.left, frame.right)))
        seen = slice(max(0, first - 1), end + 1)
        every = 1 if strong else _FAINT_EVERY_PX
        thinned = thin(frame.x(x[seen]), frame.y(y[seen]), frame.plot.width(), bridge=bridge, every=every)
        ratio = painter.device().devicePixelRatioF()
        copies = _COPIES[: 1 if not strong else 3 if ratio < 1.5 else 5]
        painter.setPen(QPen(colour, 0))
        alone: list[int] = []
        for start, stop in thinned.pieces():
            if stop - start == 1:
                alone.append(start)
                continue
            line = polyline(thinned.x[start:stop], thinned.y[start:stop])
            for right, down in copies:
                by = QPointF(right * _SPREAD_PX / ratio, down * _SPREAD_PX / ratio)
                painter.drawPolyline(line.translated(by))
        if alone:
            painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPoints(polyline(thinned.x[alone], thinned.y[alone]))

    def _end(self, line: Line, colour: QColor) -> None:
        finite = np.flatnonzero(np.isfinite(line.strong) & (line.x <= self._frame.right))
        if len(finite) and line.x[finite[-1]] >= self._frame.left:
            at = QPointF(self._frame.x_of(line.x[finite[-1]]), self._frame.y_of(line.strong[finite[-1]]))
            paint_marker(self._painter, at, line.ink, self._look.colour("raised"), 4.8)
            paint_marker(self._painter, at, line.ink, colour, 3.4)

    def whiskers(self, lines: Sequence[Line]) -> None:
        """Evaluations: hollow shapes with their intervals; the best so far is filled."""
        painter = self._painter
        painter.save()
        painter.setClipRect(self._frame.plot.adjusted(-6, -6, SIDE, 6))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in reversed(lines):
            if line.whiskers is not None and len(line.whiskers.x):
                self._whiskers_of(line.whiskers, line.ink)
        painter.restore()

    def _whiskers_of(self, found: Whiskers, index: int) -> None:
        painter, frame = self._painter, self._frame
        colour, ground = ink(self._look, index), self._look.colour("raised")
        bests = np.flatnonzero(found.best)
        best = int(bests[-1]) if len(bests) else -1
        x = frame.x(found.x)
        low, mean, high = (np.clip(frame.y(one), -1e4, 1e4) for one in (found.low, found.mean, found.high))
        shown = [at for at in spaced(x, best, _WHISKERS_PX) if np.isfinite(mean[at])]
        painter.setPen(QPen(colour, 1))
        for at in shown:
            if np.isfinite(low[at]) and np.isfinite(high[at]):
                painter.drawLine(QPointF(x[at], low[at]), QPointF(x[at], high[at]))
                for edge in (low[at], high[at]):
                    painter.drawLine(QPointF(x[at] - 3, edge), QPointF(x[at] + 3, edge))
        for at in shown:
            centre = QPointF(x[at], mean[at])
            paint_marker(painter, centre, index, ground, 4.6)
            paint_marker(painter, centre, index, colour, 4.6 if at == best else 3.6, hollow=at != best)

    def crosshair(self, lines: Sequence[Line], at: float) -> None:
        """A line at the place that is read, and a dot on every run."""
        painter, frame = self._painter, self._frame
        x = round(frame.x_of(at)) + 0.5
        if not frame.plot.left() - 1 <= x <= frame.plot.right() + 1:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self._look.colour("faint"), 1))
        painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()))
        reach = reach_of(frame)
        for line in reversed(lines):
            place = line.near(at, reach)
            if place is not None:
                y = frame.y_of(float(line.strong[place]))
                centre = QPointF(frame.x_of(float(line.x[place])), y)
                paint_marker(painter, centre, line.ink, self._look.colour("raised"), 5.2)
                paint_marker(painter, centre, line.ink, ink(self._look, line.ink), 3.8)

    def picked(self, left: float, right: float) -> None:
        """The stretch that is being chosen by dragging."""
        plot = self._frame.plot
        area = QRectF(QPointF(left, plot.top()), QPointF(right, plot.bottom())).normalized() & plot
        self._painter.fillRect(area, self._look.colour("focus", 50))
        self._painter.setPen(self._look.colour("focus"))
        for edge in (area.left(), area.right()):
            self._painter.drawLine(QPointF(edge, plot.top()), QPointF(edge, plot.bottom()))

    def say(self, text: str, font: QFont) -> None:
        """A sentence where there is nothing to draw."""
        self._painter.setFont(font)
        self._painter.setPen(self._look.colour("faint"))
        area = self._frame.plot.adjusted(STEP, 0, -STEP, 0)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        self._painter.drawText(area, int(flags), text)


GAP_BETWEEN = 8
"""Pixels between two words along the bottom."""


def spaced(x: Numbers, kept: int, gap: float) -> list[int]:
    """Places of x (rising, in pixels) that lie at least so far apart; `kept` is always among them.

    Args:
        kept: place that stays; −1: none has to.
    """
    chosen: list[int] = []
    for at in range(len(x) - 1, -1, -1):
        far = not chosen or x[chosen[-1]] - x[at] >= gap
        clear = kept in (-1, at) or abs(x[at] - x[kept]) >= gap
        if at == kept or (far and clear):
            chosen.append(at)
    return chosen[::-1]


def reach_of(frame: Frame) -> float:
    """How far from the pointer a point is still read, on the axis: a few pixels."""
    return 10 * (frame.right - frame.left) / frame.plot.width()
