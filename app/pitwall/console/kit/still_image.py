"""Shows one picture: a recorded frame, a captured thumbnail, or the frames of a clip in turn."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.kit.theme import PAD, Look

_HEIGHT = 190


class StillImage(QWidget):
    """A picture, scaled to fit, on the well's ground; a sentence where there is none.

    Args:
        grows: it takes whatever height there is.
    """

    def __init__(self, look: Look, *, grows: bool = False) -> None:
        super().__init__()
        self._look = look
        self._image = QImage()
        self._note = ""
        self.setMinimumHeight(120)
        if grows:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        else:
            self.setMaximumHeight(_HEIGHT)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(280, _HEIGHT)

    def show_image(self, image: QImage, name: str, note: str = "") -> None:
        """Show a picture with its name for screen readers; the note where it is empty."""
        self._image, self._note = image, note
        self.setAccessibleName(name if not image.isNull() else note)
        self.setToolTip(f"{image.width()}×{image.height()} px" if not image.isNull() else "")
        self.update()

    @property
    def image(self) -> QImage:
        return self._image

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._look.colour("well"))
        if self._image.isNull():
            painter.setPen(self._look.colour("dim"))
            inside = self.rect().adjusted(PAD, PAD, -PAD, -PAD)
            painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._note)
        else:
            scale = min(self.width() / self._image.width(), self.height() / self._image.height())
            width, height = self._image.width() * scale, self._image.height() * scale
            smooth = QPainter.RenderHint.SmoothPixmapTransform  # not where pixels are much enlarged
            painter.setRenderHint(smooth, scale * self.devicePixelRatioF() < 2)
            place = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
            painter.drawImage(place, self._image)
        if self.hasFocus():
            painter.setPen(self._look.colour("focus"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
