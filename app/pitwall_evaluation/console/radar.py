"""The radar chart: shares on spokes, one polygon for each line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor

from pitwall.console.charts.data import cells
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.theme import TINY_PX, Look
from pitwall.core.quantities import share
from pitwall.store.csv_text import csv_text, shown_cell
from pitwall_evaluation.console.plot import Hotspot, Plot, point_area

_RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class RadarLine:
    """Holds one polygon: its ink, and its share on each spoke; NaN where a share is not known.

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
    """Polygons over spokes, the first one upwards, the others clockwise; a full share has distance 1."""

    in_pixels = False

    def __init__(self, look: Look, name: str, spokes: Sequence[Spoke]) -> None:
        self.spokes = spokes
        self.lines: Sequence[RadarLine] = ()
        super().__init__(look, name)
        self._size, self._least = (320, 260), (240, 220)
        self.box.setAspectLocked(True)
        self.csv = self._as_csv

    def show_web(self, lines: Sequence[RadarLine], name: str) -> None:
        """Show other polygons, under an accessible name."""
        self.lines = lines
        self.setAccessibleName(name)
        self.redraw()

    def point(self, spoke: int, of: float) -> QPointF:
        """Return the position of a share on a spoke."""
        angle = math.radians(90 - 360 * spoke / len(self.spokes))
        return QPointF(math.cos(angle), math.sin(angle)) * of

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
            top = self.point(at, max(line.shares[at] for line in known))
            area = point_area(self.pixel(top.x(), top.y()), 6)
            spots.append(Hotspot(area, spoke.head, rows, spoke.key))
        return spots

    # ---- drawing

    def draw(self) -> None:
        reach = max(40.0, min(self.width() / 2 - 66, self.height() / 2 - 30))
        per_px = 1 / reach
        self.box.setRange(
            xRange=(-self.width() / 2 * per_px, self.width() / 2 * per_px),
            yRange=((8 - self.height() / 2) * per_px, (8 + self.height() / 2) * per_px),
            padding=0,
        )
        self._draw_web()
        for at, spoke in enumerate(self.spokes):
            self._draw_name(at, spoke, per_px)
        for line in self.lines:
            self._draw_line(line)

    def _draw_web(self) -> None:
        line = self.look.colour("line")
        for ring in _RINGS:
            self._polygon(
                [self.point(at % len(self.spokes), ring) for at in range(len(self.spokes) + 1)], line
            )
        for at in range(len(self.spokes)):
            self._polygon([QPointF(), self.point(at, 1.0)], line, width=1)
        for ring in (0.5, 1.0):
            place = self.point(0, ring)
            self.text(f" {share(ring)}", place.x(), place.y(), colour="faint", pixels=TINY_PX, anchor=(0, 0))

    def _draw_name(self, at: int, spoke: Spoke, per_px: float) -> None:
        known = any(math.isfinite(line.shares[at]) for line in self.lines)
        place = self.point(at, 1 + 8 * per_px)
        across = 0.5 if abs(place.x()) < 0.1 else 0.0 if place.x() > 0 else 1.0
        down = 1.0 if place.y() > 0.9 else 0.0 if place.y() < -0.5 else 0.5
        words = "\n".join(spoke.words)
        self.text(
            words,
            place.x(),
            place.y(),
            colour="text" if known else "faint",
            bold=known,
            anchor=(across, down),
        )

    def _draw_line(self, line: RadarLine) -> None:
        colour, count = series_colour(self.look, line.ink), len(self.spokes)
        known = [at for at in range(count) if math.isfinite(line.shares[at])]
        places = {at: self.point(at, line.shares[at]) for at in known}
        if len(known) == count:
            fill = None if line.dashed else series_colour(self.look, line.ink, 26)
            self._polygon([*places.values(), places[0]], colour, dashed=line.dashed, fill=fill)
        else:
            for at in known:
                if (at + 1) % count in places:
                    self._polygon([places[at], places[(at + 1) % count]], colour, dashed=line.dashed)
        x, y = [places[at].x() for at in known], [places[at].y() for at in known]
        self.markers(x, y, line.ink, 6 if line.dashed else 8, hollow=line.dashed)

    def _polygon(
        self,
        places: Sequence[QPointF],
        colour: QColor,
        *,
        width: float = 1.8,
        dashed: bool = False,
        fill: QColor | None = None,
    ) -> None:
        drawn = self.line(
            [place.x() for place in places],
            [place.y() for place in places],
            colour,
            1.2 if dashed else width,
            dashed=dashed,
        )
        if fill is not None:
            drawn.setBrush(QBrush(fill))
            drawn.setFillLevel("enclosed")

    def _as_csv(self) -> str:
        return csv_text(
            ["", *(line.name for line in self.lines)],
            (
                [" ".join(spoke.words), *cells(*(line.shares[at] for line in self.lines))]
                for at, spoke in enumerate(self.spokes)
            ),
            shown_cell,
        )
