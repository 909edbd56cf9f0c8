"""The heat map: games down, agents across, each cell a share with its count written in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetrics

from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import mixed
from pitwall.console.kit.theme import GAP, SMALL_PX, TINY_PX, Look, ui_font
from pitwall.core.quantities import NONE, share
from pitwall_evaluation.console.plot import FIRST_INK, Hotspot, Plot

_ROW, _HEAD = 28, 26
_GAP = 2
_NAMES_MOST, _CELL_LEAST, _CELL_MOST = 190, 62, 220
_FULL = {"dark": 0.42, "light": 0.72}
"""How much of the colour a share of one has: as much as lets the words on it be read."""
_ROW_MOST = 40


@dataclass(frozen=True, slots=True)
class HeatCell:
    """Holds one agent's result in one game.

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
    """Draws a map; a cell opens its runs."""

    def __init__(self, look: Look) -> None:
        self.heat = Heat()
        super().__init__(look, "Agents and games")

    def show_heat(self, heat: Heat) -> None:
        """Show other values."""
        self.heat = heat
        self.setAccessibleName(f"{heat.measure.capitalize()} of agents in games")
        tall, agents = _HEAD + _ROW * max(1, len(heat.games)) + GAP, max(1, len(heat.agents))
        self._size, self._least = (160 + 96 * agents, tall), (90 + (_CELL_LEAST - 8) * agents, tall)
        self.redraw()

    @property
    def _left(self) -> float:
        """Return the pixels that the games' names take."""
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
        """Return the pixels of a row: more where there is room."""
        room = (self.height() - _HEAD) / max(1, len(self.heat.games))
        return float(max(_ROW, min(_ROW_MOST, room)))

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

    def draw(self) -> None:
        for column, agent in enumerate(self.heat.agents):
            room = self._cell(0, column)
            self.markers([room.left() + 6], [_HEAD / 2], FIRST_INK + column)
            self.text(agent, room.left() + 16, _HEAD / 2, bold=True, wide=room.width() - 18)
        for row, (name, note) in enumerate(self.heat.games):
            self._draw_game(row, name, note)
        places = [
            (row, column) for row in range(len(self.heat.games)) for column in range(len(self.heat.agents))
        ]
        known = [at for at in places if math.isfinite(self._at_place(at).share)]
        empty = [self._cell(*at) for at in places if at not in known]
        look = self.look
        self.bars([self._cell(*at) for at in known], [self._fill_of(self._at_place(at)) for at in known])
        self.bars(empty, [look.colour("raised")] * len(empty), look.colour("line"))
        for area in empty:
            self.text(NONE, area.center().x(), area.center().y(), colour="faint", anchor=(0.5, 0.5))
        for at in known:
            self._draw_words(self._cell(*at), self._at_place(at))

    def _at_place(self, at: tuple[int, int]) -> HeatCell:
        return self.heat.cells[at[0]][at[1]]

    def _fill_of(self, cell: HeatCell) -> QColor:
        full = _FULL[self.look.theme] * cell.share
        return mixed(self.look.colour("hover"), self.look.colour("ok"), full)

    def _draw_game(self, row: int, name: str, note: str) -> None:
        middle, right = _HEAD + (row + 0.5) * self._high - _GAP / 2, self._left - GAP
        noted = QFontMetrics(ui_font(TINY_PX)).horizontalAdvance(note)
        fits = QFontMetrics(ui_font(SMALL_PX)).horizontalAdvance(name) + noted + GAP <= right
        self.text(name, 0, middle, wide=right - (noted + GAP if fits else 0))
        if fits:
            self.text(note, right, middle, colour="faint", pixels=TINY_PX, anchor=(1, 0.5))

    def _draw_words(self, room: QRectF, cell: HeatCell) -> None:
        ink, value = readable(self._fill_of(cell), self.look), share(cell.share)
        wide = QFontMetrics(ui_font(SMALL_PX, bold=True)).horizontalAdvance(value)
        noted = QFontMetrics(ui_font(TINY_PX)).horizontalAdvance(cell.note)
        both = wide + noted + 6 <= room.width() - 8
        left, middle = room.center().x() - (wide + (noted + 6 if both else 0)) / 2, room.center().y()
        self.text(value, left, middle, colour=ink, bold=True)
        if both:
            self.text(cell.note, left + wide + 6, middle, colour=ink, pixels=TINY_PX)


def contrast(first: QColor, other: QColor) -> float:
    """Return the contrast of two colours (WCAG 2.1): 1 … 21."""
    high, low = sorted((_luminance(first), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(ground: QColor, look: Look) -> QColor:
    """Return the theme's lighter or darker text colour, whichever reads better on a background."""
    return max((look.colour("text"), look.colour("inverse")), key=lambda ink: contrast(ink, ground))


def _luminance(colour: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
