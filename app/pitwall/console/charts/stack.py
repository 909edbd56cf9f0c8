"""Parts of a whole over a training, as areas on one another: shares of actions, parts of the reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from pitwall.console.charts.axes import Scale, scale_for
from pitwall.console.charts.chart import Chart
from pitwall.console.charts.painter import ChartPainter, Frame
from pitwall.console.charts.polyline import polyline
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series import Numbers
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import number, share

_PILES = 160
"""At most so many piles are drawn side by side: points between are summed or averaged."""
_MOST_READ = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What is piled up.

    Attributes:
        x: (n,) rising. values: (n, k), NaN where nothing is known. names: (k,).
        shares: piles fill the height, and values are counts; otherwise they are means, and parts below
            zero pile downwards. first_ink: colour of the first part; the others follow.
    """

    x: Numbers = field(default_factory=lambda: np.zeros(0))
    values: Numbers = field(default_factory=lambda: np.zeros((0, 0)))
    names: Sequence[str] = ()
    shares: bool = False
    first_ink: int = 0


@dataclass(frozen=True, slots=True)
class StackedEdges:
    """Parts at a few places: x (m,), sizes (m, k), each part's lower and upper edge (m, k)."""

    x: Numbers
    sizes: Numbers
    lower: Numbers
    upper: Numbers


def stacked_edges(parts: Parts, left: float, right: float) -> StackedEdges:
    """Parts between left and right, at a few places, piled up."""
    first, end = (int(at) for at in np.searchsorted(parts.x, (left, right)))
    seen = slice(max(0, first - 1), min(len(parts.x), end + 1))
    x, values = parts.x[seen], parts.values[seen]
    known = np.isfinite(values).any(axis=1) if len(x) else np.zeros(0, np.bool_)
    x, values = x[known], np.where(np.isfinite(values[known]), values[known], 0.0)
    if not len(x):
        none = np.zeros((0, parts.values.shape[1]))
        return StackedEdges(x, none, none, none)
    starts = np.unique(np.linspace(0, len(x), min(len(x), _PILES), endpoint=False).astype(np.intp))
    counts = np.diff(np.append(starts, len(x)))
    x = np.add.reduceat(x, starts) / counts
    sizes = np.add.reduceat(values, starts, axis=0)
    if parts.shares:
        total = sizes.sum(axis=1, keepdims=True)
        sizes = np.divide(sizes, total, out=np.zeros_like(sizes), where=total > 0)
    else:
        sizes = sizes / counts[:, None]
    up, down = np.maximum(sizes, 0), np.minimum(sizes, 0)
    upper = np.cumsum(up, axis=1)
    lower = np.cumsum(down, axis=1)
    return StackedEdges(
        x, sizes, np.where(sizes >= 0, upper - up, lower), np.where(sizes >= 0, upper, lower - down)
    )


class StackChart(Chart):
    """A chart of areas in place of lines."""

    parts = Parts()
    empty = ""

    def show_parts(self, parts: Parts, empty: str = "") -> None:
        """Show other parts; the sentence stands where there are none."""
        self.parts, self.empty = parts, empty
        self.redraw()

    @property
    def bare(self) -> bool:
        return not np.isfinite(self.parts.values).any() or not np.nansum(np.abs(self.parts.values))

    @property
    def empty_text(self) -> str:
        return self.empty

    def readings(self, at: float, unit: str) -> list[Reading]:
        """The parts near a place of the axis, the greatest first."""
        piles = stacked_edges(self.parts, *self._view.stretch)
        if not len(piles.x):
            return []
        sizes = piles.sizes[int(np.abs(piles.x - at).argmin())]
        order = np.argsort(-np.abs(sizes), kind="stable")[:_MOST_READ]
        return [
            Reading(
                self.parts.names[part],
                self.parts.first_ink + int(part),
                share(float(sizes[part])) if self.parts.shares else number(float(sizes[part]), unit),
            )
            for part in order
        ]

    def _scale(self, left: float, right: float, ticks: int) -> Scale:
        if self.parts.shares:
            return Scale(0.0, 1.0, percent=True)
        piles = stacked_edges(self.parts, left, right)
        low, high = (float(piles.lower.min()), float(piles.upper.max())) if len(piles.x) else (0.0, 1.0)
        return scale_for(min(0.0, low), max(0.0, high), log=False, ticks=ticks)

    def _paint_curves(self, drawn: ChartPainter) -> None:
        drawn.grid()
        frame = self.frame()
        painter = drawn.painter
        painter.save()
        painter.setClipRect(frame.plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        piles = stacked_edges(self.parts, frame.left, frame.right)
        for part in range(len(self.parts.names)):
            self._paint_part(painter, frame, piles, part)
        for part, name in enumerate(self.parts.names):
            self._paint_name(painter, frame, piles, part, name)
        painter.restore()

    def _paint_part(self, painter: QPainter, frame: Frame, piles: StackedEdges, part: int) -> None:
        x = frame.x(piles.x)
        if len(x) == 1:
            x = np.asarray([frame.plot.left(), frame.plot.right()])
            piles = StackedEdges(
                x, *(np.repeat(one, 2, axis=0) for one in (piles.sizes, piles.lower, piles.upper))
            )
        upper, lower = frame.y(piles.upper[:, part]), frame.y(piles.lower[:, part])
        index = self.parts.first_ink + part
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink(self._look, index, 150))
        painter.drawPolygon(polyline(np.concatenate((x, x[::-1])), np.concatenate((upper, lower[::-1]))))
        painter.setPen(QPen(ink(self._look, index), 0))
        edge = np.where(piles.sizes[:, part] >= 0, upper, lower)
        painter.drawPolyline(polyline(x, edge))

    def _paint_name(self, painter: QPainter, frame: Frame, piles: StackedEdges, part: int, name: str) -> None:
        """A part's name where it is thickest, if it is thick enough to be written on."""
        if not len(piles.x):
            return
        thick = np.abs(frame.y(piles.lower[:, part]) - frame.y(piles.upper[:, part]))
        at = int(thick.argmax())
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(name) + 12
        if thick[at] < metrics.height() + 2 or width > frame.plot.width():
            return
        middle = (frame.y_of(float(piles.lower[at, part])) + frame.y_of(float(piles.upper[at, part]))) / 2
        left = frame.x_of(float(piles.x[at])) - width / 2
        left = min(max(left, frame.plot.left() + 2), frame.plot.right() - width - 2)
        painter.setPen(self._look.colour("text"))
        index = self.parts.first_ink + part
        paint_marker(painter, QPointF(left + 5, middle), index, self._look.colour("text"), 3.2)
        painter.drawText(QPointF(left + 13, middle + metrics.ascent() / 2 - 1.5), name)

    def _paint_reading(self, over: ChartPainter, at: float) -> None:
        over.crosshair((), at)
