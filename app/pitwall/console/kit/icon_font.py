"""Draws icons by name, like `mdi6.chip`, from one font of QtAwesome.

Importing QtAwesome itself would load twelve fonts and Qt's OpenGL libraries.
"""

from __future__ import annotations

import functools
import json
from importlib.metadata import distribution
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

_FONTS = "qtawesome/fonts"
_FONT, _CHARACTERS = "materialdesignicons6-webfont-*.ttf", "materialdesignicons6-webfont-charmap-*.json"
_GLYPH_SHARE = 0.875
"""Share of an icon's height that a character's size takes: its font leaves room around it."""


@functools.cache
def _characters() -> dict[str, str]:
    """Read which character is drawn for a name."""
    text = _file(_CHARACTERS).read_text(encoding="utf-8")
    return {name: chr(int(code, 16)) for name, code in json.loads(text).items()}


@functools.cache
def _family() -> str:
    number = QFontDatabase.addApplicationFont(str(_file(_FONT)))
    return QFontDatabase.applicationFontFamilies(number)[0]


def _file(pattern: str) -> Path:
    return next(Path(str(distribution("qtawesome").locate_file(_FONTS))).glob(pattern))


class FontIcon(QIconEngine):
    """Draws one character, in a colour for each state of a button.

    Args:
        name: the font and the icon in it, `mdi6.chip`.
        active: its colour under the pointer, and while the button is checked.
        disabled: its colour where the button cannot be pressed.
    """

    def __init__(self, name: str, colour: QColor, active: QColor, disabled: QColor) -> None:
        super().__init__()
        self._name = name
        self._character = _characters()[name.partition(".")[2]]
        self._colour, self._active, self._disabled = colour, active, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        lit = state == QIcon.State.On or mode in (QIcon.Mode.Active, QIcon.Mode.Selected)
        colour = self._disabled if mode == QIcon.Mode.Disabled else self._active if lit else self._colour
        font = QFont(_family())
        font.setPixelSize(max(1, round(_GLYPH_SHARE * rect.height())))
        painter.save()
        painter.setPen(colour)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._character)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return FontIcon(self._name, self._colour, self._active, self._disabled)
