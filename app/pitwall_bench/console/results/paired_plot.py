"""Plots two sides game by game: each a point with its interval, and whether they differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetrics, Qt

from pitwall.console.charts.axis_items import CalmAxis
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.theme import GAP, TINY_PX, Look, ui_font
from pitwall_bench.console.figures import Figure
from pitwall_bench.console.format import share_words, success_words
from pitwall_evaluation.console.axis_items import ShareAxis
from pitwall_evaluation.console.plot import FIRST_INK, Hotspot, Plot

NOISE = "inside the noise"
_ROW, _HEAD = 34, 20
_NAME_PX, _VERDICT_PX = 150, 126


@dataclass(frozen=True, slots=True)
class Pair:
    """Holds one row of the plot: a game with both sides' figures.

    Attributes:
        a, b: each side's share with its interval. verdict: whether they differ, in a few words.
        differs: whether they do. why: the whole verdict.
    """

    name: str
    a: Figure
    b: Figure
    verdict: str = NOISE
    differs: bool = False
    why: str = ""


class PairsPlot(Plot):
    """Draws rows of two sides: games at the left, their verdicts at the right, shares along the top."""

    in_pixels = False

    def __init__(self, look: Look) -> None:
        self.pairs: Sequence[Pair] = ()
        self.sides = ("", "")
        self._measure = "success"
        self._games, self._verdicts = CalmAxis("left"), CalmAxis("right")
        axes = {"left": self._games, "right": self._verdicts, "top": ShareAxis("top")}
        super().__init__(look, "Two sides, game by game", axes=axes)
        self.box.invertY(True)
        self.axes["top"].setGrid(255)
        self.axes["top"].setStyle(hideOverlappingLabels=30)

    def show_pairs(self, pairs: Sequence[Pair], a: str, b: str, measure: str) -> None:
        """Show other rows."""
        self.pairs, self.sides = pairs, (a, b)
        self._measure = measure
        self.setAccessibleName(f"{measure.capitalize()} of {a} and of {b}, game by game")
        tall = _HEAD + _ROW * max(1, len(self.pairs)) + GAP
        self._size, self._least = (520, tall), (300, tall)
        self.redraw()

    def lay_out(self) -> Sequence[Hotspot]:
        words = share_words
        return [
            Hotspot(
                self._row(at),
                f"{pair.name}: {pair.verdict}",
                [
                    Reading(side, FIRST_INK + which, words(of), success_words(of) if of.hits else "")
                    for which, (side, of) in enumerate(zip(self.sides, (pair.a, pair.b), strict=True))
                ],
                pair.name,
            )
            for at, pair in enumerate(self.pairs)
        ]

    def _row(self, at: int) -> QRectF:
        top, bottom = self.pixel(0, at - 0.5).y(), self.pixel(0, at + 0.5).y()
        return QRectF(0, top, self.width(), bottom - top)

    def draw(self) -> None:
        names = int(min(_NAME_PX, self.width() * 0.26))
        self.show_axes(left=names, right=_VERDICT_PX, top=_HEAD)
        self.box.setRange(xRange=(-0.02, 1.02), yRange=(-0.5, max(1, len(self.pairs)) - 0.5), padding=0)
        metrics = QFontMetrics(ui_font(TINY_PX))
        for axis, words, room in (
            (self._games, [pair.name for pair in self.pairs], names),
            (
                self._verdicts,
                [f"≠ {pair.verdict}" if pair.differs else pair.verdict for pair in self.pairs],
                _VERDICT_PX,
            ),
        ):
            fitting = [
                metrics.elidedText(word, Qt.TextElideMode.ElideRight, room - 2 * GAP) for word in words
            ]
            axis.setTextPen(self.look.colour("text"))
            axis.setTicks([list(enumerate(fitting))])
        for which in (0, 1):
            self._draw_side(which)

    def _draw_side(self, which: int) -> None:
        index = FIRST_INK + which
        rows = [at + (which * 2 - 1) * 0.17 for at in range(len(self.pairs))]
        sides = [(pair.a, pair.b)[which] for pair in self.pairs]
        known = [(row, of) for row, of in zip(rows, sides, strict=True) if of.of]
        ranged = [(row, of) for row, of in known if math.isfinite(of.low)]
        self.line(
            [end for _, of in ranged for end in (of.low, of.high)],
            [row for row, _ in ranged for _ in (0, 1)],
            series_colour(self.look, index, 150),
            2,
            pairs=True,
        )
        self.markers([of.value for _, of in known], [row for row, _ in known], index, 9)
