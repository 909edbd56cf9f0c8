"""Shows one still picture: a recorded frame, a thumbnail of what is captured."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.theme import PAD, Look

_HEIGHT = 190


class StillImage(QWidget):
    """A picture, scaled to fit, on the well's ground; a sentence where there is none."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._image = QImage()
        self._note = ""
        self.setMinimumHeight(120)
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
            return
        scale = min(self.width() / self._image.width(), self.height() / self._image.height())
        width, height = self._image.width() * scale, self._image.height() * scale
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        place = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
        painter.drawImage(place, self._image)
