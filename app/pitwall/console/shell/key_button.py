"""A button with its key beside its name, as the top bar shows commands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionButton

from pitwall.console.kit.elements import Button
from pitwall.console.kit.theme import GAP, TINY_PX, Look, ui_font

_SIDE = 13
_HEIGHT = 34


class KeyButton(Button):
    """A button that shows the key that does the same.

    Args:
        words: every name it may carry; it is as wide as the widest, so that nothing moves.
        keys: the key as printed on a keyboard; empty for none.
    """

    def __init__(
        self,
        look: Look,
        words: tuple[str, ...],
        keys: str,
        pressed: Callable[[], object],
        *,
        kind: str = "",
        tip: str = "",
    ) -> None:
        super().__init__("", pressed, kind=kind, name=words[0], tip=tip)
        self._look = look
        self._words = words
        self._shown = words[0]
        self._keys = keys
        self._compact = False
        self._name_font = ui_font(bold=True)
        self._key_font = ui_font(TINY_PX)
        self.setFixedHeight(_HEIGHT)
        self._describe()

    def set_name(self, name: str) -> None:
        """Change its name; one of the words it was made with."""
        if name != self._shown:
            self._shown = name
            self._describe()
            self.update()

    def name(self) -> str:
        return self._shown

    def set_keys(self, keys: str) -> None:
        """Change the key shown."""
        if keys != self._keys:
            self._keys = keys
            self._describe()
            self.updateGeometry()
            self.update()

    def set_compact(self, compact: bool) -> None:
        """Leave the key to the tooltip where room is short."""
        if compact != self._compact:
            self._compact = compact
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        width = max(QFontMetrics(self._name_font).horizontalAdvance(word) for word in self._words)
        if self._keys and not self._compact:
            width += GAP + QFontMetrics(self._key_font).horizontalAdvance(self._keys)
        return QSize(width + 2 * _SIDE, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        self.style().drawControl(QStyle.ControlElement.CE_PushButtonBevel, option, painter, self)
        name, keys = self._colours()
        names = QFontMetrics(self._name_font)
        inside = self.rect().adjusted(_SIDE, 0, -_SIDE, 0)
        centre_alone = not self._keys or self._compact or self.width() < self.sizeHint().width()
        across = Qt.AlignmentFlag.AlignHCenter if centre_alone else Qt.AlignmentFlag.AlignLeft
        painter.setFont(self._name_font)
        painter.setPen(name)
        painter.drawText(inside, across | Qt.AlignmentFlag.AlignVCenter, self._shown)
        if not centre_alone:
            painter.setFont(self._key_font)
            painter.setPen(keys)
            left = inside.x() + names.horizontalAdvance(self._shown) + GAP
            baseline = QRect(left, inside.y() + 1, inside.right() - left + 1, inside.height())
            painter.drawText(
                baseline, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._keys
            )

    def _colours(self) -> tuple[QColor, QColor]:
        colour = self._look.colour
        kind = self.property("kind")
        if not self.isEnabled():
            return colour("faint"), colour("faint")
        if kind == "primary":
            return colour("inverse"), colour("inverse", 190)
        if kind == "danger":
            return (colour("inverse"), colour("inverse")) if self.underMouse() else (colour("stop"),) * 2
        return colour("text"), colour("dim")

    def _describe(self) -> None:
        self.setAccessibleName(f"{self._shown} ({self._keys})" if self._keys else self._shown)
        self.setToolTip(f"{self._shown} · {self._keys}" if self._keys else self._shown)
