"""Shows a model's need of one memory beside the free memory: a stacked bar, and the same in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Card, KeyValue, Label, column, row
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.models.memory_share import MemoryShare
from pitwall.core.quantities import byte_size

BAR_HEIGHT = 8
_CORNER = 2.5
_SEAM = 1.0


def part_colour(look: Look, part: int) -> QColor:
    """Return the colour of weights, KV cache or compute: one hue, from full to faint."""
    return look.colour("focus", (255, 160, 90)[part])


def paint_share(painter: QPainter, area: QRectF, look: Look, share: MemoryShare) -> None:
    """Draw the bar: the track is the free memory; a need beyond it is hatched after a mark."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("line"))
    painter.drawRoundedRect(area, _CORNER, _CORNER)
    room = share.room
    whole = max(share.total, room or 0, 1)
    left = area.left()
    for at, (_, count) in enumerate(share.parts):
        if not count:
            continue
        wide = max(2.0, area.width() * count / whole)
        wide = min(wide, area.right() - left)
        painter.setBrush(part_colour(look, at))
        painter.drawRoundedRect(QRectF(left, area.top(), max(1.0, wide - _SEAM), area.height()), 1.5, 1.5)
        left += wide
    if share.short and room is not None:
        mark = area.left() + area.width() * room / whole
        beyond = QRectF(mark, area.top(), area.right() - mark, area.height())
        painter.setBrush(look.colour("stop_soft"))
        painter.drawRect(beyond)
        painter.setBrush(QBrush(look.colour("stop"), Qt.BrushStyle.BDiagPattern))
        painter.drawRect(beyond)
        painter.setBrush(look.colour("stop"))
        painter.drawRect(QRectF(mark - 1, area.top() - 2, 2, area.height() + 4))
    painter.restore()


class MemoryBar(QWidget):
    """Shows one share with its figures over it: "RAM  2.9 GiB of 21.4 GiB free" and the bar."""

    def __init__(self, look: Look, memory: str) -> None:
        super().__init__()
        self._line = KeyValue(memory)
        self._bar = _Bar(look, memory)
        self._short = Label("", "error", wrap=True)
        self._short.hide()
        self.setLayout(column(self._line, self._bar, self._short, gap=STEP))

    def show_share(self, share: MemoryShare) -> None:
        self._line.set_value(share.words(), "stop" if share.short else "neutral")
        self._bar.show_share(share)
        self._short.show_text(f"{byte_size(share.short)} of {share.memory} too little" if share.short else "")
        self.setAccessibleName(share.sentence())

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self._line.value(), self._short.full_text())))


class _Bar(QWidget):
    def __init__(self, look: Look, memory: str) -> None:
        super().__init__()
        self._look = look
        self._share = MemoryShare(memory=memory)
        self.setFixedHeight(BAR_HEIGHT + 4)
        look.changed.connect(self.update)

    def show_share(self, share: MemoryShare) -> None:
        if share != self._share:
            self._share = share
            self.setToolTip(share.sentence())
            self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        area = QRectF(self.rect()).adjusted(0, 2, 0, -2)
        paint_share(QPainter(self), area, self._look, self._share)


class MemoryNeed(Card):
    """Shows a model's need of VRAM and RAM beside the free memory, and its parts."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._bars = {memory: MemoryBar(look, memory) for memory in ("VRAM", "RAM")}
        for bar in self._bars.values():
            self.body.addWidget(bar)
        legend = column(gap=2)
        self._parts = [KeyValue(name) for name in ("Weights", "KV cache", "Compute")]
        for at, part in enumerate(self._parts):
            legend.addLayout(row(_Swatch(look, at), part, stretch=1))
        self.body.addLayout(legend)
        self.body.addStretch(1)

    def show_shares(self, shares: Sequence[MemoryShare]) -> None:
        """Show the parts in each memory, and in all memories together; hidden where the need is not known."""
        self.setVisible(bool(shares))
        by_memory = {share.memory: share for share in shares}
        for memory, bar in self._bars.items():
            bar.setVisible(memory in by_memory)
            if memory in by_memory:
                bar.show_share(by_memory[memory])
        for at, part in enumerate(self._parts):
            part.set_value(byte_size(sum(share.parts[at][1] for share in shares)))

    @property
    def words(self) -> tuple[str, ...]:
        """Return the bars in words, as they are shown."""
        shown = {} if self.isHidden() else self._bars
        return tuple(f"{name} {bar.words}" for name, bar in shown.items() if bar.isVisibleTo(self))


class _Swatch(QWidget):
    def __init__(self, look: Look, part: int) -> None:
        super().__init__()
        self._look, self._part = look, part
        self.setFixedSize(10, 10)
        look.changed.connect(self.update)

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(part_colour(self._look, self._part))
        painter.drawRoundedRect(self.rect(), 2, 2)
