"""The live picture with the agent's readings and actions.

The frame is drawn directly from the ring's pixels (no copy, no conversion). The overlay uses the dark theme's
colours in both themes, because its background is a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.elements import key_words
from pitwall.console.kit.format import field_name, value
from pitwall.console.kit.picture.detections import (
    free_place,
    paint_detections,
    place_aside,
    rect_on_picture,
)
from pitwall.console.kit.theme import (
    DARK,
    GAP,
    PAD,
    ROUTE_SIGNS,
    SMALL_PX,
    STEP,
    TINY_PX,
    Look,
    route_tone,
    ui_font,
)
from pitwall.core.observations import Detection, Reading
from pitwall.core.signals import Route
from pitwall.link.frame_ring import RingFrame

_MOST_LABELS = 24
_BESIDE_LEAST = 150
"""Room beside the picture from which badges and keys are placed there."""
_BADGE = 28
_CAP = 32
"""Height, and least width, of a key cap."""
_SMOOTH_BELOW = 4.0
"""Magnified this much or more, pixels are shown as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOverlay:
    """Holds what is painted over the picture.

    Attributes:
        keys: the agent's keys, each with whether it is held now.
        badge: the reason for the next or the last strategic call.
        veil: darken the picture, because nobody plays.
    """

    readings: tuple[Reading, ...] = ()
    detections: tuple[Detection, ...] = ()
    keys: tuple[tuple[str, bool], ...] = ()
    route: Route | None = None
    action: str = ""
    badge: str = ""
    veil: bool = False


