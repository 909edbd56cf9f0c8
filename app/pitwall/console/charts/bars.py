"""Shares as bars: a name, a bar of what it was of late, a mark where it was over all, both in per cent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import share
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, TINY_PX, Look, ui_font

_ROW = 38
_BAR = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """One row.

    Attributes:
        share, before: 0 … 1; `before` is the mark, NaN where there is none.
        note: what the mark is, in words. ink: colour and shape; None: amber without a shape.
    """

    name: str
    share: float
    before: float = math.nan
    note: str = ""
    ink: int | None = None


class ShareBars(QWidget):
    """Rows of shares.

    Args:
        name: for screen readers; the rows follow in the description.
    """

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self._bars: Sequence[Bar] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """Show other rows."""
        same = len(bars) == len(self._bars)
        self._bars = tuple(bars)
        said = [f"{bar.name} {share(bar.share)}{f', {bar.note}' if bar.note else ''}" for bar in bars]
        self.setAccessibleDescription("; ".join(said))
        if not same:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, _ROW * len(self._bars))

    def minimumSizeHint(self) -> QSize:
        return QSize(140, _ROW * len(self._bars))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at, bar in enumerate(self._bars):
            self._paint(painter, bar, at * _ROW)

    def _paint(self, painter: QPainter, bar: Bar, top: int) -> None:
        look, width = self._look, self.width() - 1
        colour = look.colour("reflex") if bar.ink is None else ink(look, bar.ink)
        left = 0
        if bar.ink is not None:
            paint_marker(painter, QPointF(5, top + 12), bar.ink, colour, 4)
            left = 16
        base = top + 17
        value = QFontMetrics(ui_font(TEXT_PX)).horizontalAdvance(share(bar.share))
        note = QFontMetrics(ui_font(TINY_PX)).horizontalAdvance(bar.note)
        painter.setFont(ui_font(TEXT_PX))
        painter.setPen(look.colour("text"))
        painter.drawText(QPointF(width - value, base), share(bar.share))
        painter.setFont(ui_font(TINY_PX))
        painter.setPen(look.colour("faint"))
        if bar.note:
            painter.drawText(QPointF(width - value - GAP - note, base), bar.note)
        room = width - left - value - note - 3 * GAP
        painter.setFont(ui_font(SMALL_PX + 1))
        painter.setPen(look.colour("text"))
        words = painter.fontMetrics().elidedText(bar.name, Qt.TextElideMode.ElideRight, max(24, room))
        painter.drawText(QPointF(left, base), words)
        self._paint_bar(painter, bar, QRectF(0, top + 25, width, _BAR))

    def _paint_bar(self, painter: QPainter, bar: Bar, ground: QRectF) -> None:
        look = self._look
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("line"))
        painter.drawRoundedRect(ground, _BAR / 2, _BAR / 2)
        if bar.share > 0:
            full = QRectF(ground)
            full.setWidth(max(_BAR, ground.width() * min(1.0, bar.share)))
            painter.setBrush(look.colour("reflex") if bar.ink is None else ink(look, bar.ink))
            painter.drawRoundedRect(full, _BAR / 2, _BAR / 2)
        if math.isfinite(bar.before):
            x = ground.left() + ground.width() * min(1.0, max(0.0, bar.before))
            painter.setPen(QPen(look.colour("text"), 2))
            painter.drawLine(QPointF(x, ground.top() - 3), QPointF(x, ground.bottom() + 3))


def draw_interval_bar(
    painter: QPainter, look: Look, ground: QRectF, of: float, low: float, high: float, colour: str = "ok"
) -> None:
    """A share as a bar, with its interval as a line over it."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("line"))
    painter.drawRoundedRect(ground, 2, 2)
    full = QRectF(ground)
    full.setWidth(ground.width() * of)
    painter.setBrush(look.colour(colour, 190))
    if full.width() >= 1:
        painter.drawRoundedRect(full, 2, 2)
    if not math.isfinite(low):
        return
    left, right = (ground.left() + ground.width() * one for one in (low, high))
    y = ground.center().y()
    painter.setPen(QPen(look.colour("text"), 1.3))
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    for x in (left, right):
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
