"""The legend of the graph's lines and marks, as a strip at the foot of the picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.theme import GAP, PAD, TINY_PX, Look, ui_font
from pitwall_memory_editor.console.graph.painting.palette import WIDTHS, Ink

_HEIGHT = 24
_SAMPLE = 22.0
WORDS = ("0.9 success", "0.6", "0.4", "untried", "wider: more often", "alike", "now", "retrieved", "pinned")


class Legend(QWidget):
    """Samples with words; as many as fit its width."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(
            "Legend: actions are green where they succeed, amber in between, red and dashed where they fail; "
            "wider the more often; likenesses are dotted; the agent's state is filled and says now"
        )
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedHeight(_HEIGHT)
        self._look = look
        self._font = ui_font(TINY_PX)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(sum(self._width(words) for words in WORDS) + PAD, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def _width(self, words: str) -> int:
        return int(_SAMPLE) + 6 + QFontMetrics(self._font).horizontalAdvance(words) + PAD

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        ink = Ink(self._look)
        ground = ink.ground.toRgb()
        ground.setAlpha(225)
        painter.fillRect(self.rect(), ground)
        left = float(PAD)
        for words, sample in zip(WORDS, self._samples(ink), strict=True):
            width = self._width(words)
            if left + width > self.width():
                break
            sample(painter, QRectF(left, 0, _SAMPLE, _HEIGHT))
            painter.setPen(ink.dim)
            place = QRectF(left + _SAMPLE + 6, 0, width, _HEIGHT)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
            left += width + GAP / 2

    def _samples(self, ink: Ink) -> list[Callable[[QPainter, QRectF], None]]:
        pens = ink.link_pens()

        def line(pen: QPen) -> Callable[[QPainter, QRectF], None]:
            def paint(painter: QPainter, box: QRectF) -> None:
                middle = box.center().y()
                painter.setPen(pen)
                painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))

            return paint

        def steps(painter: QPainter, box: QRectF) -> None:
            for number, width in enumerate(WIDTHS):
                x = box.left() + 3 + number * 5.5
                painter.setPen(QPen(ink.dim, width))
                painter.drawLine(QPointF(x, box.top() + 7), QPointF(x, box.bottom() - 7))

        def chip(fill: bool) -> Callable[[QPainter, QRectF], None]:
            def paint(painter: QPainter, box: QRectF) -> None:
                painter.setPen(QPen(ink.now, 1.6))
                painter.setBrush(ink.now if fill else ink.now_soft)
                painter.drawRoundedRect(box.adjusted(1, 6.5, -1, -6.5), 4, 4)

            return paint

        def pin(painter: QPainter, box: QRectF) -> None:
            painter.setPen(QPen(ink.text, 1.6))
            painter.setBrush(ink.chip)
            painter.drawRoundedRect(box.adjusted(1, 6.5, -1, -6.5), 4, 4)
            painter.setBrush(ink.text)
            painter.drawEllipse(QPointF(box.left() + 4, box.top() + 7.5), 2.5, 2.5)

        width = 1
        near = [pens[step * len(WIDTHS) + width] for step in (4, 2, 1, 5)]
        return [
            *(line(pen) for pen in near),
            steps,
            line(ink.like_pen(far=False)),
            chip(True),
            chip(False),
            pin,
        ]
