"""Parts of a whole over a training, as areas on one another: shares of actions, parts of the reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QFontMetrics

from pitwall.console.charts.axes import Numbers, Scale, scale_for
from pitwall.console.charts.data import Line, columns_as_csv
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import marker_glyph, series_colour
from pitwall.console.kit.theme import TINY_PX, ui_font
from pitwall.core.quantities import number, share
from pitwall_lab.console.charts.chart import Chart

_PILES = 160
"""At most so many piles are drawn side by side: points between are summed or averaged."""
_MOST_READ = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Holds the data of a stack chart.

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
    """Return the parts between left and right, at a few places, piled up."""
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
        self._values.text = share if parts.shares else None
        names = [*parts.names]
        self.csv = lambda: columns_as_csv(["place", *names], np.column_stack((parts.x, parts.values)))
        self.redraw()

    @property
    def bare(self) -> bool:
        return not np.isfinite(self.parts.values).any() or not np.nansum(np.abs(self.parts.values))

    @property
    def empty_text(self) -> str:
        return self.empty

    def readings(self, at: float) -> list[Reading]:
        """Return the parts near an axis place, the greatest first."""
        piles = stacked_edges(self.parts, *self._view.stretch)
        if not len(piles.x):
            return []
        sizes = piles.sizes[int(np.abs(piles.x - at).argmin())]
        order = np.argsort(-np.abs(sizes), kind="stable")[:_MOST_READ]
        return [
            Reading(
                self.parts.names[part],
                self.parts.first_ink + int(part),
                share(float(sizes[part])) if self.parts.shares else number(float(sizes[part]), self.unit),
            )
            for part in order
        ]

    def _scale(self, left: float, right: float) -> Scale:
        if self.parts.shares:
            return Scale(0.0, 1.0)
        piles = stacked_edges(self.parts, left, right)
        low, high = (float(piles.lower.min()), float(piles.upper.max())) if len(piles.x) else (0.0, 1.0)
        return scale_for(min(0.0, low), max(0.0, high))

    def _draw(self) -> None:
        """Draw nothing that stays: the piles depend on the stretch in view."""

    def _draw_over(self) -> None:
        piles = stacked_edges(self.parts, *self._view.stretch)
        if len(piles.x) == 1:
            edges = (np.repeat(edge, 2, axis=0) for edge in (piles.sizes, piles.lower, piles.upper))
            piles = StackedEdges(np.asarray(self._view.stretch), *edges)
        for part in range(len(self.parts.names)):
            index = self.parts.first_ink + part
            upper, lower = piles.upper[:, part], piles.lower[:, part]
            area = pg.FillBetweenItem(
                pg.PlotCurveItem(piles.x, lower),
                pg.PlotCurveItem(piles.x, upper),
                brush=series_colour(self.look, index, 150),
            )
            self.draw_item(area)
            outer = np.where(piles.sizes[:, part] >= 0, upper, lower)
            self.line(piles.x, outer, series_colour(self.look, index))
        for part, name in enumerate(self.parts.names):
            self._draw_name(piles, part, f"{marker_glyph(self.parts.first_ink + part)} {name}")

    def _draw_name(self, piles: StackedEdges, part: int, words: str) -> None:
        """Write a part's name where it is thickest, if there is room."""
        if not len(piles.x):
            return
        low, high = self.shown_scale.ends
        per_px = (high - low) / max(1.0, self.plot_area.height())
        thick = np.abs(piles.upper[:, part] - piles.lower[:, part])
        at = int(thick.argmax())
        metrics = QFontMetrics(ui_font(TINY_PX))
        left, right = self._view.stretch
        half = (metrics.horizontalAdvance(words) / 2 + 4) * (right - left) / max(1.0, self.plot_area.width())
        if thick[at] < (metrics.height() + 2) * per_px or 2 * half > right - left:
            return
        middle = float(piles.lower[at, part] + piles.upper[at, part]) / 2
        x = min(max(float(piles.x[at]), left + half), right - half)
        self.text(words, x, middle, pixels=TINY_PX, anchor=(0.5, 0.5))

    def _read_lines(self) -> list[Line]:
        return []
