"""Paints the states of a scene at one scale: cards with a frame and distinctive facts, circles, pins."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap

from pitwall.console.kit.theme import SMALL_PX, TINY_PX, ui_font
from pitwall_memory_editor.console.graph.layout.forces import BOX, NEAR_SPACING, Points
from pitwall_memory_editor.console.graph.model import Floats
from pitwall_memory_editor.console.graph.painting.labels import Label
from pitwall_memory_editor.console.graph.painting.palette import Ink
from pitwall_memory_editor.console.graph.scene import APART, Detail, Scene

CHIP_HEIGHT = 26.0
CARD_HEIGHT = 48.0
"""Height of a state's chip that shows its frame."""
CHIP_CORNER = 7.0
_CHIP_PAD, _CHIP_GAP = 11.0, 12.0
_CARD_PAD, _LINE = 4.0, 14.0
_CHIP_MOST = 380.0
_WORDS, _ROOMY_WORDS, _ROOMY = 128.0, 216.0, 40
"""Most width of a state's words, in pixels; and where at most so many states are in view."""


class States:
    """Paints the states of a scene at a scale.

    Args:
        pictures: small frames by entry id; a chip with one is a card of up to three lines.

    Attributes:
        at: (k, 2) where states lie, in scaled pixels. radius: (k,) of circles or dots, in pixels.
    """

    radius: Floats

    def __init__(self, scene: Scene, scale: float, ink: Ink, pictures: Mapping[int, QPixmap]) -> None:
        self.scene, self.scale, self.ink = scene, scale, ink
        self.detail = scene.detail(scale)
        self.at: Points = scene.places * scale
        self.font, self.small = ui_font(SMALL_PX), ui_font(TINY_PX)
        self._metrics, self._small_metrics = QFontMetricsF(self.font), QFontMetricsF(self.small)
        self._elided: dict[int, tuple[str, float]] = {}
        self._pictures = pictures if self.detail is Detail.CHIPS else {}

    # ---- where they lie

    def words(self, number: int) -> tuple[str, float]:
        """Return a state's words, cut to fit (in lines on a card), and their width in pixels."""
        text = self._elided.get(number)
        if text is None:
            text = self._elided[number] = self._fitted(number)
        return text

    def _fitted(self, number: int) -> tuple[str, float]:
        picture, telling = self.picture(number), self.scene.telling(number)
        most = _ROOMY_WORDS if len(self.scene) <= _ROOMY else _WORDS
        apart = BOX[0] / NEAR_SPACING * self.scene.spacing * self.scale - _CHIP_GAP
        metrics, lines = self._metrics, [telling]
        if picture is not None:
            metrics, lines = self._small_metrics, telling.split(APART)
            most = max(
                _WORDS / 2, min(_WORDS, apart - picture.deviceIndependentSize().width() - 4 * _CARD_PAD)
            )
        elif self.detail is Detail.CHIPS:
            most = min(_CHIP_MOST, max(most, apart - 2 * _CHIP_PAD))
        cut = [metrics.elidedText(line, Qt.TextElideMode.ElideRight, most) for line in lines]
        return "\n".join(cut), max(map(metrics.horizontalAdvance, cut))

    def picture(self, number: int) -> QPixmap | None:
        """Return the frame on a state's card; None for a card without one."""
        return self._pictures.get(self.scene.entry_id(number)) if self._pictures else None

    def chip(self, number: int) -> QRectF:
        """Return a state's chip in scaled pixels."""
        x, y = self.at[number]
        width, height = self.words(number)[1] + 2 * _CHIP_PAD, CHIP_HEIGHT
        if (picture := self.picture(number)) is not None:
            width += picture.deviceIndependentSize().width() + 4 * _CARD_PAD - 2 * _CHIP_PAD
            height = CARD_HEIGHT
        return QRectF(float(x) - width / 2, float(y) - height / 2, width, height)

    def body(self, number: int) -> QRectF:
        """Return the box of a state: its chip, or the square around its circle or dot."""
        if self.detail is Detail.CHIPS:
            return self.chip(number)
        (x, y), r = self.at[number], float(self.radius[number])
        return QRectF(float(x) - r, float(y) - r, 2 * r, 2 * r)

    def more_pill(self, number: int) -> QRectF:
        """Return the place of "+N more"; empty where everything is shown."""
        count = int(self.scene.more[number])
        if not count or self.detail is Detail.DOTS:
            return QRectF()
        body = self.body(number)
        width = self._small_metrics.horizontalAdvance(more_words(count)) + 8
        if self.detail is Detail.CHIPS:
            return QRectF(body.right() - width * 0.7, body.top() - 10, width, 15)
        side = body.width() * 0.35
        return QRectF(body.center().x() + side, body.center().y() - side - 13, width, 15)

    # ---- painting

    def paint_state(self, painter: QPainter, number: int) -> None:
        """Paint one state in scaled pixels, with its "+N more"."""
        ink, pinned = self.ink, self.scene.graph.pinned(int(self.scene.rows[number]))
        central = bool(self.scene.central[number])
        strong = pinned or central
        painter.setPen(QPen(ink.text if strong else ink.faint, 1.6 if strong else 1))
        painter.setBrush(ink.line if central else ink.chip)
        body = self.body(number)
        self.paint_body(painter, number, body, ink.text)
        if pinned:
            self._paint_pin(painter, body)
        pill = self.more_pill(number)
        if not pill.isEmpty():
            painter.setPen(QPen(ink.ground, 1.5))
            painter.setBrush(ink.line)
            painter.drawRoundedRect(pill, 7, 7)
            painter.setPen(ink.dim)
            painter.setFont(self.small)
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, more_words(int(self.scene.more[number])))

    def paint_body(self, painter: QPainter, number: int, body: QRectF, text: QColor) -> None:
        """Paint a state's chip with its words, or its circle, with the painter's pen and brush."""
        if self.detail is not Detail.CHIPS:
            painter.drawEllipse(body)
            return
        painter.drawRoundedRect(body, CHIP_CORNER, CHIP_CORNER)
        painter.setPen(text)
        words, picture = self.words(number)[0], self.picture(number)
        painter.setFont(self.font if picture is None else self.small)
        if picture is None:
            painter.drawText(body, Qt.AlignmentFlag.AlignCenter, words)
            return
        size = picture.deviceIndependentSize()
        left, top = body.left() + _CARD_PAD, body.center().y() - size.height() / 2
        painter.drawPixmap(QPointF(left, top), picture)
        lines = words.split("\n")
        left += size.width() + 2 * _CARD_PAD
        for place, line in enumerate(lines):
            top = body.center().y() + (place - len(lines) / 2) * _LINE
            box = QRectF(left, top, body.right() - left, _LINE)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, line)

    def _paint_pin(self, painter: QPainter, body: QRectF) -> None:
        """Paint a pin's head at the upper left."""
        chips = self.detail is Detail.CHIPS
        point = (
            body.topLeft() + QPointF(5, 0) if chips else body.center() - QPointF(0.7, 0.7) * body.width() / 2
        )
        painter.setPen(QPen(self.ink.ground, 1.5))
        painter.setBrush(self.ink.text)
        painter.drawEllipse(point, 4, 4)

    def paint_words(self, painter: QPainter, label: Label, *, strong: bool) -> None:
        """Paint a state's words, with a background where lines run below them."""
        box = QRectF(QPointF(*label.box[:2]), QPointF(*label.box[2:]))
        ground = self.ink.ground
        ground.setAlpha(205)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box.adjusted(-2, 1, 2, -1), 3, 3)
        ground.setAlpha(255)
        painter.setPen(self.ink.text if strong else self.ink.dim)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label.text)


def more_words(count: int) -> str:
    return f"+{count:,}"
