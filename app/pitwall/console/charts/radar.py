"""Radars: shares on spokes, a polygon each; the one over the five curriculum levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF

from pitwall.console.charts.plot import Hotspot, Plot, point_area
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import share
from pitwall.console.kit.theme import SMALL_PX, TINY_PX, Look, ui_font
from pitwall.suites.statistics import LEVELS

_RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class RadarLine:
    """One polygon: its ink, and its share on each spoke; NaN where nothing is known there.

    Attributes:
        noted: for the read-out, beside each share ("7 of 12").
        dashed: a line for comparison: thin, broken, nothing filled.
    """

    name: str
    ink: int
    shares: Sequence[float]
    noted: Sequence[str] = ()
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Spoke:
    """A spoke's name: in a line or two beside its end, and in the read-out; `key`: what opens with it."""

    words: tuple[str, ...]
    head: str
    key: str = ""


class RadarChart(Plot):
    """Paints polygons over spokes, the first one upwards, the others clockwise."""

    def __init__(self, look: Look, name: str, spokes: Sequence[Spoke]) -> None:
        super().__init__(look, name)
        self.spokes = spokes
        self.lines: Sequence[RadarLine] = ()

    def show_web(self, lines: Sequence[RadarLine], name: str) -> None:
        """Show other polygons, under an accessible name."""
        self.lines = lines
        self.setAccessibleName(name)
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

    def point(self, spoke: int, of: float) -> QPointF:
        """Where a share lies on a spoke."""
        angle = math.radians(-90 + 360 * spoke / len(self.spokes))
        return self._centre + QPointF(math.cos(angle), math.sin(angle)) * (self._reach * of)

    def lay_out(self) -> Sequence[Hotspot]:
        spots = []
        for at, spoke in enumerate(self.spokes):
            known = [line for line in self.lines if math.isfinite(line.shares[at])]
            if not known:
                continue
            rows = [
                Reading(line.name, line.ink, share(line.shares[at]), line.noted[at] if line.noted else "")
                for line in known
            ]
            top = max(line.shares[at] for line in known)
            spots.append(Hotspot(point_area(self.point(at, top), 6), spoke.head, rows, spoke.key))
        return spots

    # ---- painting

    def draw(self, painter: QPainter) -> None:
        self._draw_web(painter)
        for line in self.lines:
            self._draw_line(painter, line)

    def _draw_web(self, painter: QPainter) -> None:
        count = len(self.spokes)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ring in _RINGS:
            painter.setPen(QPen(self._look.colour("line"), 1))
            painter.drawPolygon(QPolygonF([self.point(at, ring) for at in range(count)]))
        for at in range(count):
            painter.drawLine(self._centre, self.point(at, 1.0))
        painter.setFont(ui_font(TINY_PX))
        painter.setPen(self._look.colour("faint"))
        for ring in (0.5, 1.0):
            painter.drawText(self.point(0, ring) + QPointF(6, 11), share(ring))
        for at, spoke in enumerate(self.spokes):
            self._draw_name(painter, at, spoke)

    def _draw_name(self, painter: QPainter, at: int, spoke: Spoke) -> None:
        known = any(math.isfinite(line.shares[at]) for line in self.lines)
        place = self.point(at, 1.0)
        painter.setFont(ui_font(SMALL_PX, bold=known))
        painter.setPen(self._look.colour("text" if known else "faint"))
        metrics = QFontMetrics(painter.font())
        wide = max(metrics.horizontalAdvance(one) for one in spoke.words)
        side, down = place.x() - self._centre.x(), place.y() - self._centre.y()
        left = place.x() - wide / 2 if abs(side) < 4 else place.x() + 8 if side > 0 else place.x() - 8 - wide
        left = min(max(2.0, left), self.width() - wide - 2.0)
        top = place.y() - (20 if at == 0 else -2 if down > 0.5 * self._reach else 6)
        where = Qt.AlignmentFlag.AlignLeft if side >= -4 else Qt.AlignmentFlag.AlignRight
        for number, words in enumerate(spoke.words):
            painter.drawText(QRectF(left, top + number * 14, wide + 2, 16), where, words)

    def _draw_line(self, painter: QPainter, line: RadarLine) -> None:
        colour, count = ink(self._look, line.ink), len(self.spokes)
        known = [at for at in range(count) if math.isfinite(line.shares[at])]
        places = {at: self.point(at, line.shares[at]) for at in known}
        if len(known) == count and not line.dashed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink(self._look, line.ink, 26))
            painter.drawPolygon(QPolygonF([places[at] for at in known]))
        style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 1.2 if line.dashed else 1.8, style))
        for at in known:
            following = (at + 1) % count
            if following in places:
                painter.drawLine(places[at], places[following])
        for at in known:
            paint_marker(painter, places[at], line.ink, colour, 3 if line.dashed else 4, hollow=line.dashed)


class LevelRadar(RadarChart):
    """Agents over the five curriculum levels: how far each comes where."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Levels", [_level(*level) for level in LEVELS.items()])

    def show_lines(self, lines: Sequence[RadarLine], measure: str) -> None:
        """Show other agents."""
        self.show_web(lines, f"{measure.capitalize()} of each agent by curriculum level")


def _level(number: int, name: str) -> Spoke:
    first, _, rest = name.partition(" ")
    words = (f"{number} {name}",) if number == 1 or not rest else (f"{number} {first}", rest)
    return Spoke(words, f"level {number} · {name}")
