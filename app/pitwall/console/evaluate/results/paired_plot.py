"""Two sides beside one another, game by game: each a point with its interval, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from pitwall.console.charts.plot import FIRST_INK, Hotspot, Plot
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.evaluate.figures import Figure
from pitwall.console.evaluate.format import share_words, success_words
from pitwall.console.kit.number_format import share
from pitwall.console.kit.theme import GAP, SMALL_PX, TINY_PX, Look, ui_font

NOISE = "inside the noise"
_ROW, _HEAD = 34, 20
_NAME_PX, _SAID_PX = 150, 118


@dataclass(frozen=True, slots=True)
class Pair:
    """One row.

    Attributes:
        a, b: each side's share with its interval. said: whether they differ, in a few words.
        differs: they do. why: the whole verdict.
    """

    name: str
    a: Figure
    b: Figure
    said: str = NOISE
    differs: bool = False
    why: str = ""


class PairsPlot(Plot):
    """Paints rows of two sides."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Two sides, game by game")
        self.pairs: Sequence[Pair] = ()
        self.sides = ("", "")
        self._measure = "success"

    def show_pairs(self, pairs: Sequence[Pair], a: str, b: str, measure: str) -> None:
        """Show other rows."""
        self.pairs, self.sides = pairs, (a, b)
        self._measure = measure
        self.setAccessibleName(f"{measure.capitalize()} of {a} and of {b}, game by game")
        self.renew()

    def sizeHint(self) -> QSize:
        return QSize(520, _HEAD + _ROW * max(1, len(self.pairs)) + GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, _HEAD + _ROW * max(1, len(self.pairs)) + GAP)

    @property
    def _name_px(self) -> float:
        return min(_NAME_PX, self.width() * 0.26)

    def _row(self, at: int) -> QRectF:
        left = self._name_px
        return QRectF(left, _HEAD + at * _ROW, max(40, self.width() - left - _SAID_PX - GAP), _ROW)

    def lay_out(self) -> Sequence[Hotspot]:
        words = share_words
        return [
            Hotspot(
                QRectF(0, _HEAD + at * _ROW, self.width(), _ROW),
                f"{pair.name}: {pair.said}",
                [
                    Reading(side, FIRST_INK + which, words(of), success_words(of) if of.hits else "")
                    for which, (side, of) in enumerate(zip(self.sides, (pair.a, pair.b), strict=True))
                ],
                pair.name,
            )
            for at, pair in enumerate(self.pairs)
        ]

    def draw(self, painter: QPainter) -> None:
        room = self._row(0)
        bottom = _HEAD + _ROW * len(self.pairs)
        painter.setFont(ui_font(TINY_PX))
        for of in (0.0, 0.25, 0.5, 0.75, 1.0):
            x = room.left() + room.width() * of
            painter.setPen(QPen(self._look.colour("line"), 1))
            painter.drawLine(QPointF(x, _HEAD - 4), QPointF(x, bottom))
            painter.setPen(self._look.colour("faint"))
            painter.drawText(QRectF(x - 24, 0, 48, 14), Qt.AlignmentFlag.AlignCenter, share(of))
        for at, pair in enumerate(self.pairs):
            self._draw_pair(painter, self._row(at), pair)

    def _draw_pair(self, painter: QPainter, room: QRectF, pair: Pair) -> None:
        middle = room.center().y()
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(SMALL_PX))
        painter.setPen(self._look.colour("text"))
        wide = int(self._name_px - GAP)
        name = painter.fontMetrics().elidedText(pair.name, Qt.TextElideMode.ElideRight, wide)
        painter.drawText(QRectF(0, room.top(), wide, room.height()), left, name)
        for which, of in enumerate((pair.a, pair.b)):
            y = middle + (which * 2 - 1) * 6
            if not of.of:
                continue
            low, high, at = (room.left() + room.width() * one for one in (of.low, of.high, of.value))
            painter.setPen(QPen(ink(self._look, FIRST_INK + which, 150), 2))
            painter.drawLine(QPointF(low, y), QPointF(high, y))
            place = QPointF(at, y)
            paint_marker(painter, place, FIRST_INK + which, ink(self._look, FIRST_INK + which), 4.4)
        painter.setPen(self._look.colour("text" if pair.differs else "faint"))
        painter.setFont(ui_font(SMALL_PX, bold=pair.differs))
        said = QRectF(room.right() + GAP + 8, room.top(), _SAID_PX - 8, room.height())
        words = painter.fontMetrics().elidedText(pair.said, Qt.TextElideMode.ElideRight, int(said.width()))
        painter.drawText(said, left, words)
