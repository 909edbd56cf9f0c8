"""The heat map: games down, agents across, each cell a share with its count written in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from pitwall.console.charts.plot import FIRST_INK, Hotspot, Plot
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.format import NONE
from pitwall.console.kit.number_format import share
from pitwall.console.kit.theme import GAP, SMALL_PX, TINY_PX, Look, ui_font

_ROW, _HEAD = 28, 26
_GAP = 2
_NAMES_MOST, _CELL_LEAST, _CELL_MOST = 190, 62, 220
_FULL = {"dark": 0.42, "light": 0.72}
"""How much of the colour a share of one has: as much as lets the words on it be read."""
_ROW_MOST = 40


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One agent in one game.

    Attributes:
        share: 0 … 1, NaN where nothing was played. note: what stands small beside it ("5 of 8").
        read: figures for the read-out, name and value each. key: what opens.
    """

    share: float
    note: str = ""
    read: Sequence[tuple[str, str]] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class Heat:
    """A map.

    Attributes:
        games: (name, small words) of each row. agents: names of the columns. cells: by row and column.
        measure: what a cell's share is.
    """

    games: Sequence[tuple[str, str]] = ()
    agents: Sequence[str] = ()
    cells: Sequence[Sequence[HeatCell]] = ()
    measure: str = "success"


class HeatMap(Plot):
    """Paints a map; a cell opens its runs."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Agents and games")
        self.heat = Heat()

    def show_heat(self, heat: Heat) -> None:
        """Show other values."""
        self.heat = heat
        self.setAccessibleName(f"{heat.measure.capitalize()} of agents in games")
        self.renew()

    def sizeHint(self) -> QSize:
        return QSize(160 + 96 * max(1, len(self.heat.agents)), self._tall)

    def minimumSizeHint(self) -> QSize:
        return QSize(90 + (_CELL_LEAST - 8) * max(1, len(self.heat.agents)), self._tall)

    @property
    def _tall(self) -> int:
        return _HEAD + _ROW * max(1, len(self.heat.games)) + GAP

    @property
    def _left(self) -> float:
        """Pixels that the games' names take."""
        heat, metrics = self.heat, QFontMetrics(ui_font(SMALL_PX))
        small = QFontMetrics(ui_font(TINY_PX))
        widest = max(
            (
                metrics.horizontalAdvance(name) + small.horizontalAdvance(note)
                for name, note in self.heat.games
            ),
            default=60,
        )
        room = self.width() - _CELL_LEAST * max(1, len(heat.agents))
        return float(max(64, min(widest + 24, _NAMES_MOST, room)))

    def _cell(self, row: int, column: int) -> QRectF:
        wide = min(_CELL_MOST, (self.width() - self._left) / max(1, len(self.heat.agents)))
        left = self._left + column * wide
        return QRectF(left, _HEAD + row * self._high, wide - _GAP, self._high - _GAP)

    @property
    def _high(self) -> float:
        """Pixels of a row: more where there is room."""
        room = (self.height() - _HEAD) / max(1, len(self.heat.games))
        return max(_ROW, min(_ROW_MOST, room))

    def lay_out(self) -> Sequence[Hotspot]:
        heat = self.heat
        return [
            Hotspot(
                self._cell(row, column),
                f"{heat.games[row][0]} · {agent}",
                [
                    Reading(name, FIRST_INK + column, value)
                    for name, value in heat.cells[row][column].read or (("runs", "none"),)
                ],
                heat.cells[row][column].key,
            )
            for row in range(len(heat.games))
            for column, agent in enumerate(heat.agents)
        ]

    def draw(self, painter: QPainter) -> None:
        for column, agent in enumerate(self.heat.agents):
            self._draw_agent(painter, column, agent)
        for row, (name, note) in enumerate(self.heat.games):
            self._draw_game(painter, row, name, note)
            for column in range(len(self.heat.agents)):
                self._draw_cell(painter, self._cell(row, column), self.heat.cells[row][column])

    def _draw_agent(self, painter: QPainter, column: int, agent: str) -> None:
        room = self._cell(0, column)
        index = FIRST_INK + column
        paint_marker(painter, QPointF(room.left() + 6, _HEAD / 2), index, ink(self._look, index), 3.8)
        painter.setFont(ui_font(SMALL_PX, bold=True))
        painter.setPen(self._look.colour("text"))
        wide = int(room.width()) - 18
        words = painter.fontMetrics().elidedText(agent, Qt.TextElideMode.ElideRight, wide)
        painter.drawText(QPointF(room.left() + 16, _HEAD / 2 + 4.5), words)

    def _draw_game(self, painter: QPainter, row: int, name: str, note: str) -> None:
        base = _HEAD + (row + 0.5) * self._high + 3.5
        right = self._left - GAP
        small = ui_font(TINY_PX)
        noted = QFontMetrics(small).horizontalAdvance(note)
        painter.setFont(ui_font(SMALL_PX))
        painter.setPen(self._look.colour("text"))
        fits = painter.fontMetrics().horizontalAdvance(name) + noted + GAP <= right
        room = right - (noted + GAP if fits else 0)
        words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QPointF(0, base), words)
        if fits:
            painter.setFont(small)
            painter.setPen(self._look.colour("faint"))
            painter.drawText(QPointF(right - noted, base), note)

    def _draw_cell(self, painter: QPainter, room: QRectF, cell: HeatCell) -> None:
        if not math.isfinite(cell.share):
            painter.setPen(QPen(self._look.colour("line"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(room.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setFont(ui_font(SMALL_PX))
            painter.setPen(self._look.colour("faint"))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, NONE)
            return
        ground = mixed(
            self._look.colour("hover"), self._look.colour("ok"), _FULL[self._look.theme] * cell.share
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(room, 4, 4)
        text, quiet = readable(ground, self._look), ui_font(TINY_PX)
        value = share(cell.share)
        painter.setFont(ui_font(SMALL_PX, bold=True))
        wide = painter.fontMetrics().horizontalAdvance(value)
        noted = QFontMetrics(quiet).horizontalAdvance(cell.note)
        both = wide + noted + 6 <= room.width() - 8
        left = room.center().x() - (wide + (noted + 6 if both else 0)) / 2
        painter.setPen(text)
        painter.drawText(QPointF(left, room.center().y() + 4.5), value)
        if both:
            painter.setFont(quiet)
            painter.drawText(QPointF(left + wide + 6, room.center().y() + 4), cell.note)


def mixed(ground: QColor, over: QColor, much: float) -> QColor:
    """One colour laid over another, `much` of it."""
    parts = [
        round(low + (high - low) * much)
        for low, high in (
            (ground.red(), over.red()),
            (ground.green(), over.green()),
            (ground.blue(), over.blue()),
        )
    ]
    return QColor(*parts)


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours (WCAG 2.1): 1 … 21."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(ground: QColor, look: Look) -> QColor:
    """The theme's lighter or darker text, whichever reads better on a ground."""
    return max((look.colour("text"), look.colour("inverse")), key=lambda one: contrast(one, ground))


def _luminance(colour: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
