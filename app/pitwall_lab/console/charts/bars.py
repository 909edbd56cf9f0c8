"""Shares as bars: a name, a bar of the recent share, a mark of the overall share, both in per cent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QSizePolicy

from pitwall.console.charts.data import cells
from pitwall.console.charts.series_style import series_colour
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, TINY_PX, Look
from pitwall.core.quantities import share
from pitwall.store.csv_text import csv_text, shown_cell
from pitwall_evaluation.console.plot import Hotspot, Plot

_ROW = 38
_BAR = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """Holds one bar of the chart.

    Attributes:
        share, before: 0 … 1; `before` is the mark, NaN where there is none.
        note: what the mark is, in words. ink: colour and shape; None: amber without a shape.
    """

    name: str
    share: float
    before: float = math.nan
    note: str = ""
    ink: int | None = None


class ShareBars(Plot):
    """Rows of shares.

    Args:
        name: for screen readers; the rows follow in the description.
        ground: the palette's field behind it.
    """

    how = ""

    def __init__(self, look: Look, name: str, *, ground: str = "raised") -> None:
        self._bars: Sequence[Bar] = ()
        super().__init__(look, name, ground=ground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.csv = self._as_csv

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Show other rows."""
        self._bars = tuple(bars)
        self._size, self._least = (220, _ROW * len(bars)), (140, _ROW * len(bars))
        self.redraw()
        rows = [f"{bar.name} {share(bar.share)}{f', {bar.note}' if bar.note else ''}" for bar in bars]
        self.setAccessibleDescription("; ".join(rows))

    def lay_out(self) -> Sequence[Hotspot]:
        return ()

    def draw(self) -> None:
        for at, bar in enumerate(self._bars):
            self._draw_bar(bar, at * _ROW, self.width() - 1)

    def _draw_bar(self, bar: Bar, top: int, width: int) -> None:
        look, middle = self.look, top + 13
        colour = look.colour("reflex") if bar.ink is None else series_colour(look, bar.ink)
        left = 0
        if bar.ink is not None:
            self.markers([5], [middle], bar.ink)
            left = 16
        value = self.text(share(bar.share), width, middle, pixels=TEXT_PX, anchor=(1, 0.5)) + GAP
        note = self.text(bar.note, width - value, middle, colour="faint", pixels=TINY_PX, anchor=(1, 0.5))
        room = width - left - value - note - 2 * GAP
        self.text(bar.name, left, middle, pixels=SMALL_PX + 1, wide=max(24, room))
        whole = QRectF(0, top + 25, width, _BAR)
        full = QRectF(0, top + 25, width * min(1.0, max(0.0, bar.share)), _BAR)
        self.bars([whole, full], [look.colour("line"), colour])
        if math.isfinite(bar.before):
            x = width * min(1.0, max(0.0, bar.before))
            self.line([x, x], [whole.top() - 3, whole.bottom() + 3], look.colour("text"), 2)

    def _as_csv(self) -> str:
        rows = ([bar.name, *cells(bar.share, bar.before)] for bar in self._bars)
        return csv_text(["name", "share", "before"], rows, shown_cell)
