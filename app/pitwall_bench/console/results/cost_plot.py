"""Cost against success: each agent as a point with its interval, and the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPen

from pitwall.console.charts.axes import scale_for
from pitwall.console.charts.axis_items import CalmAxis
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.theme import SMALL_PX, TINY_PX, Look, ui_font
from pitwall.core.quantities import number, share
from pitwall_evaluation.console.axis_items import ShareAxis
from pitwall_evaluation.console.plot import Hotspot, Plot, point_area

_LEFT_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 46, 14, 8, 40


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One agent's cost and success.

    Attributes:
        cost: in the plot's unit; NaN: unknown, and not drawn. share, low, high: success with its interval.
        noted: for the read-out ("12 of 40"). key: what a click opens.
    """

    name: str
    ink: int
    cost: float
    share: float
    low: float
    high: float
    noted: str = ""
    key: str = ""

    @property
    def known(self) -> bool:
        return math.isfinite(self.cost) and math.isfinite(self.share)


def front(points: Sequence[CostPoint]) -> list[CostPoint]:
    """Return the Pareto front: points that no other beats in success or cost without losing in the other.

    Returns:
        By rising cost, with rising success.
    """
    known = sorted((point for point in points if point.known), key=lambda point: (point.cost, point.share))
    return [point for point in known if not any(_beats(other, point) for other in known)]


def _beats(point: CostPoint, other: CostPoint) -> bool:
    as_good = point.cost <= other.cost and point.share >= other.share
    return as_good and (point.cost < other.cost or point.share > other.share)


class CostPlot(Plot):
    """Draws agents; cheap is left, good is up.

    Dragging moves it, Ctrl+wheel zooms, a double click brings every agent into view.
    """

    in_pixels = False

    def __init__(self, look: Look) -> None:
        self.points: Sequence[CostPoint] = ()
        self.cost, self.unit = "", ""
        super().__init__(
            look, "Cost against success", axes={"left": ShareAxis("left"), "bottom": CalmAxis("bottom")}
        )
        self._size, self._least = (340, 260), (240, 200)
        self.show_axes(left=_LEFT_PX, bottom=_BOTTOM_PX)
        self.axes["left"].setGrid(255)
        self.axes["bottom"].setStyle(hideOverlappingLabels=_RIGHT_PX)
        self.set_margins(top=_TOP_PX, right=_RIGHT_PX)
        self.box.setMouseEnabled(x=True, y=True)
        self.box.setLimits(xMin=0, yMin=-0.05, yMax=1.05)

    def show_points(self, points: Sequence[CostPoint], cost: str, unit: str) -> None:
        """Show other points.

        Args:
            cost: what is paid, in words ("tokens per run"). unit: behind a number of it ("tok").
        """
        self.points, self.cost, self.unit = points, cost, unit
        self.setAccessibleName(f"Success against {cost}, each agent a point")
        self.show_all()

    def show_all(self) -> None:
        """Bring every agent into view."""
        costs = [point.cost for point in self.points if point.known]
        most = scale_for(0.0, max(costs, default=1.0) * 1.08 or 1.0).high
        self.box.setRange(xRange=(0, most), yRange=(-0.02, 1.02), padding=0)
        self.redraw()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.show_all()

    def lay_out(self) -> Sequence[Hotspot]:
        best = front(self.points)
        return [
            Hotspot(
                point_area(self.pixel(point.cost, point.share), 6),
                point.name + (" · on the front" if point in best else ""),
                [
                    Reading("success", point.ink, share(point.share), point.noted),
                    Reading("95 % interval", point.ink, f"{share(point.low)} … {share(point.high)}"),
                    Reading(self.cost, point.ink, number(point.cost, self.unit)),
                ],
                point.key,
            )
            for point in self.points
            if point.known
        ]

    # ---- drawing

    def draw(self) -> None:
        words = f"{self.cost} ({self.unit})" if self.unit else self.cost
        axis = self.axes["bottom"]
        axis.setLabel(words, color=self.look.palette.dim, **{"font-size": f"{TINY_PX}px"})
        known = [point for point in self.points if point.known]
        self._draw_front()
        taken = [point_area(self.pixel(point.cost, point.share)) for point in known]
        for point in known:
            self._draw_point(point, taken)

    def _draw_front(self) -> None:
        best = front(self.points)
        if not best:
            return
        x, y = [best[0].cost], [0.0]
        for point in best:
            x += [point.cost, point.cost]
            y += [y[-1], point.share]
        right = self.box.viewRange()[0][1]
        self.line([*x, max(right, x[-1])], [*y, y[-1]], self.look.colour("dim"), 1.4, dashed=True)

    def _draw_point(self, point: CostPoint, taken: list[QRectF]) -> None:
        (left, right), _ = self.box.viewRange()
        beam = 6 * (right - left) / max(1.0, self.plot_area.width())
        pen = QPen(series_colour(self.look, point.ink, 150), 1.4)
        pen.setCosmetic(True)
        x, y = np.asarray([point.cost]), np.asarray([point.share])
        top, bottom = np.asarray([point.high]) - y, y - np.asarray([point.low])
        self.draw_item(pg.ErrorBarItem(x=x, y=y, top=top, bottom=bottom, beam=beam, pen=pen))
        self.markers([point.cost], [point.share], point.ink, 10)
        wide = QFontMetrics(ui_font(SMALL_PX)).horizontalAdvance(point.name) + 2
        room = _free(self.pixel(point.cost, point.share), wide, self.plot_area, taken)
        taken.append(room)
        place = self.place(QPointF(room.left(), room.center().y()))
        self.text(point.name, place.x(), place.y())


def _free(centre: QPointF, wide: float, inside: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """Return the room for a name beside a point that no other name or point has, where there is one."""
    right, left = centre.x() + 9, centre.x() - 9 - wide
    tries = [
        QRectF(x, centre.y() + dy, wide, 15)
        for dy in (-20.0, 5.0, -33.0, 18.0, -46.0)
        for x in (right, left)
        if inside.left() <= x and x + wide <= inside.right() + _RIGHT_PX
    ]
    open_ones = [area for area in tries if not any(area.intersects(other) for other in taken)]
    return (open_ones or tries or [QRectF(right, centre.y() - 8, wide, 15)])[0]
