"""The radar over the five curriculum levels: how far each agent comes where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF

from pitwall.console.evaluate.plot import Plot, Spot, point_area
from pitwall.console.lab.axes import share
from pitwall.console.lab.ink import ink, paint_shape
from pitwall.console.lab.readout import Reading
from pitwall.console.theme import SMALL_PX, TINY_PX, Look, ui_font
from pitwall.suites.statistics import LEVELS

_RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class RadarLine:
    """One agent: its ink, and its share on each level; NaN where it played nothing of that level.

    Attributes:
        noted: for the read-out, beside each share ("7 of 12").
    """

    name: str
    ink: int
    shares: Sequence[float]
    noted: Sequence[str] = ("",) * len(LEVELS)


class Radar(Plot):
    """Paints agents as polygons over five spokes."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Levels")
        self.lines: Sequence[RadarLine] = ()

    def show_lines(self, lines: Sequence[RadarLine], measure: str) -> None:
        """Show other agents."""
        self.lines = lines
        self.setAccessibleName(f"{measure.capitalize()} of each agent by curriculum level")
        self.renew()

    def sizeHint(self) -> QSize:
        return QSize(320, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 220)

    # ---- places

    @property
    def _centre(self) -> QPointF:
        return QPointF(self.width() / 2, self.height() / 2 + 8)

    @property
    def _reach(self) -> float:
        return max(40.0, min(self.width() / 2 - 66, self.height() / 2 - 26))

    def point(self, level: int, of: float) -> QPointF:
        """Where a share lies on a level's spoke."""
        angle = math.radians(-90 + 360 * level / len(LEVELS))
        return self._centre + QPointF(math.cos(angle), math.sin(angle)) * (self._reach * of)

    def lay_out(self) -> Sequence[Spot]:
        spots = []
        for level, name in enumerate(LEVELS.values()):
            known = [line for line in self.lines if math.isfinite(line.shares[level])]
            if not known:
                continue
            rows = [
                Reading(line.name, line.ink, share(line.shares[level]), line.noted[level]) for line in known
            ]
            top = max(line.shares[level] for line in known)
            spots.append(Spot(point_area(self.point(level, top), 6), f"level {level + 1} · {name}", rows))
        return spots

    # ---- painting

    def draw(self, painter: QPainter) -> None:
        self._draw_web(painter)
        for line in self.lines:
            self._draw_line(painter, line)

    def _draw_web(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ring in _RINGS:
            painter.setPen(QPen(self._look.colour("line"), 1))
            painter.drawPolygon(QPolygonF([self.point(level, ring) for level in range(len(LEVELS))]))
        for level in range(len(LEVELS)):
            painter.drawLine(self._centre, self.point(level, 1.0))
        painter.setFont(ui_font(TINY_PX))
        painter.setPen(self._look.colour("faint"))
        for ring in (0.5, 1.0):
            painter.drawText(self.point(0, ring) + QPointF(6, 11), share(ring))
        for level, name in enumerate(LEVELS.values()):
            self._draw_name(painter, level, name)

    def _draw_name(self, painter: QPainter, level: int, name: str) -> None:
        played = any(math.isfinite(line.shares[level]) for line in self.lines)
        place = self.point(level, 1.0)
        painter.setFont(ui_font(SMALL_PX, bold=played))
        painter.setPen(self._look.colour("text" if played else "faint"))
        words = name.split(" ")
        lines = [f"{level + 1} {words[0]}", " ".join(words[1:])] if level not in (0,) else [f"1 {name}"]
        metrics = QFontMetrics(painter.font())
        wide = max(metrics.horizontalAdvance(one) for one in lines)
        side = place.x() - self._centre.x()
        left = place.x() - wide / 2 if abs(side) < 4 else place.x() + 8 if side > 0 else place.x() - 8 - wide
        left = min(max(2.0, left), self.width() - wide - 2.0)
        top = place.y() - (12 if level == 0 else -2 if level in (2, 3) else 6)
        for at, words_of_line in enumerate(one for one in lines if one):
            room = QRectF(left, top + at * 14 - (8 if level == 0 else 0), wide + 2, 16)
            where = Qt.AlignmentFlag.AlignLeft if side >= -4 else Qt.AlignmentFlag.AlignRight
            painter.drawText(room, where, words_of_line)

    def _draw_line(self, painter: QPainter, line: RadarLine) -> None:
        colour = ink(self._look, line.ink)
        known = [level for level in range(len(LEVELS)) if math.isfinite(line.shares[level])]
        places = {level: self.point(level, line.shares[level]) for level in known}
        if len(known) == len(LEVELS):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink(self._look, line.ink, 26))
            painter.drawPolygon(QPolygonF([places[level] for level in known]))
        painter.setPen(QPen(colour, 1.8))
        for level in known:
            following = (level + 1) % len(LEVELS)
            if following in places:
                painter.drawLine(places[level], places[following])
        for level in known:
            paint_shape(painter, places[level], line.ink, colour, 4)
