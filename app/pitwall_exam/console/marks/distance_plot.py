"""The accuracy of one or two answerers over the distance of the evidence, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from pitwall.console.charts.data import cells
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.theme import SMALL_PX, TINY_PX, Look
from pitwall.core.quantities import NONE, counted, interval_text, share
from pitwall.store.csv_text import csv_text, shown_cell
from pitwall_evaluation.console.plot import Hotspot, Plot
from pitwall_exam.marking.distances import DistanceMark

_LEFT, _TOP, _BELOW = 40, 10, 38
_APART = 14
"""Pixels between two answerers at the same distance."""


class DistancePlot(Plot):
    """Draws a group of distances as a column: each answerer's accuracy with its 95 % interval."""

    how = "Arrow keys go through it."

    def __init__(self, look: Look) -> None:
        self._sides: Sequence[tuple[str, int, Sequence[DistanceMark]]] = ()
        super().__init__(look, "Accuracy over the distance of the evidence")
        self._size, self._least = (360, 190), (260, 150)
        self.csv = self._as_csv

    def show_sides(self, sides: Sequence[tuple[str, int, Sequence[DistanceMark]]]) -> None:
        """Show answerers: name, number of colour and marker, and marks of the same distances."""
        self._sides = tuple(sides)
        self.redraw()

    def lay_out(self) -> Sequence[Hotspot]:
        return [
            Hotspot(self._column(at), f"{mark.span} steps back", self._readings(at))
            for at, mark in enumerate(self._groups)
        ]

    def draw(self) -> None:
        floor = self.height() - _BELOW
        for value in (0.0, 0.5, 1.0):
            y = self._y(value)
            self.line([_LEFT, self.width()], [y, y], self.look.colour("line"), 1)
            self.text(share(value), _LEFT - 6, y, colour="faint", pixels=TINY_PX, anchor=(1, 0.5))
        for at, mark in enumerate(self._groups):
            middle = self._column(at).center().x()
            self.text(mark.span, middle, floor + 12, colour="dim", pixels=SMALL_PX, anchor=(0.5, 0.5))
        words = "steps from the evidence to the last step asked about"
        middle = (_LEFT + self.width()) / 2
        self.text(words, middle, floor + 29, colour="faint", pixels=TINY_PX, anchor=(0.5, 0.5))
        for number, (_, ink, marks) in enumerate(self._sides):
            aside = (number - (len(self._sides) - 1) / 2) * _APART
            self._draw_side(ink, marks, aside)

    def _draw_side(self, ink: int, marks: Sequence[DistanceMark], aside: float) -> None:
        colour = series_colour(self.look, ink)
        for at, mark in enumerate(marks):
            if mark.accuracy is None or mark.low is None or mark.high is None:
                continue
            x = self._column(at).center().x() + aside
            self.line([x, x], [self._y(mark.low), self._y(mark.high)], colour, 1.4)
            self.markers([x], [self._y(mark.accuracy)], ink)

    @property
    def _groups(self) -> Sequence[DistanceMark]:
        return self._sides[0][2] if self._sides else ()

    def _column(self, at: int) -> QRectF:
        wide = (self.width() - _LEFT) / max(1, len(self._groups))
        return QRectF(_LEFT + at * wide, 0, wide, self.height() - _BELOW)

    def _y(self, value: float) -> float:
        return _TOP + (1.0 - value) * float(self.height() - _BELOW - _TOP)

    def _readings(self, at: int) -> Sequence[Reading]:
        return [Reading(name, ink, _words(marks[at])) for name, ink, marks in self._sides]

    def _as_csv(self) -> str:
        rows = (
            [name, mark.span, *cells(*(float("nan") if value is None else value for value in figures))]
            for name, _, marks in self._sides
            for mark in marks
            for figures in [(mark.n, mark.accuracy, mark.low, mark.high)]
        )
        return csv_text(["answerer", "steps back", "questions", "accuracy", "low", "high"], rows, shown_cell)


def _words(mark: DistanceMark) -> str:
    if mark.accuracy is None or mark.low is None or mark.high is None:
        return NONE
    return f"{share(mark.accuracy)}  {interval_text(mark.low, mark.high)} · {counted(mark.n, 'question')}"
