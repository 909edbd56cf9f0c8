"""Each agent in a row: its success and its progress as bars, with their intervals over them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from pitwall.console.charts.bars import draw_interval_bar
from pitwall.console.charts.plot import FIRST_INK, Hotspot, Plot
from pitwall.console.charts.readout import Reading
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.evaluate.figures import Group
from pitwall.console.evaluate.format import share_words, success_words
from pitwall.console.kit.format import NONE
from pitwall.console.kit.number_format import interval_words, number, share, tally
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, TINY_PX, Look, ui_font

_ROW, _HEAD = 40, 18
_NAME_PX = 150


class AgentBars(Plot):
    """Paints agents one under another."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Success and progress of each agent")
        self.groups: Sequence[Group] = ()

    def show_groups(self, groups: Sequence[Group]) -> None:
        """Show other agents, in the order of their inks."""
        self.groups = groups
        self.renew()

    def sizeHint(self) -> QSize:
        return QSize(560, _HEAD + _ROW * max(1, len(self.groups)))

    def minimumSizeHint(self) -> QSize:
        return QSize(320, _HEAD + _ROW * max(1, len(self.groups)))

    def _row(self, at: int) -> QRectF:
        return QRectF(0, _HEAD + at * _ROW, self.width(), _ROW)

    def lay_out(self) -> Sequence[Hotspot]:
        return [
            Hotspot(
                QRectF(0, _HEAD + at * _ROW, self.width(), _ROW - 2),
                group.key,
                [
                    Reading(name, FIRST_INK + at, value)
                    for name, value in (
                        ("success", f"{share_words(group.success)}, {success_words(group.success)}"),
                        ("progress", share_words(group.progress)),
                        ("steps, mean", number(group.steps)),
                        ("time per step", number(group.seconds_per_step, "s")),
                        ("tokens per run", number(group.cost("tokens_run"), "tok")),
                        ("invalid actions", tally(group.row.invalid, "0")),
                        ("refusals", tally(group.row.refusals, "0")),
                        ("not played", f"{group.failed:,}"),
                    )
                ],
                group.key,
            )
            for at, group in enumerate(self.groups)
        ]

    def draw(self, painter: QPainter) -> None:
        name = min(_NAME_PX, self.width() // 4)
        wide = (self.width() - name - 2 * GAP) / 2
        painter.setFont(ui_font(TINY_PX))
        painter.setPen(self._look.colour("faint"))
        for at, title in enumerate(("success", "progress")):
            painter.drawText(QPointF(name + at * (wide + 2 * GAP), 11), title)
        for at, group in enumerate(self.groups):
            room = self._row(at)
            self._draw_name(painter, room, at, group, name)
            left = QRectF(name, room.top(), wide, room.height())
            won = group.success
            words = f"{success_words(won)} · {interval_words(won.low, won.high)}" if won.of else NONE
            self._draw_bar(painter, left, won.value, won.low, won.high, words)
            of = group.progress
            right = QRectF(name + wide + 2 * GAP, room.top(), wide, room.height())
            words = f"{interval_words(of.low, of.high)} · {of.of:,} runs" if of.of else NONE
            self._draw_bar(painter, right, of.value, of.low, of.high, words)

    def _draw_name(self, painter: QPainter, room: QRectF, at: int, group: Group, wide: float) -> None:
        index = FIRST_INK + at
        paint_marker(painter, QPointF(6, room.top() + 14), index, ink(self._look, index), 4.4)
        painter.setFont(ui_font(TEXT_PX, bold=True))
        painter.setPen(self._look.colour("text"))
        words = painter.fontMetrics().elidedText(group.key, Qt.TextElideMode.ElideRight, int(wide) - 26)
        painter.drawText(QPointF(18, room.top() + 18.5), words)
        if group.failed:
            painter.setFont(ui_font(TINY_PX))
            painter.setPen(self._look.colour("stop"))
            painter.drawText(QPointF(18, room.top() + 33), f"! {group.failed:,} not played")

    def _draw_bar(
        self, painter: QPainter, room: QRectF, of: float, low: float, high: float, words: str
    ) -> None:
        painter.setFont(ui_font(TEXT_PX, bold=True))
        painter.setPen(self._look.colour("text"))
        painter.drawText(QPointF(room.left(), room.top() + 15), share(of))
        painter.setFont(ui_font(SMALL_PX))
        painter.setPen(self._look.colour("dim"))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        fitting = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()) - 56)
        painter.drawText(QRectF(room.left() + 50, room.top(), room.width() - 50, 20), side, fitting)
        if math.isfinite(of):
            draw_interval_bar(
                painter, self._look, QRectF(room.left(), room.top() + 24, room.width(), 6), of, low, high
            )
