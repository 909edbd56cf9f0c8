"""Learning curves over carried runs, with their 95 % bands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import pyqtgraph as pg

from pitwall.console.charts.axis_items import CalmAxis
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import TINY_PX, Look
from pitwall.core.quantities import share
from pitwall_bench.suites.learning import WINDOW, CurvePoint, Learning
from pitwall_evaluation.console.plot import FIRST_INK, Hotspot, Plot, point_area

Measure = Literal["success", "score"]
MEASURED, CARRIED = "its memories, measured", f"the newest {WINDOW} carried runs"
_LEFT_PX, _BOTTOM_PX, _TOP_PX, _RIGHT_PX = 46, 40, 10, 14
_BAND_ALPHA, _MOST_MARKERS = 46, 60
_ROOM = 1.08
"""Height of the axis, as a multiple of the highest band."""


@dataclass(frozen=True, slots=True)
class CurveLine:
    """A curve: its name, the ink of its series, and its points."""

    name: str
    ink: int
    points: Sequence[CurvePoint]


def lines_of(chain: Learning) -> list[CurveLine]:
    """Return the curves of a chain that have points."""
    lines = (
        CurveLine(MEASURED, FIRST_INK + 1, chain.measured),
        CurveLine(CARRIED, FIRST_INK, chain.carried),
    )
    return [line for line in lines if line.points]


def values_of(point: CurvePoint, measure: Measure) -> tuple[float, float, float]:
    """Return a point's value with its interval: per cent, or points of score."""
    if measure == "success":
        return 100 * point.success.share, 100 * point.success.low, 100 * point.success.high
    return point.score.mean, point.score.low, point.score.high


class _RunsAxis(CalmAxis):
    """An axis of whole runs."""

    def tickSpacing(self, low: float, high: float, pixels: float) -> list[tuple[float, float]]:
        ((step, first),) = super().tickSpacing(low, high, pixels)
        return [(float(max(1, math.ceil(step))), first)]


class LearningCurve(Plot):
    """Draws the curves of a chain; a point is read under the pointer or with the arrow keys."""

    how: ClassVar[str] = "Arrow keys go through it."
    in_pixels = False

    def __init__(self, look: Look) -> None:
        self.lines: Sequence[CurveLine] = ()
        self.measure: Measure = "success"
        axes = {"left": CalmAxis("left"), "bottom": _RunsAxis("bottom")}
        super().__init__(look, "Learning curve", axes=axes)
        self._size, self._least = (420, 250), (240, 170)
        self.show_axes(left=_LEFT_PX, bottom=_BOTTOM_PX)
        self.axes["left"].setGrid(255)
        self.axes["bottom"].setStyle(hideOverlappingLabels=_RIGHT_PX)
        self.set_margins(top=_TOP_PX, right=_RIGHT_PX)

    def show_lines(self, lines: Sequence[CurveLine], measure: Measure) -> None:
        """Show other curves."""
        self.lines, self.measure = lines, measure
        shown = "Success" if measure == "success" else "Score"
        self.setAccessibleName(f"{shown} over carried runs, with 95 % bands")
        points = [point for line in lines for point in line.points]
        high = max((values_of(point, measure)[2] for point in points), default=1.0)
        last = max((point.after for point in points), default=1)
        self.box.setRange(xRange=(0, last or 1), yRange=(0, min(101.0, high * _ROOM) or 1.0), padding=0.01)
        self.redraw()

    def lay_out(self) -> Sequence[Hotspot]:
        return [
            Hotspot(
                point_area(self.pixel(point.after, values_of(point, self.measure)[0])),
                f"After {point.after:,} carried runs",
                [
                    Reading(line.name, line.ink, ""),
                    Reading("won", line.ink, share(point.success.share), _won(point)),
                    Reading(
                        "95 % interval", line.ink, f"{share(point.success.low)} … {share(point.success.high)}"
                    ),
                    Reading("score", line.ink, f"{point.score.mean:.1f}"),
                    Reading("95 % interval", line.ink, f"{point.score.low:.1f} … {point.score.high:.1f}"),
                ],
            )
            for line in self.lines
            for point in line.points
        ]

    def draw(self) -> None:
        left, bottom = self.axes["left"], self.axes["bottom"]
        left.text = (lambda value: f"{value:.0f} %") if self.measure == "success" else None
        small = {"font-size": f"{TINY_PX}px"}
        bottom.setLabel(spoken("carried runs"), color=self.look.palette.dim, **small)
        for line in reversed(self.lines):
            self._draw_line(line)
        self.legend.reverse()
        self.show_legend(1)

    def _draw_line(self, line: CurveLine) -> None:
        x = [float(point.after) for point in line.points]
        values = [values_of(point, self.measure) for point in line.points]
        y, low, high = (list(column) for column in zip(*values, strict=True))
        ink = series_colour(self.look, line.ink)
        band = pg.FillBetweenItem(
            pg.PlotCurveItem(x, low),
            pg.PlotCurveItem(x, high),
            brush=series_colour(self.look, line.ink, _BAND_ALPHA),
        )
        self.draw_item(band)
        curve = self.line(x, y, ink, 2)
        if len(x) <= _MOST_MARKERS:
            curve = self.markers(x, y, line.ink, 7)
        self.legend.append((curve, spoken(line.name)))


def _won(point: CurvePoint) -> str:
    return f"{point.success.wins:,} of {point.success.runs:,}"
