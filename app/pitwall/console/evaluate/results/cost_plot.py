"""Cost against success: each agent a point with its interval, and the front that nobody beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from pitwall.console.charts.axes import scale_for, tick_texts
from pitwall.console.charts.plot import Hotspot, Plot, point_area
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import number, share
from pitwall.console.kit.theme import SMALL_PX, TINY_PX, Look, ui_font

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 12, 38


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One agent.

    Attributes:
        cost: in the plot's unit; NaN: not known, and not drawn. share, low, high: success with its interval.
        noted: for the read-out ("12 of 40"). key: what opens.
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
    """The points that no other beats: at least the success at no more cost, and more of one (Pareto).

    Returns:
        By rising cost, success rising too.
    """
    known = sorted((one for one in points if one.known), key=lambda one: (one.cost, one.share))
    return [one for one in known if not any(_beats(other, one) for other in known)]


def _beats(one: CostPoint, other: CostPoint) -> bool:
    as_good = one.cost <= other.cost and one.share >= other.share
    return as_good and (one.cost < other.cost or one.share > other.share)


class CostPlot(Plot):
    """Paints agents; cheap is left, good is up."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Cost against success")
        self.points: Sequence[CostPoint] = ()
        self.cost, self.unit = "", ""

    def show_points(self, points: Sequence[CostPoint], cost: str, unit: str) -> None:
        """Show other points.

        Args:
            cost: what is paid, in words ("tokens per run"). unit: behind a number of it ("tok").
        """
        self.points, self.cost, self.unit = points, cost, unit
        self.setAccessibleName(f"Success against {cost}, each agent a point")
        self.renew()

    def sizeHint(self) -> QSize:
        return QSize(340, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 200)

    # ---- places

    @property
    def _room(self) -> QRectF:
        return QRectF(
            _LEFT, _TOP, max(20, self.width() - _LEFT - _RIGHT), max(20, self.height() - _TOP - _BOTTOM)
        )

    @property
    def _most(self) -> float:
        costs = [one.cost for one in self.points if one.known]
        return scale_for(0.0, max(costs, default=1.0) * 1.08 or 1.0, log=False, ticks=5).high

    def place(self, cost: float, of: float) -> QPointF:
        """Where a cost and a share lie."""
        room = self._room
        return QPointF(room.left() + room.width() * cost / self._most, room.bottom() - room.height() * of)

    def lay_out(self) -> Sequence[Hotspot]:
        best = front(self.points)
        return [
            Hotspot(
                point_area(self.place(one.cost, one.share), 6),
                one.name + (" · on the front" if one in best else ""),
                [
                    Reading("success", one.ink, share(one.share), one.noted),
                    Reading("95 % interval", one.ink, f"{share(one.low)} … {share(one.high)}"),
                    Reading(self.cost, one.ink, number(one.cost, self.unit)),
                ],
                one.key,
            )
            for one in self.points
            if one.known
        ]

    # ---- painting

    def draw(self, painter: QPainter) -> None:
        self._draw_grid(painter)
        self._draw_front(painter)
        taken: list[QRectF] = [
            point_area(self.place(one.cost, one.share)) for one in self.points if one.known
        ]
        for point in self.points:
            if point.known:
                self._draw_point(painter, point, taken)

    def _draw_grid(self, painter: QPainter) -> None:
        room, look = self._room, self._look
        painter.setFont(ui_font(TINY_PX))
        for of in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = room.bottom() - room.height() * of
            painter.setPen(QPen(look.colour("line"), 1))
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(look.colour("faint"))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - 8, _LEFT - 8, 16), side, share(of))
        scale = scale_for(0.0, self._most, log=False, ticks=5)
        ticks = [one for one in scale.ticks(max(2, int(room.width() / 70))) if one <= self._most]
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        for tick, text in zip(ticks, tick_texts(ticks), strict=True):
            x = self.place(tick, 0).x()
            painter.drawText(QRectF(x - 35, room.bottom() + 4, 70, 14), middle, text)
        painter.setPen(look.colour("dim"))
        words = f"{self.cost} ({self.unit})" if self.unit else self.cost
        painter.drawText(QRectF(room.left(), room.bottom() + 19, room.width(), 16), middle, words)

    def _draw_front(self, painter: QPainter) -> None:
        best = front(self.points)
        if not best:
            return
        painter.setPen(QPen(self._look.colour("dim"), 1.4, Qt.PenStyle.DashLine))
        here = self.place(best[0].cost, 0.0)
        for point in best:
            there = self.place(point.cost, point.share)
            corner = QPointF(there.x(), here.y())
            painter.drawLine(here, corner)
            painter.drawLine(corner, there)
            here = there
        painter.drawLine(here, QPointF(self._room.right(), here.y()))

    def _draw_point(self, painter: QPainter, point: CostPoint, taken: list[QRectF]) -> None:
        colour = ink(self._look, point.ink)
        centre = self.place(point.cost, point.share)
        painter.setPen(QPen(ink(self._look, point.ink, 150), 1.4))
        painter.drawLine(self.place(point.cost, point.low), self.place(point.cost, point.high))
        for end in (point.low, point.high):
            edge = self.place(point.cost, end)
            painter.drawLine(edge - QPointF(3, 0), edge + QPointF(3, 0))
        paint_marker(painter, centre, point.ink, colour, 5)
        painter.setFont(ui_font(SMALL_PX))
        wide = painter.fontMetrics().horizontalAdvance(point.name) + 2
        room = _free(centre, wide, self._room, taken)
        taken.append(room)
        painter.setPen(self._look.colour("text"))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, point.name)


def _free(centre: QPointF, wide: float, inside: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """Room for a name beside a point that no other name or point has, where there is one."""
    right, left = centre.x() + 9, centre.x() - 9 - wide
    tries = [
        QRectF(x, centre.y() + dy, wide, 15)
        for dy in (-20.0, 5.0, -33.0, 18.0, -46.0)
        for x in (right, left)
        if inside.left() <= x and x + wide <= inside.right() + _RIGHT
    ]
    open_ones = [one for one in tries if not any(one.intersects(other) for other in taken)]
    return (open_ones or tries or [QRectF(right, centre.y() - 8, wide, 15)])[0]
