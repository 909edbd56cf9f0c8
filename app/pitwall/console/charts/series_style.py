"""Gives each series a colour and a shape, the same in every chart, chip and table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from pitwall.console.charts.axes import Numbers
from pitwall.console.kit.theme import Look

_COLOURS = (
    "reflex",
    "layer_l1",
    "layer_l3",
    "layer_l4",
    "layer_l2",
    "layer_l5",
    "layer_state",
    "score_worth",
)
"""Fields of the palette, none of which means another controller. The first is the reflexes' own."""
MARKERS = ("circle", "square", "triangle", "diamond", "wedge", "cross", "plus", "star")
_SYMBOLS = ("o", "s", "t1", "d", "t", "x", "+", "star")
_GLYPHS = "●■▲◆▼✕✚★"


Places = Sequence[float] | Numbers


def series_colour(look: Look, index: int, alpha: int = 255) -> QColor:
    """Return the colour of a series."""
    return look.colour(_COLOURS[index % len(_COLOURS)], alpha)


def mixed(ground: QColor, over: QColor, much: float) -> QColor:
    """Mix a colour with another laid over it; `much` is the share of the upper one, 0 … 1."""
    pairs = ((ground.red(), over.red()), (ground.green(), over.green()), (ground.blue(), over.blue()))
    return QColor(*(round(low + (high - low) * much) for low, high in pairs))


def marker_name(index: int) -> str:
    """Return the shape of a series as a word, for screen readers."""
    return MARKERS[index % len(MARKERS)]


def marker_glyph(index: int) -> str:
    """Return the shape of a series as a character."""
    return _GLYPHS[index % len(_GLYPHS)]


def add_markers(look: Look, x: Places, y: Places, index: int, size: float, *, hollow: bool = False) -> Any:
    """Make pyqtgraph's markers of a series; a hollow one is filled with the card's ground."""
    colour = series_colour(look, index)
    pen, brush = _inks(colour, look.colour("raised"), hollow=hollow)
    item = pg.ScatterPlotItem(
        x=x, y=y, symbol=_SYMBOLS[index % len(_SYMBOLS)], size=size, pen=pen, brush=brush
    )
    item.setZValue(4)
    return item


def paint_marker(
    painter: QPainter, centre: QPointF, index: int, colour: QColor, size: float = 3.6, *, hollow: bool = False
) -> None:
    """Paint the shape of a series around a point of a chip or a table's cell.

    Args:
        size: half its width in pixels. hollow: only its outline.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    pen, brush = _inks(colour, QColor(Qt.GlobalColor.transparent), hollow=hollow)
    drawSymbol(painter, _SYMBOLS[index % len(_SYMBOLS)], 2 * size, pen, brush)
    painter.restore()


def _inks(colour: QColor, ground: QColor, *, hollow: bool) -> tuple[QPen, QBrush]:
    pen = QPen(colour, 1.4) if hollow else QPen(Qt.PenStyle.NoPen)
    pen.setCosmetic(True)
    return pen, QBrush(ground if hollow else colour)
