"""Shows each agent in a row: its success and progress as bars with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF

from pitwall.console.charts.readout import Reading
from pitwall.console.kit.theme import GAP, TEXT_PX, TINY_PX, Look
from pitwall.core.quantities import NONE, counted, interval_text, number, share, tally
from pitwall_bench.console.figures import Group
from pitwall_bench.console.format import share_words, success_words
from pitwall_evaluation.console.plot import FIRST_INK, Hotspot, Plot

_ROW, _HEAD = 40, 18
_NAME_PX = 150


class AgentBars(Plot):
    """Draws the agents one below another."""

    def __init__(self, look: Look) -> None:
        self.groups: Sequence[Group] = ()
        super().__init__(look, "Success and progress of each agent")

    def show_groups(self, groups: Sequence[Group]) -> None:
        """Show other agents, in the order of their colours."""
        self.groups = groups
        tall = _HEAD + _ROW * max(1, len(groups))
        self._size, self._least = (560, tall), (320, tall)
        self.redraw()

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

    def draw(self) -> None:
        name = min(_NAME_PX, self.width() // 4)
        wide = (self.width() - name - 2 * GAP) / 2
        for at, title in enumerate(("success", "progress")):
            self.text(title, name + at * (wide + 2 * GAP), 7, colour="faint", pixels=TINY_PX)
        for at, group in enumerate(self.groups):
            room = QRectF(0, _HEAD + at * _ROW, self.width(), _ROW)
            self._draw_name(room, at, group, name)
            won, of = group.success, group.progress
            left = QRectF(name, room.top(), wide, room.height())
            words = f"{success_words(won)} · {interval_text(won.low, won.high)}" if won.of else NONE
            self._draw_bar(left, won.value, won.low, won.high, words)
            right = left.translated(wide + 2 * GAP, 0)
            words = f"{interval_text(of.low, of.high)} · {counted(of.of, 'run')}" if of.of else NONE
            self._draw_bar(right, of.value, of.low, of.high, words)

    def _draw_name(self, room: QRectF, at: int, group: Group, wide: float) -> None:
        self.markers([6], [room.top() + 14], FIRST_INK + at, 9)
        self.text(group.key, 18, room.top() + 14, pixels=TEXT_PX, bold=True, wide=wide - 26)
        if group.failed:
            words = f"! {group.failed:,} not played"
            self.text(words, 18, room.top() + 29, colour="stop", pixels=TINY_PX)

    def _draw_bar(self, room: QRectF, of: float, low: float, high: float, words: str) -> None:
        look, middle = self.look, room.top() + 10
        self.text(share(of), room.left(), middle, pixels=TEXT_PX, bold=True)
        self.text(
            words,
            room.right(),
            middle,
            colour="dim",
            anchor=(1, 0.5),
            wide=room.width() - 56,
        )
        if not math.isfinite(of):
            return
        whole = QRectF(room.left(), room.top() + 24, room.width(), 6)
        full = QRectF(whole.left(), whole.top(), whole.width() * of, 6)
        self.bars([whole, full], [look.colour("line"), look.colour("ok", 190)])
        if math.isfinite(low):
            left, right, y = (
                whole.left() + whole.width() * low,
                whole.left() + whole.width() * high,
                whole.center().y(),
            )
            x = [left, right, left, left, right, right]
            self.line(x, [y, y, y - 4, y + 4, y - 4, y + 4], look.colour("text"), 1.3, pairs=True)