class LiveView(QWidget):
    """The game's picture, whole and in its own proportions."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("well")
        self.setAccessibleName("Live picture of the game")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._look = look
        self._frame: RingFrame | None = None
        self._image: QImage | None = None
        self._unpainted = False
        self._sight = PictureOverlay()
        self.show_boxes = self.show_detections = self.show_keys = self.show_badge = True
        self._label_font = ui_font(TINY_PX)
        self._badge_font = ui_font(SMALL_PX, bold=True)
        self._key_font = ui_font(SMALL_PX, bold=True)
        self.placed: Callable[[], None] | None = None
        """Called when its size changed."""
        self.kept_free = QSize(0, 0)
        """Size of the upper right corner that other widgets take."""
        self.painted = 0
        """Frames painted since it was made, each once however often it was painted."""
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(640, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 135)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.placed is not None:
            self.placed()

    def set_frame(self, frame: RingFrame | None) -> None:
        """Show a frame; its pixels are kept alive for as long as they are shown."""
        image = QImage()
        if frame is not None:
            height, width = frame.pixels.shape[:2]
            image = QImage(
                frame.pixels.data, width, height, frame.pixels.strides[0], QImage.Format.Format_RGB32
            )
        self.set_image(image)
        self._frame = frame

    def set_image(self, image: QImage) -> None:
        """Show a picture that owns its pixels; an empty one for none."""
        self._frame = None
        self._image = None if image.isNull() else image
        self._unpainted = self._image is not None
        self.update()

    def set_sight(self, sight: PictureOverlay) -> None:
        """Change the overlay."""
        if sight != self._sight:
            self._sight = sight
            self.update()

    def picture(self) -> QRectF:
        """Return the frame's rectangle in this widget, in logical pixels."""
        if self._image is None:
            return QRectF()
        whole = self._fitted(self._image, 0)
        corner = QRectF(QPointF(self.width() - self.kept_free.width(), 0), self.kept_free)
        return self._fitted(self._image, self.kept_free.height()) if whole.intersects(corner) else whole

    def _fitted(self, image: QImage, top: int) -> QRectF:
        """Return the place of an image that leaves the uppermost pixels free."""
        room = self.height() - top
        scale = min(self.width() / image.width(), room / image.height())
        width, height = image.width() * scale, image.height() * scale
        return QRectF((self.width() - width) / 2, top + (room - height) / 2, width, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._look.colour("well"))
        image = self._image
        if image is None:
            return
        place = self.picture()
        scale = place.width() / image.width()
        smooth = scale * self.devicePixelRatioF() < _SMOOTH_BELOW
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.drawImage(place, image)
        if self._sight.veil:
            painter.fillRect(place, QColor(8, 10, 13, 150))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.show_boxes or self.show_detections:
            self._paint_found(painter, place, scale)
        if self.show_badge:
            self._paint_badges(painter, place)
        if self.show_keys:
            self._paint_keys(painter, place)
        self.painted += self._unpainted
        self._unpainted = False

    # ---- what lies over it

    def _paint_found(self, painter: QPainter, place: QRectF, scale: float) -> None:
        """Paint fields' boxes first, so that their labels are nearest; no label covers another."""
        taken = self._caps(place) if self.show_keys else []
        taken += [pill for pill, _, _ in self.badges(place)] if self.show_badge else []
        taken.append(QRectF(QPointF(self.width() - self.kept_free.width(), 0), self.kept_free))
        painter.setFont(self._label_font)
        if self.show_boxes:
            self._paint_boxes(painter, place, scale, taken)
        if self.show_detections and self._sight.detections:
            room = QRectF(self.rect())
            paint_detections(painter, self._sight.detections, place, scale, room, taken)

    def _paint_boxes(self, painter: QPainter, place: QRectF, scale: float, taken: list[QRectF]) -> None:
        """Paint what was read; a sign that is not there has no box."""
        anchors: list[tuple[Reading, QRectF]] = []
        for reading in self._sight.readings[:_MOST_LABELS]:
            anchor = reading.found or reading.box
            if anchor is None or reading.value is False:
                continue
            if reading.found is not None and reading.box is not None:
                self._outline(painter, rect_on_picture(reading.box, place, scale), 70, Qt.PenStyle.DotLine)
            box = rect_on_picture(anchor, place, scale)
            known = reading.value is not None
            self._outline(painter, box, 210 if known else 120, _LINES[known])
            anchors.append((reading, box))
        things = [box for reading, box in anchors if reading.found is not None]
        aside = self.width() - place.right() >= _BESIDE_LEAST
        for reading, box in sorted(anchors, key=lambda anchor: anchor[1].top()):
            self._paint_label(painter, reading, box, things, taken, edge=place.right() if aside else None)

    def _paint_label(
        self,
        painter: QPainter,
        reading: Reading,
        box: QRectF,
        things: Sequence[QRectF],
        taken: list[QRectF],
        *,
        edge: float | None,
    ) -> None:
        """Paint a reading's words right of the picture's edge, or on it where they hide no thing."""
        metrics = QFontMetrics(self._label_font)
        words = f"{field_name(reading.name)} {value(reading.value, reading.unit)}"
        size = QSize(metrics.horizontalAdvance(words) + 2 * STEP + 2, metrics.height() + 2)
        if edge is not None:
            label = place_aside(box, size, edge, taken)
            self._lead(painter, box, label)
        else:
            label = free_place(box, size, QRectF(self.rect()), [*taken, *things])
            if any(label.intersects(thing) for thing in things):
                return  # the pane beside the picture lists its value too
        taken.append(label)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(8, 10, 13, 205))
        painter.drawRoundedRect(label, 3, 3)
        painter.setPen(QColor(DARK.text if reading.value is not None else DARK.dim))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, words)

    def _lead(self, painter: QPainter, box: QRectF, label: QRectF) -> None:
        """Draw a thin line from a label beside the picture to its box."""
        colour = QColor(DARK.text)
        colour.setAlpha(90)
        painter.setPen(QPen(colour, 1))
        painter.drawLine(QPointF(box.right(), box.center().y()), QPointF(label.left(), label.center().y()))

    def _outline(self, painter: QPainter, box: QRectF, alpha: int, style: Qt.PenStyle) -> None:
        colour = QColor(DARK.text)
        colour.setAlpha(alpha)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(8, 10, 13, alpha // 2), 3))
        painter.drawRect(box)
        painter.setPen(QPen(colour, 1, style))
        painter.drawRect(box)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_badges(self, painter: QPainter, place: QRectF) -> None:
        painter.setFont(self._badge_font)
        for pill, words, colour in self.badges(place):
            painter.setPen(QPen(QColor(DARK.line), 1))
            painter.setBrush(QColor(8, 10, 13, 215))
            painter.drawRoundedRect(pill, 7, 7)
            painter.setPen(colour)
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)

    def badges(self, place: QRectF) -> list[tuple[QRectF, str, QColor]]:
        """Place the badges of controller and cause: in a column beside the picture, else in a line on it."""
        metrics = QFontMetrics(self._badge_font)
        beside = place.x() >= _BESIDE_LEAST
        left = top = float(PAD)
        right = place.x() - PAD if beside else self.width() - self.kept_free.width() - PAD
        pills = []
        for words, colour in self._badge_texts(beside=beside):
            most = right - left - 2 * PAD
            if most < 40:
                break
            text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(most))
            pill = QRectF(left, top, metrics.horizontalAdvance(text) + 2 * PAD, _BADGE)
            pills.append((pill, text, colour))
            if beside:
                top = pill.bottom() + GAP
            else:
                left = pill.right() + GAP
        return pills

    def _badge_texts(self, *, beside: bool) -> list[tuple[str, QColor]]:
        """Return the badges' texts and colours. Beside a narrow picture the action has a badge of its own."""
        sight = self._sight
        badges: list[tuple[str, QColor]] = []
        if sight.route is not None:
            colour = QColor(getattr(DARK, route_tone(sight.route)))
            driver = f"{ROUTE_SIGNS[sight.route]} {sight.route.value.capitalize()}"
            parts = [part for part in (driver, sight.action) if part]
            badges += [(words, colour) for words in (parts if beside else [" · ".join(parts)])]
        if sight.badge:
            badges.append((sight.badge, QColor(DARK.text)))
        return badges

    def _paint_keys(self, painter: QPainter, place: QRectF) -> None:
        painter.setFont(self._key_font)
        route = self._sight.route
        lit = QColor(getattr(DARK, route_tone(route)) if route is not None else DARK.reactive)
        for cap, (key, held) in zip(self._caps(place), self._sight.keys, strict=True):
            painter.setPen(QPen(lit if held else QColor(DARK.line), 1))
            painter.setBrush(lit if held else QColor(8, 10, 13, 215))
            painter.drawRoundedRect(cap, 6, 6)
            painter.setPen(QColor(DARK.inverse if held else DARK.text))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key_words(key))

    def _caps(self, place: QRectF) -> list[QRectF]:
        """Place the key caps: beside or below the picture if there is room, else on it."""
        metrics = QFontMetrics(self._key_font)
        widths = [
            max(_CAP, metrics.horizontalAdvance(key_words(key)) + 2 * PAD) for key, _ in self._sight.keys
        ]
        if place.x() >= _BESIDE_LEAST:
            return self._caps_in_lines(widths, place.x() - 2 * PAD)
        total = sum(widths) + STEP * (len(widths) - 1)
        below = self.height() - place.bottom()
        top = place.bottom() + (below - _CAP) / 2 if below >= _CAP + 2 * STEP else place.bottom() - PAD - _CAP
        left = place.center().x() - total / 2
        caps = []
        for width in widths:
            caps.append(QRectF(left, top, width, _CAP))
            left += width + STEP
        return caps

    def _caps_in_lines(self, widths: Sequence[int], room: float) -> list[QRectF]:
        """Place key caps in lines from the lower left corner upwards."""
        lines: list[list[int]] = [[]]
        for width in widths:
            if lines[-1] and sum(lines[-1]) + STEP * len(lines[-1]) + width > room:
                lines.append([])
            lines[-1].append(width)
        caps = []
        top = self.height() - PAD - len(lines) * (_CAP + STEP) + STEP
        for line in lines:
            left = float(PAD)
            for width in line:
                caps.append(QRectF(left, top, width, _CAP))
                left += width + STEP
            top += _CAP + STEP
        return caps


_LINES = {True: Qt.PenStyle.SolidLine, False: Qt.PenStyle.DashLine}
